// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/listeners.h"

#include <QNetworkInterface>
#include <QSslServer>
#include <cerrno>
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

/// Others that set it, too, may then bind a port on which nobody listens; who closed connections on it just before, always.
void setReusable(int socket, bool reusable)
{
    const int value = reusable ? 1 : 0;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value);
}

struct SocketAddress {
    sockaddr_storage bytes{};
    socklen_t size = 0;
    const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&bytes); }
};

SocketAddress socketAddress(const QHostAddress &address, quint16 port)
{
    SocketAddress made;
    if (address.protocol() == QAbstractSocket::IPv4Protocol) {
        auto *to = reinterpret_cast<sockaddr_in *>(&made.bytes);
        to->sin_family = AF_INET;
        to->sin_port = htons(port);
        to->sin_addr.s_addr = htonl(address.toIPv4Address());
        made.size = sizeof *to;
    } else {
        auto *to = reinterpret_cast<sockaddr_in6 *>(&made.bytes);
        to->sin6_family = AF_INET6;
        to->sin6_port = htons(port);
        bool isIndex = false;
        to->sin6_scope_id = address.scopeId().toUInt(&isIndex);
        if (!isIndex)
            to->sin6_scope_id = static_cast<std::uint32_t>(QNetworkInterface::interfaceIndexFromName(address.scopeId()));
        const Q_IPV6ADDR raw = address.toIPv6Address();
        std::memcpy(&to->sin6_addr, &raw, sizeof raw);
        made.size = sizeof *to;
    }
    return made;
}

/// The port that a socket is bound to: it stands at one place in both families.
quint16 portOf(int socket)
{
    sockaddr_storage bytes{};
    socklen_t size = sizeof bytes;
    getsockname(socket, reinterpret_cast<sockaddr *>(&bytes), &size);
    return ntohs(reinterpret_cast<const sockaddr_in *>(&bytes)->sin_port);
}

/// A bound socket that does not listen. Negative: none, and errno says why.
int boundSocket(const QHostAddress &address, quint16 port)
{
    const SocketAddress to = socketAddress(address, port);
    const int descriptor = ::socket(to.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return descriptor;
    const int on = 1;
    if (to.bytes.ss_family == AF_INET6)
        setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    setReusable(descriptor, true);
    if (::bind(descriptor, to.get(), to.size) == 0)
        return descriptor;
    const int code = errno;
    ::close(descriptor);
    errno = code;
    return -1;
}

/// A port that was asked for by its number is kept by a socket that stops listening; one that the kernel chose is not.
int socketThatKeepsItsPort(const QHostAddress &address, quint16 port)
{
    if (port != 0)
        return boundSocket(address, port);
    const int chosen = boundSocket(address, 0);
    if (chosen < 0)
        return chosen;
    const int kept = boundSocket(address, portOf(chosen));
    const int code = errno;
    ::close(chosen);
    errno = code;
    return kept;
}

bool isMissing(int code)
{
    return code == EADDRNOTAVAIL || code == EAFNOSUPPORT;
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
    m_servers.clear();
    release();
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
    return server;
}

bool Listeners::bindAll(quint16 port)
{
    release();
    m_port = port;
    for (const QHostAddress &address : m_addresses) {
        const int socket = socketThatKeepsItsPort(address, m_port);
        if (socket >= 0) {
            m_port = portOf(socket);
            m_bound.push_back(address);
            m_sockets.push_back(socket);
        } else if (const int code = errno; !isMissing(code) || (address == m_addresses.back() && m_bound.empty())) {
            return failed(address, code);
        }
    }
    return true;
}

bool Listeners::listen(quint16 port)
{
    for (int tries = port == 0 ? kTriesForAPort : 1; tries > 0; --tries) {
        if (bindAll(port) && reopen())
            return true; // a free port of IPv4 may be taken on IPv6: another one then
    }
    release();
    return false;
}

/// A socket that stops listening meets who connects with a reset, and is still bound.
void Listeners::close()
{
    m_servers.clear();
    for (const int socket : m_sockets) {
        setReusable(socket, false);
        ::shutdown(socket, SHUT_RDWR);
    }
}

bool Listeners::reopen()
{
    if (isOpen())
        return true;
    for (std::size_t i = 0; i < m_sockets.size(); ++i) {
        setReusable(m_sockets[i], true); // connections of before are still on the port
        const int accepting = ::listen(m_sockets[i], kBacklog) == 0 ? fcntl(m_sockets[i], F_DUPFD_CLOEXEC, 0) : -1;
        const int code = errno;
        auto server = makeServer();
        if (accepting < 0 || !server->setSocketDescriptor(accepting)) {
            if (accepting >= 0)
                ::close(accepting);
            close();
            return failed(m_bound[i], code);
        }
        m_servers.push_back(std::move(server));
    }
    return true;
}

bool Listeners::failed(const QHostAddress &address, int code)
{
    m_error = QStringLiteral("port %1 of %2: %3").arg(m_port).arg(address.toString(), QString::fromLocal8Bit(std::strerror(code)));
    return false;
}

void Listeners::release()
{
    for (const int socket : m_sockets)
        ::close(socket);
    m_sockets.clear();
    m_bound.clear();
}

} // namespace throttlescope::http
