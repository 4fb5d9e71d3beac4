// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/tls_channel.h"

#include <sys/socket.h>

namespace throttlescope::http {

namespace {

constexpr qint64 kBuffered = 256 * 1024; ///< bytes that were read from the network
constexpr qint64 kQueued = 64 * 1024; ///< bytes that wait for a slow reader, beside what the connection holds

} // namespace

TlsChannel::TlsChannel(std::unique_ptr<QSslSocket> socket, ChannelUser &user)
    : m_socket(std::move(socket))
    , m_user(user)
{
    m_socket->setReadBufferSize(kBuffered);
    connect(m_socket.get(), &QSslSocket::readyRead, this, &TlsChannel::read);
    connect(m_socket.get(), &QSslSocket::encryptedBytesWritten, this, &TlsChannel::drained);
    connect(m_socket.get(), &QSslSocket::disconnected, this, &TlsChannel::gone);
}

TlsChannel::~TlsChannel()
{
    m_over = true;
    m_socket->disconnect(this);
    m_socket->abort();
}

void TlsChannel::start()
{
    read();
    if (!m_over && m_socket->state() != QAbstractSocket::ConnectedState)
        gone();
}

void TlsChannel::read()
{
    while (m_reading && !m_over && m_socket->bytesAvailable() > 0) {
        const QByteArray bytes = m_socket->read(kBuffered);
        m_user.received({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    }
}

void TlsChannel::drained()
{
    if (m_over || !m_blocked || m_socket->bytesToWrite() + m_socket->encryptedBytesToWrite() > 0)
        return;
    m_blocked = false;
    m_user.writable();
}

void TlsChannel::gone()
{
    if (!m_over)
        m_user.broken();
}

std::size_t TlsChannel::send(std::string_view bytes)
{
    if (m_over || m_blocked)
        return 0;
    const qint64 room = kQueued - m_socket->bytesToWrite() - m_socket->encryptedBytesToWrite();
    const qint64 wanted = std::min<qint64>(room, static_cast<qint64>(bytes.size()));
    const qint64 taken = wanted > 0 ? std::max<qint64>(0, m_socket->write(bytes.data(), wanted)) : 0;
    m_socket->flush();
    m_blocked = taken < static_cast<qint64>(bytes.size());
    return static_cast<std::size_t>(taken);
}

void TlsChannel::endOutput()
{
    if (!m_over)
        m_socket->disconnectFromHost(); // after what is written; QSslSocket knows no half-closed stream
}

void TlsChannel::close()
{
    if (m_over)
        return;
    m_over = true;
    m_socket->disconnect(this);
    m_socket->disconnectFromHost();
}

void TlsChannel::reset()
{
    if (m_over)
        return;
    m_over = true;
    m_socket->disconnect(this);
    const linger abortive{1, 0};
    setsockopt(static_cast<int>(m_socket->socketDescriptor()), SOL_SOCKET, SO_LINGER, &abortive, sizeof abortive);
    m_socket->abort();
}

void TlsChannel::setReading(bool reading)
{
    m_reading = reading;
    if (reading)
        QMetaObject::invokeMethod(this, &TlsChannel::read, Qt::QueuedConnection);
}

} // namespace throttlescope::http
