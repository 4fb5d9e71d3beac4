// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/http/scenario_server.h"
#include "simulator/scenario/loader.h"

#include <QByteArray>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTest>
#include <arpa/inet.h>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/// A bare socket against a server in the same thread: the event loop turns while the test waits for bytes.
namespace throttlescope::http::test {

class Peer {
public:
    enum class Seen { Open, End, Reset };

    explicit Peer(std::uint16_t port, bool ipv6 = false)
        : m_descriptor(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        v6.sin6_addr = in6addr_loopback;
        const auto *address = ipv6 ? reinterpret_cast<const sockaddr *>(&v6) : reinterpret_cast<const sockaddr *>(&v4);
        m_connected = ::connect(m_descriptor, address, ipv6 ? sizeof v6 : sizeof v4) == 0; // the kernel answers for the listener
        fcntl(m_descriptor, F_SETFL, fcntl(m_descriptor, F_GETFL) | O_NONBLOCK);
    }
    ~Peer() { ::close(m_descriptor); }
    Peer(const Peer &) = delete;
    Peer &operator=(const Peer &) = delete;

    bool connected() const { return m_connected; }
    /// What the socket takes without waiting, turn by turn of the event loop.
    void send(QByteArray bytes)
    {
        QElapsedTimer timer;
        timer.start();
        while (!bytes.isEmpty() && timer.elapsed() < 10'000) {
            const ssize_t sent = ::send(m_descriptor, bytes.constData(), static_cast<std::size_t>(bytes.size()), MSG_NOSIGNAL);
            if (sent > 0)
                bytes.remove(0, sent);
            else if (errno != EAGAIN)
                return;
            QCoreApplication::processEvents();
        }
    }
    void endOutput() { ::shutdown(m_descriptor, SHUT_WR); }
    void reset()
    {
        const linger abortive{1, 0};
        setsockopt(m_descriptor, SOL_SOCKET, SO_LINGER, &abortive, sizeof abortive);
        ::close(m_descriptor);
        m_descriptor = -1;
    }
    /// Turns the event loop until it holds; false after `milliseconds`.
    bool until(const std::function<bool()> &holds, int milliseconds = 10'000)
    {
        QElapsedTimer timer;
        timer.start();
        while (!holds()) {
            if (timer.elapsed() > milliseconds)
                return false;
            QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
            read();
        }
        return true;
    }
    bool untilHas(const QByteArray &text, int milliseconds = 10'000)
    {
        return until([&] { return m_received.contains(text); }, milliseconds);
    }
    bool untilEnded(int milliseconds = 10'000)
    {
        return until([this] { return m_seen != Seen::Open; }, milliseconds);
    }
    /// Takes what has come so far.
    void look() { read(); }
    Seen seen() const { return m_seen; }
    const QByteArray &received() const { return m_received; }
    void forget() { m_received.clear(); }
    /// "200 429 200": the statuses received so far, in order.
    QByteArray statuses() const
    {
        QByteArray all;
        for (qsizetype at = 0; (at = m_received.indexOf("HTTP/1.1 ", at)) >= 0; at += 9) {
            const QByteArray status = m_received.mid(at + 9, 3);
            if (status.toInt() > 0)
                all += (all.isEmpty() ? "" : " ") + status;
        }
        return all;
    }

private:
    void read()
    {
        char bytes[65536];
        while (m_seen == Seen::Open) {
            const ssize_t count = ::recv(m_descriptor, bytes, sizeof bytes, 0);
            if (count > 0)
                m_received.append(bytes, count);
            else if (count == 0)
                m_seen = Seen::End;
            else if (errno == EAGAIN)
                return;
            else
                m_seen = Seen::Reset;
        }
    }

    int m_descriptor;
    bool m_connected = false;
    Seen m_seen = Seen::Open;
    QByteArray m_received;
};

inline Scenario scenarioOf(const std::string &text)
{
    auto loaded = loadScenarioText(text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().front().format().c_str());
    return serverSide(loaded->scenario).scenario;
}

/// A server 'api' of these lines (indented by four), and one row for everything.
inline std::string apiWith(const std::string &lines, const std::string &rest = {})
{
    return "throttlescope: 1\nservers:\n  api:\n" + lines + "\nworkload:\n  - {operation: call, server: api, arrivals: {batch: 1}}\n"
        + rest;
}

/// A listening server.
class Served {
public:
    explicit Served(const std::string &yaml, ServeOptions options = {})
        : server(scenarioOf(yaml), std::move(options))
    {
        if (const auto error = server.listen())
            qFatal("%s", error->c_str());
    }
    std::uint16_t port() const { return server.endpoints().front().port; }

    ScenarioServer server;
};

inline QByteArray get(const QByteArray &path = "/", const QByteArray &fields = {})
{
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

} // namespace throttlescope::http::test
