// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/http/accounts.h"
#include "simulator/http/byte_queue.h"
#include "simulator/http/channel.h"
#include "simulator/http/exchange.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace throttlescope::http {

/// What a peer may take of us. Times are real ones, whatever the run's clock says.
struct ConnectionLimits {
    RequestBounds request;
    std::size_t connections = 10'000; ///< of all servers together; further ones are closed at once
    std::size_t pipelined = 64; ///< requests of one connection that wait for their answers; beyond, it is not read
    std::size_t pipelinedBytes = 256 * 1024; ///< the same by the size of their headers
    std::size_t queued = 64 << 20; ///< bytes of answers, of all connections, that are made and not taken; beyond, each makes little
    std::size_t abandoned = 10'000; ///< requests of one server whose clients went; beyond, the oldest leaves it before its time
    std::chrono::milliseconds header{10'000}; ///< from a request's first byte to the end of its fields
    std::chrono::milliseconds body{30'000}; ///< without a byte of the body; also for an answer that is not read
    std::chrono::milliseconds idle{75'000}; ///< between two requests
    std::chrono::milliseconds linger{2'000}; ///< for the peer to end its side after we ended ours
};

class Connection;

/// What a connection needs of the server it belongs to.
class ConnectionHost {
public:
    virtual ~ConnectionHost() = default;
    virtual const ConnectionLimits &limits() const = 0;
    virtual ExchangePool &pool() = 0;
    /// Real time, as of the last look at the deadlines.
    virtual std::chrono::milliseconds tick() const = 0;
    /// Bytes that connections have made, and their channels not taken.
    virtual std::size_t &queued() = 0;
    /// A request is whole: `answered` is called for it at once, later, or never.
    virtual void dispatch(Connection &connection, Exchange &exchange) = 0;
    /// The answer's last byte is on its way.
    virtual void delivered(Exchange &exchange) = 0;
    /// The client went before its answer was ready.
    virtual void hungUp(Exchange &exchange) = 0;
    /// The connection has no more use for it; it may still be at the server.
    virtual void takeBack(std::unique_ptr<Exchange> exchange) = 0;
    /// It is over: to be let go once nothing of it is on the stack.
    virtual void closed(Connection &connection) = 0;
};

/// One connection of HTTP/1.1 (RFC 9112): requests in, answers out in their order, and the faults that are seen on the wire.
class Connection final : public ChannelUser, public std::enable_shared_from_this<Connection> {
public:
    explicit Connection(ConnectionHost &host);
    ~Connection() override;

    /// Before anything else.
    void open(std::unique_ptr<Channel> channel) { m_channel = std::move(channel); }
    /// The exchange, if it is still this connection's.
    Exchange *find(std::uint64_t serial);
    /// How many requests wait for their answers.
    std::size_t pending() const { return m_pending.size(); }
    /// The model has decided on a request: where the peer has ended its side meanwhile, it is given up, and a stalled one ends.
    void decided();
    /// An exchange is ready to be sent, as soon as those before it are.
    void answered(Exchange &exchange);
    /// Makes the whole answer, to be handed out in parts by `release`.
    void startTrickle(Exchange &exchange);
    /// The first `share` (0 … 1) of a trickling answer may go; at 1 it is complete.
    void release(Exchange &exchange, double share);
    /// No further request is taken: an idle connection ends now, a busy one after its answers.
    void retire();
    /// At once and without a word.
    void drop();
    /// Ends what is overdue.
    void checkDeadlines();
    bool isOver() const { return m_state == State::Over; }

    void received(std::string_view bytes) override;
    void peerEnded() override;
    void writable() override;
    void broken() override { drop(); }

private:
    enum class State {
        Open,
        Ending, ///< no further request is read
        Draining, ///< our side has ended, and what still comes is thrown away (RFC 9112 9.6)
        Over,
    };

    std::string_view read(std::string_view bytes);
    void readAgain();
    bool isFull() const;
    bool hasRoom() const;
    void complete();
    void refuse(int status);
    void giveUp();
    void flush();
    bool emit(Exchange &exchange);
    void compose(Exchange &exchange, std::string &out);
    std::size_t room() const;
    void fill(Exchange &exchange);
    void popFront();
    bool sendOut();
    void count();
    void endOutput();

    ConnectionHost &m_host;
    std::unique_ptr<Channel> m_channel;
    RequestReader m_reader;
    std::unique_ptr<Exchange> m_current; ///< being read
    std::vector<std::unique_ptr<Exchange>> m_pending; ///< in order of their requests
    std::size_t m_pendingBytes = 0; ///< of their headers
    ByteQueue m_input; ///< read, and not yet consumed
    ByteQueue m_out; ///< made, and not yet taken by the channel
    std::size_t m_counted = 0; ///< of `m_out`, among what all connections hold
    State m_state = State::Open;
    bool m_paused = false;
    bool m_peerEnded = false;
    bool m_continueOwed = false; ///< a 100, once the answers before it are out
    bool m_flushing = false;
    std::chrono::milliseconds m_requestBegan{};
    std::chrono::milliseconds m_lastProgress{};
};

} // namespace throttlescope::http
