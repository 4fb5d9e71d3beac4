// SPDX-License-Identifier: Apache-2.0
#include "core/net/client.h"

#include "core/net/driver.h"

#include <QThread>

namespace throttlescope::net {

Client::Client(ClientOptions options, QObject *parent)
    : QObject(parent)
    , m_driver(std::make_unique<Driver>(std::move(options)))
{
    m_driver->setParent(this); // a child like any other, to whoever looks for children
}

Client::~Client() = default;

QFuture<Result> Client::send(Request request)
{
    for (const Request *each = &request; each; each = each->fallback.get()) {
        if (const auto *device = std::get_if<std::shared_ptr<QIODevice>>(&each->body); device && *device)
            (*device)->moveToThread(thread());
    }
    QPromise<Result> promise;
    promise.start();
    QFuture<Result> future = promise.future();
    m_driver->handOver(Submission{std::move(request), std::move(promise)});
    return future;
}

void Client::replacePolicy(std::shared_ptr<const Policy> policy, std::string json)
{
    m_driver->handOver(Replacement{std::move(policy), std::move(json)});
}

std::uint64_t Client::seed() const
{
    return m_driver->seed();
}

Now Client::now() const
{
    return m_driver->now();
}

void Client::record(journal::Event &&event)
{
    m_driver->recorder().record(std::move(event));
}

void Client::stop(bool early)
{
    m_driver->stop(early);
}

std::uint64_t Client::attemptsSent() const
{
    return m_driver->attemptsSent();
}

std::uint64_t Client::resends() const
{
    return m_driver->resends();
}

std::size_t Client::open() const
{
    return m_driver->open();
}

std::map<std::string, PolicyCounters> Client::counters() const
{
    std::map<std::string, PolicyCounters> counters;
    for (const auto &[policy, counted] : m_driver->book().counters())
        counters.emplace(policy, *counted);
    return counters;
}

} // namespace throttlescope::net
