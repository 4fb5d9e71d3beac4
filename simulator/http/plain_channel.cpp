// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/plain_channel.h"

#include <cerrno>
#include <chrono>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace throttlescope::http {

namespace {

constexpr int kEventsAtOnce = 256;
/// Before Qt's event loop, its timers and the listening sockets, get their turn.
constexpr auto kLongestStay = std::chrono::milliseconds{2};

} // namespace

Poller::Poller(QObject *parent)
    : QObject(parent)
    , m_epoll(epoll_create1(EPOLL_CLOEXEC))
{
    if (m_epoll < 0)
        throw std::system_error{errno, std::generic_category(), "epoll"};
    m_notifier = std::make_unique<QSocketNotifier>(m_epoll, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &Poller::poll);
}

Poller::~Poller()
{
    m_notifier.reset();
    ::close(m_epoll);
}

/// While requests come one after the other it stays here: a turn of Qt's loop costs as much as a request.
void Poller::poll()
{
    std::array<epoll_event, kEventsAtOnce> events;
    const auto until = std::chrono::steady_clock::now() + kLongestStay;
    int count = epoll_wait(m_epoll, events.data(), kEventsAtOnce, 0);
    while (count > 0) {
        for (int i = 0; i < count; ++i) {
            const epoll_event event = events[static_cast<std::size_t>(i)];
            static_cast<PlainChannel *>(event.data.ptr)->handle(event.events);
        }
        const bool idleElsewhere = onBatchDone();
        if (std::chrono::steady_clock::now() >= until)
            return;
        count = epoll_wait(m_epoll, events.data(), kEventsAtOnce, idleElsewhere ? 1 : 0);
    }
}

PlainChannel::PlainChannel(Poller &poller, int descriptor, ChannelUser &user)
    : m_poller(poller)
    , m_user(user)
    , m_descriptor(descriptor)
{
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event{};
    event.events = m_watched = EPOLLIN | EPOLLRDHUP;
    event.data.ptr = this;
    epoll_ctl(m_poller.m_epoll, EPOLL_CTL_ADD, m_descriptor, &event);
}

PlainChannel::~PlainChannel()
{
    close();
}

void PlainChannel::watch()
{
    const unsigned wanted = (m_reading && !m_peerEnded ? EPOLLIN | EPOLLRDHUP : 0U) | (m_blocked ? EPOLLOUT : 0U);
    if (wanted == m_watched || m_descriptor < 0)
        return;
    epoll_event event{};
    event.events = m_watched = wanted;
    event.data.ptr = this;
    epoll_ctl(m_poller.m_epoll, EPOLL_CTL_MOD, m_descriptor, &event);
}

/// May be called for a channel that was closed earlier in the same batch.
void PlainChannel::handle(unsigned events)
{
    if (m_descriptor >= 0 && (events & (EPOLLERR | EPOLLHUP)) != 0 && m_peerEnded)
        return m_user.broken();
    if (m_descriptor >= 0 && (events & EPOLLERR) != 0)
        return m_user.broken();
    if (m_descriptor >= 0 && (events & EPOLLOUT) != 0 && m_blocked) {
        m_blocked = false;
        m_user.writable();
        watch();
    }
    if (m_descriptor < 0 || (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) == 0 || m_peerEnded || !m_reading)
        return;
    const ssize_t count = ::recv(m_descriptor, m_poller.m_buffer.data(), m_poller.m_buffer.size(), 0);
    if (count > 0)
        return m_user.received({m_poller.m_buffer.data(), static_cast<std::size_t>(count)});
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count < 0)
        return m_user.broken();
    m_peerEnded = true;
    watch();
    m_user.peerEnded();
}

std::size_t PlainChannel::send(std::string_view bytes)
{
    std::size_t sent = 0;
    while (sent < bytes.size() && m_descriptor >= 0 && !m_blocked) {
        const ssize_t count = ::send(m_descriptor, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (count > 0)
            sent += static_cast<std::size_t>(count);
        else if (errno != EINTR)
            m_blocked = true; // a broken connection is told by EPOLLERR or EPOLLHUP, whatever is watched
    }
    watch();
    return sent;
}

void PlainChannel::endOutput()
{
    if (m_descriptor >= 0)
        ::shutdown(m_descriptor, SHUT_WR);
}

void PlainChannel::close()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    m_descriptor = -1;
}

void PlainChannel::reset()
{
    if (m_descriptor < 0)
        return;
    const linger abortive{1, 0};
    setsockopt(m_descriptor, SOL_SOCKET, SO_LINGER, &abortive, sizeof abortive);
    close();
}

void PlainChannel::setReading(bool reading)
{
    m_reading = reading;
    watch();
}

} // namespace throttlescope::http
