// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHostAddress>
#include <QObject>
#include <QSslConfiguration>
#include <QSslSocket>
#include <QTcpServer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace throttlescope::http {

/// The listening sockets of one server: IPv4 and IPv6 loopback on the same port, or one address that was asked for.
class Listeners final : public QObject {
    Q_OBJECT

public:
    /// `tls` null: plain.
    Listeners(std::vector<QHostAddress> addresses, std::optional<QSslConfiguration> tls, QObject *parent = nullptr);
    ~Listeners() override;

    /// Port 0: any free one, the same for all addresses. An address that the machine does not have is left out, unless none
    /// is left. False: `error()` says why. Once.
    bool listen(quint16 port);
    quint16 port() const { return m_port; }
    const QString &error() const { return m_error; }
    const std::vector<QHostAddress> &addresses() const { return m_bound; }

    /// Connecting is refused until `reopen`; nobody else gets the port meanwhile.
    void close();
    /// False: `error()` says why, and connecting is still refused.
    bool reopen();
    bool isOpen() const { return !m_servers.empty(); }

    std::function<void(int descriptor)> onPlain; ///< takes over a connected descriptor
    std::function<void(std::unique_ptr<QSslSocket>)> onTls; ///< after the handshake

private:
    std::unique_ptr<QTcpServer> makeServer();
    bool bindAll(quint16 port);
    bool failed(const QHostAddress &address, int code);
    void release();

    std::vector<QHostAddress> m_addresses;
    std::vector<QHostAddress> m_bound;
    std::vector<int> m_sockets; ///< of `m_bound`; bound from first to last, so that the port stays ours
    std::optional<QSslConfiguration> m_tls;
    std::vector<std::unique_ptr<QTcpServer>> m_servers; ///< accept from duplicates of `m_sockets`
    quint16 m_port = 0;
    QString m_error;
};

} // namespace throttlescope::http
