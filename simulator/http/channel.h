// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace throttlescope::http {

/// What a channel tells the connection at its end. Never called from within a call to the channel.
class ChannelUser {
public:
    virtual ~ChannelUser() = default;
    virtual void received(std::string_view bytes) = 0;
    /// The peer sends no more; it may still read.
    virtual void peerEnded() = 0;
    /// Taken up again after `send` took less than it was given.
    virtual void writable() = 0;
    /// The connection is gone: reset by the peer, or broken.
    virtual void broken() = 0;
};

/// One end of a byte stream: plain or TLS. After `close` or `reset` it tells nothing more.
class Channel {
public:
    virtual ~Channel() = default;
    /// Takes what it can; where that is less than all, `writable` is told later.
    virtual std::size_t send(std::string_view bytes) = 0;
    /// No more will be sent: the peer sees the end of the stream (FIN), and we still read.
    virtual void endOutput() = 0;
    virtual void close() = 0;
    /// The peer sees a reset (RST), and what was not yet delivered is lost.
    virtual void reset() = 0;
    /// Whether more is read; what comes meanwhile waits in the kernel.
    virtual void setReading(bool reading) = 0;
};

} // namespace throttlescope::http
