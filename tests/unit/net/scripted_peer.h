// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHostAddress>
#include <QList>
#include <QPointer>
#include <QTcpServer>
#include <QTcpSocket>
#include <QUrl>

#include <algorithm>
#include <functional>
#include <sys/socket.h>

/// An HTTP/1.1 peer on the loopback that does with each request what a test says, however rude.
namespace throttlescope::testing {

struct PeerRequest {
    QByteArray wire; ///< as it came, head and body
    QByteArray method, target, body;
    int connection = 0; ///< its number, from 1
    int nth = 0; ///< of all requests, from 1

    QByteArray header(const QByteArray &name) const
    {
        for (const QByteArray &line : wire.left(wire.indexOf("\r\n\r\n")).split('\n')) {
            if (line.toLower().startsWith(name.toLower() + ':'))
                return line.mid(name.size() + 1).trimmed();
        }
        return {};
    }
};

struct PeerReply {
    enum class Then { KeepOpen, Close, Reset };
    QByteArray bytes; ///< of the wire; empty: nothing is said
    Then then = Then::KeepOpen;
    bool held = false; ///< until releaseHeld()
};

inline PeerReply respond(int status, const QByteArray &headers = {}, const QByteArray &body = {})
{
    return {"HTTP/1.1 " + QByteArray::number(status) + " Said\r\n" + headers + "Content-Length: " + QByteArray::number(body.size())
        + "\r\n\r\n" + body};
}
inline PeerReply silence()
{
    return {};
}
inline PeerReply reset(const QByteArray &after = {})
{
    return {after, PeerReply::Then::Reset};
}
inline PeerReply closed(const QByteArray &after = {})
{
    return {after, PeerReply::Then::Close};
}
inline PeerReply held(PeerReply reply)
{
    reply.held = true;
    return reply;
}

class ScriptedPeer : public QTcpServer {
public:
    using Script = std::function<PeerReply(const PeerRequest &)>;

    explicit ScriptedPeer(Script script = [](const PeerRequest &) { return respond(200); })
        : m_script(std::move(script))
    {
        listen(QHostAddress::LocalHost);
        connect(this, &QTcpServer::newConnection, this, &ScriptedPeer::takeConnections);
    }
    /// One after the other, the last one again and again.
    explicit ScriptedPeer(QList<PeerReply> replies)
        : ScriptedPeer([replies = std::move(replies)](
                           const PeerRequest &request) { return replies[std::min<qsizetype>(request.nth, replies.size()) - 1]; })
    {
    }

    QUrl url(const QString &path = QStringLiteral("/x")) const
    {
        return QUrl{QStringLiteral("http://127.0.0.1:%1%2").arg(serverPort()).arg(path)};
    }
    void setScript(Script script) { m_script = std::move(script); }
    const QList<PeerRequest> &requests() const { return m_requests; }
    int connections() const { return m_connections; }
    int open() const { return m_open; } ///< requests not answered
    int mostOpen() const { return m_mostOpen; }

    void releaseHeld()
    {
        for (const auto &[socket, reply] : std::exchange(m_held, {})) {
            if (socket)
                say(socket, reply);
        }
    }
    void releaseOne()
    {
        const auto [socket, reply] = m_held.takeFirst();
        if (socket)
            say(socket, reply);
    }
    /// On the connection that was spoken to last.
    void sayMore(const QByteArray &bytes) { m_spokenTo->write(bytes); }
    qsizetype heldRequests() const { return m_held.size(); }

private:
    void takeConnections()
    {
        while (QTcpSocket *socket = nextPendingConnection()) {
            auto read = std::make_shared<QByteArray>();
            const int connection = ++m_connections;
            connect(socket, &QTcpSocket::readyRead, this, [this, socket, read, connection] {
                read->append(socket->readAll());
                while (takeRequest(socket, *read, connection)) { }
            });
            connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        }
    }

    bool takeRequest(QTcpSocket *socket, QByteArray &read, int connection)
    {
        const qsizetype headEnd = read.indexOf("\r\n\r\n");
        if (headEnd < 0)
            return false;
        PeerRequest request{read.left(headEnd + 4), {}, {}, {}, connection, 0};
        const qsizetype length = request.header("Content-Length").toLongLong();
        if (read.size() < headEnd + 4 + length)
            return false;
        request.body = read.mid(headEnd + 4, length);
        request.wire += request.body;
        read.remove(0, headEnd + 4 + length);
        const auto words = request.wire.left(request.wire.indexOf('\r')).split(' ');
        request.method = words.value(0);
        request.target = words.value(1);
        request.nth = static_cast<int>(m_requests.size()) + 1;
        m_requests.push_back(request);
        m_mostOpen = std::max(m_mostOpen, ++m_open);
        const PeerReply reply = m_script(request);
        if (reply.held)
            m_held.append({socket, reply});
        else
            say(socket, reply);
        return socket->state() == QAbstractSocket::ConnectedState;
    }

    void say(QTcpSocket *socket, const PeerReply &reply)
    {
        m_spokenTo = socket;
        if (!reply.bytes.isEmpty())
            socket->write(reply.bytes);
        if (!reply.bytes.isEmpty() || reply.then != PeerReply::Then::KeepOpen)
            --m_open;
        switch (reply.then) {
        case PeerReply::Then::KeepOpen: break;
        case PeerReply::Then::Close: socket->disconnectFromHost(); break;
        case PeerReply::Then::Reset: {
            socket->flush();
            const linger rst{1, 0};
            ::setsockopt(static_cast<int>(socket->socketDescriptor()), SOL_SOCKET, SO_LINGER, &rst, sizeof rst);
            socket->abort();
            break;
        }
        }
    }

    Script m_script;
    QList<PeerRequest> m_requests;
    QList<std::pair<QPointer<QTcpSocket>, PeerReply>> m_held;
    QPointer<QTcpSocket> m_spokenTo;
    int m_connections = 0;
    int m_open = 0;
    int m_mostOpen = 0;
};

} // namespace throttlescope::testing
