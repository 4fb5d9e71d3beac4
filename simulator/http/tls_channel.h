// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/http/channel.h"

#include <QObject>
#include <QSslSocket>
#include <memory>

namespace throttlescope::http {

/// A TLS connection whose handshake is done.
class TlsChannel final : public QObject, public Channel {
    Q_OBJECT

public:
    TlsChannel(std::unique_ptr<QSslSocket> socket, ChannelUser &user);
    ~TlsChannel() override;

    /// Hands on what came with the handshake. Once, when the user is ready.
    void start();

    std::size_t send(std::string_view bytes) override;
    void endOutput() override;
    void close() override;
    void reset() override;
    void setReading(bool reading) override;

private:
    void read();
    void drained();
    void gone();

    std::unique_ptr<QSslSocket> m_socket;
    ChannelUser &m_user;
    bool m_reading = true;
    bool m_blocked = false;
    bool m_over = false;
};

} // namespace throttlescope::http
