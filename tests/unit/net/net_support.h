// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../core/scripted_driver.h"
#include "core/net/client.h"
#include "scripted_peer.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QTest>
#include <QTimer>

#include <memory>

/// What the tests of the client share. Waits are a few milliseconds, so that nothing needs to sleep.
namespace throttlescope::testing {

/// Until a test gives up; nothing waits as long.
inline constexpr std::chrono::seconds kPatience{20};

/// Runs the event loop, event by event (QTest::qWaitFor naps in between), until `condition` holds.
template <typename Condition>
bool soon(Condition condition)
{
    QDeadlineTimer deadline{kPatience};
    QTimer look; // at what other threads changed, which is no event here
    look.start(std::chrono::milliseconds{20});
    while (!condition() && !deadline.hasExpired())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    return condition();
}

/// Runs the event loop until the future is finished; a default result if it never is, or was cancelled.
inline net::Result await(const QFuture<net::Result> &future)
{
    const bool finished = soon([&future] { return future.isFinished(); });
    return finished && future.resultCount() == 1 ? future.result() : net::Result{};
}

/// Constant backoff of 5 ms without jitter.
inline Policy quickPolicy()
{
    Policy policy;
    policy.name = "quick";
    policy.backoff = {.kind = BackoffKind::Constant, .base = 5ms, .max = 30s, .jitter = NoJitter{}};
    return policy;
}

inline std::shared_ptr<const Policy> kept(Policy policy)
{
    return std::make_shared<const Policy>(std::move(policy));
}

/// A client with its journal.
struct Journalled {
    explicit Journalled(Policy policy = quickPolicy(), net::ClientOptions options = {})
        : log(std::make_shared<Log>())
    {
        options.policy = kept(std::move(policy));
        options.journal = log;
        options.seed = 1;
        client = std::make_unique<net::Client>(std::move(options));
    }
    net::Result ask(net::Request request) const { return await(client->send(std::move(request))); }

    std::shared_ptr<Log> log;
    std::unique_ptr<net::Client> client;
};

inline net::Request get(const QUrl &url)
{
    net::Request request;
    request.url = url;
    return request;
}

inline net::Request post(const QUrl &url, net::Body body)
{
    net::Request request;
    request.url = url;
    request.method = "POST";
    request.body = std::move(body);
    request.headers = {{"Content-Type", "text/plain"}};
    return request;
}

} // namespace throttlescope::testing
