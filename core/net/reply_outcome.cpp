// SPDX-License-Identifier: Apache-2.0
#include "core/net/reply_outcome.h"

#include <QNetworkAccessManager>
#include <QNetworkReply>

namespace throttlescope::net {

namespace {

TransportFailureKind kindOf(QNetworkReply::NetworkError error)
{
    switch (error) {
    case QNetworkReply::ConnectionRefusedError: return TransportFailureKind::ConnectionRefused;
    // ContentReSendError: closed before an answer, and the body was not to be sent again (SendOnce).
    case QNetworkReply::RemoteHostClosedError:
    case QNetworkReply::ContentReSendError: return TransportFailureKind::ConnectionReset;
    case QNetworkReply::HostNotFoundError: return TransportFailureKind::NameNotResolved;
    case QNetworkReply::SslHandshakeFailedError: return TransportFailureKind::Tls;
    default: return TransportFailureKind::Other; // Qt's list is open
    }
}

/// Did the answer itself break off? From 400 on Qt names the status itself as an error.
bool brokeOff(int status, QNetworkReply::NetworkError error)
{
    if (error == QNetworkReply::NoError)
        return false;
    const bool ofConnection = error < QNetworkReply::ProxyConnectionRefusedError;
    const bool ofProtocol = error == QNetworkReply::ProtocolFailure || error == QNetworkReply::ContentReSendError;
    return status < 400 || ofConnection || ofProtocol;
}

/// Shorter than the length it was announced with (RFC 9110 8.6): Qt takes a connection that closes together with the last
/// bytes for the end.
bool stoppedShort(const QNetworkReply &reply, int status, std::uint64_t received)
{
    const QByteArray announced = reply.rawHeader("Content-Length");
    const bool hasNoBody = reply.operation() == QNetworkAccessManager::HeadOperation || status == 204 || status == 304;
    if (announced.isEmpty() || hasNoBody)
        return false;
    bool readable = false;
    const qulonglong length = announced.toULongLong(&readable);
    return !readable || received < length; // RFC 9112 6.3: what cannot be read is unrecoverable
}

} // namespace

std::optional<int> statusOf(const QNetworkReply &reply)
{
    const QVariant status = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute);
    return status.isValid() ? std::optional{status.toInt()} : std::nullopt;
}

Outcome outcomeOf(QNetworkReply &reply, std::uint64_t handedOn, std::uint64_t largest)
{
    const auto status = statusOf(reply);
    if (!status)
        return TransportFailure{kindOf(reply.error())};
    Response response;
    response.status = *status;
    const auto &headers = reply.rawHeaderPairs();
    response.headers.reserve(static_cast<std::size_t>(headers.size()));
    for (const auto &[name, value] : headers)
        response.headers.push_back({name.toStdString(), value.toStdString()});
    const bool tooLarge = static_cast<std::uint64_t>(reply.bytesAvailable()) > largest;
    response.body = (tooLarge ? reply.read(static_cast<qint64>(largest)) : reply.readAll()).toStdString();
    response.bytesHandedOn = handedOn;
    response.bodyComplete
        = !tooLarge && !brokeOff(*status, reply.error()) && !stoppedShort(reply, *status, handedOn + response.body.size());
    return response;
}

} // namespace throttlescope::net
