// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/listeners.h"

#include <QSslServer>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace throttlescope::http {

namespace {

constexpr int kBacklog = 4096;
constexpr int kTriesForAPort = 50;

class PlainServer final : public QTcpServer {
public:
    explicit PlainServer(const Listeners &listeners)
        : m_listeners(listeners)
    {
    }

protected:
    void incomingConnection(qintptr handle) override
    {
        const int descriptor = static_cast<int>(handle);
        fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
        m_listeners.onPlain(descriptor);
    }

private:
    const Listeners &m_listeners;
};

bool isMissing(const QTcpServer &server)
{
    return server.serverError() == QAbstractSocket::SocketAddressNotAvailableError
        || server.serverError() == QAbstractSocket::UnsupportedSocketOperationError;
}

} // namespace

Listeners::Listeners(std::vector<QHostAddress> addresses, std::optional<QSslConfiguration> tls, QObject *parent)
    : QObject(parent)
    , m_addresses(std::move(addresses))
    , m_tls(std::move(tls))
{
}

Listeners::~Listeners()
{
    releaseHeld();
}

std::unique_ptr<QTcpServer> Listeners::makeServer()
{
    std::unique_ptr<QTcpServer> server;
    if (m_tls) {
        auto secure = std::make_unique<QSslServer>();
        secure->setSslConfiguration(*m_tls);
        secure->setMaxPendingConnections(kBacklog);
        QSslServer *accepting = secure.get();
        connect(accepting, &QTcpServer::pendingConnectionAvailable, this, [this, accepting] {
            while (QTcpSocket *socket = accepting->nextPendingConnection()) {
                socket->setParent(nullptr);
                onTls(std::unique_ptr<QSslSocket>{qobject_cast<QSslSocket *>(socket)});
            }
        });
        server = std::move(secure);
    } else {
        server = std::make_unique<PlainServer>(*this);
    }
    server->setListenBacklogSize(kBacklog);
    return server;
}

bool Listeners::listenOnce(quint16 port)
{
    m_servers.clear();
    m_bound.clear();
    m_port = port;
    for (const QHostAddress &address : m_addresses) {
        auto server = makeServer();
        if (server->listen(address, m_port)) {
            m_port = server->serverPort();
            m_bound.push_back(address);
            m_servers.push_back(std::move(server));
        } else if (!isMissing(*server) || (address == m_addresses.back() && m_bound.empty())) {
            m_error = QStringLiteral("port %1 of %2: %3").arg(m_port).arg(address.toString(), server->errorString());
            m_servers.clear();
            return false;
        }
    }
    return true;
}

bool Listeners::listen(quint16 port)
{
    for (int tries = port == 0 ? kTriesForAPort : 1; tries > 0; --tries) {
        if (listenOnce(port))
            return true; // a free port of IPv4 may be taken on IPv6: another one then
    }
    return false;
}

void Listeners::close()
{
    m_servers.clear();
    for (const QHostAddress &address : m_bound)
        hold(address);
}

bool Listeners::reopen()
{
    const bool open = listenOnce(m_port);
    releaseHeld();
    return open;
}

/// A bound socket that never listens: connecting meets a reset, and the port stays ours.
void Listeners::hold(const QHostAddress &address)
{
    const bool v4 = address.protocol() == QAbstractSocket::IPv4Protocol;
    const int descriptor = ::socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return;
    const int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_storage bytes{};
    socklen_t size = 0;
    if (v4) {
        auto *to = reinterpret_cast<sockaddr_in *>(&bytes);
        to->sin_family = AF_INET;
        to->sin_port = htons(m_port);
        to->sin_addr.s_addr = htonl(address.toIPv4Address());
        size = sizeof *to;
    } else {
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
        auto *to = reinterpret_cast<sockaddr_in6 *>(&bytes);
        to->sin6_family = AF_INET6;
        to->sin6_port = htons(m_port);
        const Q_IPV6ADDR raw = address.toIPv6Address();
        std::memcpy(&to->sin6_addr, &raw, sizeof raw);
        size = sizeof *to;
    }
    if (::bind(descriptor, reinterpret_cast<const sockaddr *>(&bytes), size) == 0)
        m_held.push_back(descriptor);
    else
        ::close(descriptor);
}

void Listeners::releaseHeld()
{
    for (const int descriptor : m_held)
        ::close(descriptor);
    m_held.clear();
}

} // namespace throttlescope::http
