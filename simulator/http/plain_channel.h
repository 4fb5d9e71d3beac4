// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/http/channel.h"

#include <QObject>
#include <QSocketNotifier>
#include <array>
#include <functional>
#include <memory>

namespace throttlescope::http {

class PlainChannel;

/// All plain sockets behind one epoll descriptor, which Qt's event loop watches: what idle connections cost does not grow
/// with their number, and a burst of requests is served in one turn of the loop.
class Poller final : public QObject {
    Q_OBJECT

public:
    explicit Poller(QObject *parent = nullptr);
    ~Poller() override;
    int descriptor() const { return m_epoll; }
    /// Called after every batch of events. True: nothing else is due within some milliseconds.
    std::function<bool()> onBatchDone = [] { return false; };

private:
    friend class PlainChannel;
    void poll();

    int m_epoll = -1;
    std::unique_ptr<QSocketNotifier> m_notifier;
    std::array<char, 64 * 1024> m_buffer{}; ///< what is read passes through here
};

/// A plain TCP connection. Outlived by its poller.
class PlainChannel final : public Channel {
public:
    /// Takes over a connected, non-blocking descriptor.
    PlainChannel(Poller &poller, int descriptor, ChannelUser &user);
    ~PlainChannel() override;
    PlainChannel(const PlainChannel &) = delete;
    PlainChannel &operator=(const PlainChannel &) = delete;

    std::size_t send(std::string_view bytes) override;
    void endOutput() override;
    void close() override;
    void reset() override;
    void setReading(bool reading) override;

private:
    friend class Poller;
    void handle(unsigned events);
    void watch();

    Poller &m_poller;
    ChannelUser &m_user;
    int m_descriptor;
    bool m_reading = true;
    bool m_peerEnded = false;
    bool m_blocked = false; ///< the peer does not read: told when it does
    unsigned m_watched = 0;
};

} // namespace throttlescope::http
