// SPDX-License-Identifier: Apache-2.0
#include "simulator/live/live_run.h"

#include "simulator/scenario/policy_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::live {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20}; ///< at the interruption flag

/// The run's clock, in the words of the client.
class ScenarioClock final : public net::Clock {
public:
    ScenarioClock(const http::RunClock &clock, WallTime start)
        : m_clock(clock)
        , m_start(start)
    {
    }
    Now now() const override
    {
        const MonotonicTime now = m_clock.now();
        return {now, m_start + now.time_since_epoch()};
    }
    std::chrono::milliseconds sleepUntil(MonotonicTime time) const override
    {
        return std::chrono::ceil<std::chrono::milliseconds>(m_clock.realUntil(time).value_or(Duration::zero()));
    }

private:
    const http::RunClock &m_clock;
    WallTime m_start;
};

http::PortOptions portOptions(std::int64_t scale)
{
    http::PortOptions options;
    options.scale = scale;
    return options;
}

} // namespace

LiveRun::LiveRun(const Scenario &scenario, std::int64_t scale)
    : m_scenario(scenario)
    , m_draw(scenario.seed)
    , m_calls(scenario, m_wakeList)
    , m_sources(workSources(scenario, m_calls, m_draw))
    , m_ports(scenario, portOptions(scale), {[this]() -> http::Accounts & { return m_accounts; }, {}})
    , m_accounts(scenario, m_ports.clock(), [this](journal::Event &&event) { m_client->record(std::move(event)); })
{
    connect(&m_ports, &http::ScenarioPorts::stopReached, this, &LiveRun::stop);
    connect(&m_ports, &http::ScenarioPorts::portLost, this, [this] {
        m_failure = fmt::format("{}: {}", m_scenario.file, m_ports.failure());
        stop();
    });
}

LiveRun::~LiveRun() = default;

std::optional<std::string> LiveRun::listen()
{
    const auto error = m_ports.listen();
    return error ? std::optional{fmt::format("{}: {}", m_scenario.file, *error)} : std::nullopt;
}

std::string LiveRun::run(journal::EventSink &sink, const std::atomic<bool> *interrupted)
{
    try {
        go(sink, interrupted);
    } catch (...) { // out of memory; nobody writes to a sink that is gone by then
        m_ports.close();
        m_client.reset();
        throw;
    }
    return m_failure;
}

void LiveRun::go(journal::EventSink &sink, const std::atomic<bool> *interrupted)
{
    m_ports.startClock();
    startClient(sink);
    startSources();
    m_ports.begin();
    QTimer look;
    connect(&look, &QTimer::timeout, this, [this, interrupted] {
        if (interrupted && interrupted->load(std::memory_order_relaxed))
            stop();
    });
    look.start(kBetweenLooks);
    if (!m_stopped && m_sourcesOpen + m_operationsOpen > 0)
        m_loop.exec();
    m_client->stop(m_stopped);
    m_ports.close();
}

void LiveRun::startClient(journal::EventSink &sink)
{
    net::ClientOptions options;
    options.journal = std::shared_ptr<journal::EventSink>{std::shared_ptr<void>{}, &sink}; // not owned
    options.run = {m_scenario.name, m_scenario.hash, policiesJson(m_scenario.policies), journal::Traffic::Loopback};
    options.seed = m_scenario.seed;
    options.clock = std::make_shared<const ScenarioClock>(m_ports.clock(), m_scenario.start);
    options.attemptHeader = true;
    m_client = std::make_unique<net::Client>(std::move(options));
}

void LiveRun::startSources()
{
    for (std::size_t source = 0; source < m_sources.size(); ++source) {
        const ArrivalSource &arrivals = m_sources[source].arrivals;
        const auto at = arrivals.nextAt();
        if (!at)
            continue;
        ++m_sourcesOpen;
        const auto *workers = std::get_if<WorkerArrivals>(&arrivals.row().arrivals);
        if (!workers) {
            m_ports.at(*at, [this, source] { startDue(source); });
            continue;
        }
        for (int worker = 0; worker < workers->workers; ++worker)
            m_ports.at(*at, [this, source] { startWorkersNext(source); });
    }
}

void LiveRun::startDue(std::size_t source)
{
    ArrivalSource &arrivals = m_sources[source].arrivals;
    const MonotonicTime now = m_ports.clock().now();
    while (const auto at = arrivals.nextAt()) {
        if (m_stopped || isTooLate(*at))
            return; // the stop is on its way
        if (*at > now)
            return m_ports.at(*at, [this, source] { startDue(source); });
        startOperation(source, arrivals.take());
    }
    --m_sourcesOpen;
    endIfOver();
}

void LiveRun::startWorkersNext(std::size_t source)
{
    ArrivalSource &arrivals = m_sources[source].arrivals;
    if (m_stopped || arrivals.exhausted() || isTooLate(m_ports.clock().now()))
        return;
    startOperation(source, arrivals.take());
    m_sourcesOpen -= arrivals.exhausted() ? 1 : 0;
}

void LiveRun::startOperation(std::size_t source, std::uint64_t index)
{
    const ArrivalSource &arrivals = m_sources[source].arrivals;
    const WorkloadRow &row = arrivals.row();
    const auto call = m_sources[source].callOf(index, m_calls);
    const std::uint64_t drawKey = arrivals.drawKey(index);
    net::Request request = requestOf(*call, arrivals.client(), m_accounts.expect(call, drawKey));
    request.drawKey = drawKey;
    ++m_operationsStarted;
    ++m_operationsOpen;
    auto *watcher = new Watcher{this};
    connect(watcher, &Watcher::finished, this, [this, watcher, source] {
        watcher->deleteLater();
        operationEnded(source, watcher->future());
    });
    watcher->setFuture(m_client->send(std::move(request)));
    if (row.cancelAfter) {
        const MonotonicTime at = saturatingAdd(m_ports.clock().now(), *row.cancelAfter);
        m_ports.at(at, [watched = QPointer{watcher}] {
            if (watched)
                watched->cancel();
        });
    }
}

net::Request LiveRun::requestOf(const ScenarioCall &call, std::uint32_t client, std::uint64_t place)
{
    net::Request request;
    const std::string &url = m_ports.endpoints()[call.serverIndex].url;
    request.url = QUrl{QString::fromStdString(url + (call.request.path.empty() ? "/" : call.request.path))};
    request.method = call.request.method;
    request.headers = call.request.headers;
    request.headers.push_back({std::string{kOperationHeader}, std::to_string(place)});
    request.operation = call.operation;
    request.server = call.server;
    request.operationClass = call.operationClass;
    request.replay = call.replay; // derived already
    request.units = call.units;
    request.retry = policyOf(call);
    // Each client is a process of its own: its scopes and its connections are its own.
    request.connectionGroup = std::to_string(client);
    request.scope = fmt::format("{}/{}", client, CallBook::scopeName(*call.policy, call.server));
    if (call.streaming)
        request.onBody = [](const QByteArray &) {};
    if (call.fallback)
        request.fallback
            = std::make_shared<const net::Request>(requestOf(static_cast<const ScenarioCall &>(*call.fallback), client, place));
    return request;
}

std::shared_ptr<const Policy> LiveRun::policyOf(const ScenarioCall &call)
{
    auto &known = m_policies[&call];
    if (!known)
        known = withScope(call.policy, CallBook::scopeName(*call.policy, call.server));
    return known;
}

/// With everything that rows write for its scope, also those that have not started yet.
std::shared_ptr<const Policy> LiveRun::withScope(const std::shared_ptr<const Policy> &policy, const std::string &scope) const
{
    const ScopeSpec spec = m_calls.scopeSpec(scope);
    if (spec == ScopeSpec{policy->pacer, policy->breaker, policy->budget})
        return policy;
    auto whole = std::make_shared<Policy>(*policy);
    whole->pacer = spec.pacer;
    whole->breaker = spec.breaker;
    whole->budget = spec.budget;
    return whole;
}

void LiveRun::replacePolicy(const std::string &name, const std::shared_ptr<const Policy> &policy)
{
    m_calls.replacePolicy(name, policy);
    m_policies.clear();
    const auto row = std::find_if(
        m_scenario.workload.begin(), m_scenario.workload.end(), [&](const WorkloadRow &each) { return each.policyName == name; });
    if (row != m_scenario.workload.end())
        m_client->replacePolicy(withScope(policy, CallBook::scopeName(*policy, row->server)), policyJson(*policy));
}

void LiveRun::operationEnded(std::size_t source, const QFuture<net::Result> &future)
{
    --m_operationsOpen;
    const ArrivalSource &arrivals = m_sources[source].arrivals;
    if (!m_stopped && future.resultCount() > 0 && future.result().id == 0) { // it never got to the engine
        m_failure = fmt::format("{}: {} cannot be sent, {}", m_scenario.file, arrivals.row().operation, future.result().error->message);
        return stop();
    }
    if (std::holds_alternative<WorkerArrivals>(arrivals.row().arrivals))
        startWorkersNext(source);
    endIfOver();
}

void LiveRun::stop()
{
    m_stopped = true;
    m_loop.quit();
}

void LiveRun::endIfOver()
{
    if (m_sourcesOpen + m_operationsOpen == 0)
        m_loop.quit();
}

} // namespace throttlescope::live
