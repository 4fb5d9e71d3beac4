// SPDX-License-Identifier: Apache-2.0
#include "core/net/driver.h"
#include "core/net/reply_outcome.h"
#include "core/net/upload.h"

#include <QNetworkAccessManager>
#include <QNetworkCookie>
#include <QNetworkCookieJar>
#include <QNetworkReply>

#include <algorithm>

/// The way of a request: out, what comes back, and what is given up.
namespace throttlescope::net {

namespace {

/// Keeps nothing, gives nothing.
class NoCookies final : public QNetworkCookieJar {
public:
    using QNetworkCookieJar::QNetworkCookieJar;
    QList<QNetworkCookie> cookiesForUrl(const QUrl &) const override { return {}; }
    bool setCookiesFromUrl(const QList<QNetworkCookie> &, const QUrl &) override { return false; }
};

/// Keeps a body's device as long as its reply.
class Keeper final : public QObject {
public:
    Keeper(std::shared_ptr<QIODevice> device, QNetworkReply *reply)
        : QObject(reply)
        , m_device(std::move(device))
    {
    }

private:
    std::shared_ptr<QIODevice> m_device;
};

QNetworkAccessManager *newManager(QObject *parent)
{
    auto *manager = new QNetworkAccessManager{parent};
    manager->setCookieJar(new NoCookies{manager});
    manager->setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
    return manager;
}

constexpr int kSweep = 50; ///< milliseconds

void setHeaders(QNetworkRequest &request, const Headers &headers)
{
    for (const HeaderField &header : headers) {
        const QByteArray name = QByteArray::fromStdString(header.name);
        const QByteArray value = QByteArray::fromStdString(header.value);
        request.setRawHeader(name, request.hasRawHeader(name) ? request.rawHeader(name) + ", " + value : value);
    }
}

/// Qt repeats a request without a body by itself when a kept-alive connection closes early. Where that would change nothing
/// it may, and is seen; anything else goes out with an empty body that cannot be had twice. HEAD cannot have one (Qt would
/// wait for the answer's), and has no effect either way.
bool mayBeRepeated(const NetCall &call)
{
    const bool safeMethod = call.method == "GET" || call.method == "OPTIONS"; // RFC 9110 9.2.1
    return call.method == "HEAD" || (safeMethod && call.replay == ReplayRule::Safe);
}

} // namespace

void Driver::send(Slot slot, const Send &send)
{
    Operation &operation = *m_operations[slot];
    operation.attempt = {nullptr, static_cast<const NetCall *>(&operation.execution.currentCall()), send.attempt};
    m_due.set(slot, send.deadline);
    QNetworkReply *reply = startReply(operation);
    if (!reply) { // the body's device was not to be had
        m_nextTurns.emplace_back([this, slot, id = operation.id, number = send.attempt] {
            if (m_operations[slot] && m_operations[slot]->id == id && m_operations[slot]->attempt.number == number)
                answer(slot, TransportFailure{TransportFailureKind::Other});
        });
        return;
    }
    ++m_attemptsSent;
    operation.attempt.reply = reply;
    connect(reply, &QNetworkReply::requestSent, this, [this, slot, reply] { requestSent(slot, reply); });
    connect(reply, &QNetworkReply::finished, this, [this, slot, reply] { turn([this, slot, reply] { replyFinished(slot, reply); }); });
    if (operation.attempt.call->streaming)
        connect(reply, &QIODevice::readyRead, this, [this, slot, reply] { turn([this, slot, reply] { bodyArrived(slot, reply); }); });
    if (!m_sweep.isActive())
        m_sweep.start(kSweep, this);
}

QNetworkReply *Driver::startReply(const Operation &operation)
{
    const Attempt &attempt = operation.attempt;
    const NetCall &call = *attempt.call;
    QNetworkRequest request{call.url};
    setHeaders(request, call.headers);
    if (!findHeader(call.headers, "User-Agent"))
        request.setRawHeader("User-Agent", m_userAgent);
    // Qt unpacks what it asked for itself, and then no longer tells a body that stopped short from a whole one.
    if (!findHeader(call.headers, "Accept-Encoding"))
        request.setRawHeader("Accept-Encoding", "identity");
    if (m_attemptHeader) {
        const bool isFallback = attempt.call != operation.call.get();
        request.setRawHeader("X-Throttlescope-Attempt",
            QByteArray::number(operation.id) + (isFallback ? ".fallback." : ".") + QByteArray::number(attempt.number));
    }
    if (call.url.scheme() == QLatin1String("https")) {
        request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
        if (m_tls)
            request.setSslConfiguration(*m_tls);
    }

    QNetworkAccessManager &network = manager(call);
    const std::string &method = call.method;
    const bool hasBody = !std::holds_alternative<std::monostate>(call.body);
    if (!hasBody && mayBeRepeated(call)) {
        if (method == "GET")
            return network.get(request);
        return method == "HEAD" ? network.head(request) : network.sendCustomRequest(request, QByteArray::fromStdString(method));
    }
    std::shared_ptr<QIODevice> device = uploadOf(hasBody ? call.body : Body{QByteArray{}});
    if (!device)
        return nullptr;
    QNetworkReply *reply = network.sendCustomRequest(request, QByteArray::fromStdString(method), device.get());
    new Keeper{std::move(device), reply};
    return reply;
}

/// Each has a thread of Qt's, which a peer that never ends its header keeps busy: hosts share one only where they are many.
QNetworkAccessManager &Driver::manager(const NetCall &call)
{
    const auto *connections = static_cast<const HostConnections *>(call.connections.get()); // the book makes no others
    QNetworkAccessManager *&manager = connections ? m_managers[connections->manager] : m_probeManager;
    if (!manager)
        manager = newManager(this);
    return *manager;
}

bool Driver::underWay(Slot slot, const QNetworkReply *reply) const
{
    return m_operations[slot] && m_operations[slot]->attempt.reply == reply;
}

/// Qt says so each time; the second time it has repeated the request behind the engine's back.
void Driver::requestSent(Slot slot, const QNetworkReply *reply)
{
    if (!underWay(slot, reply))
        return;
    const Operation &operation = *m_operations[slot];
    const std::uint32_t times = ++m_operations[slot]->attempt.timesSent;
    if (times < 2)
        return;
    ++m_resends;
    m_recorder.record({0, now(), operation.id, operation.call->operation, operation.attempt.call->server, operation.attempt.number,
        journal::TransportResent{times}});
}

void Driver::handOn(Operation &operation, const QByteArray &bytes)
{
    if (bytes.isEmpty())
        return;
    operation.attempt.handedOn += static_cast<std::uint64_t>(bytes.size());
    (*operation.attempt.call->onBody)(bytes);
}

void Driver::bodyArrived(Slot slot, QNetworkReply *reply)
{
    if (underWay(slot, reply) && statusOf(*reply).value_or(400) < 400)
        handOn(*m_operations[slot], reply->readAll());
}

/// A body that grows over its bound is not waited for. Looked at now and then: a signal for each piece of each body would cost
/// every request a tenth.
void Driver::sweepBodies()
{
    bool any = false;
    for (Slot slot = 0; slot < m_operations.size(); ++slot) {
        QNetworkReply *reply = m_operations[slot] ? m_operations[slot]->attempt.reply : nullptr;
        any = any || reply;
        if (reply && static_cast<std::uint64_t>(reply->bytesAvailable()) > m_largestBody)
            breakOff(slot, reply);
    }
    if (!any)
        m_sweep.stop();
}

void Driver::breakOff(Slot slot, QNetworkReply *reply)
{
    Operation &operation = *m_operations[slot];
    Outcome outcome = outcomeOf(*reply, operation.attempt.handedOn, m_largestBody);
    operation.attempt.reply = nullptr;
    reply->disconnect(this);
    reply->abort();
    reply->deleteLater();
    answer(slot, std::move(outcome));
}

void Driver::replyFinished(Slot slot, QNetworkReply *reply)
{
    if (!underWay(slot, reply))
        return;
    Operation &operation = *m_operations[slot];
    if (operation.attempt.call->streaming)
        bodyArrived(slot, reply);
    Outcome outcome = outcomeOf(*reply, operation.attempt.handedOn, m_largestBody);
    operation.attempt.reply = nullptr;
    reply->deleteLater();
    answer(slot, std::move(outcome));
}

void Driver::answer(Slot slot, Outcome &&outcome)
{
    Operation &operation = *m_operations[slot];
    operation.lastOutcome = std::move(outcome);
    feed(slot, Answered{operation.lastOutcome});
}

/// The operation went on without the answer: its time was up, or it was cancelled.
void Driver::giveUp(Operation &operation)
{
    QNetworkReply *reply = std::exchange(operation.attempt.reply, nullptr);
    if (!reply)
        return;
    operation.lastOutcome = TransportFailure{TransportFailureKind::AttemptTimeout};
    operation.attempt.givenUp = true;
    reply->disconnect(this);
    reply->abort();
    reply->deleteLater();
}

} // namespace throttlescope::net
