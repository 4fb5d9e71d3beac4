// SPDX-License-Identifier: Apache-2.0
#include "core/net/scope_book.h"

#include "core/net/client.h"

#include <tuple>

namespace throttlescope::net {

namespace {

/// As the preset of that name: replay safe only so that the reason reads attempts_exhausted.
std::shared_ptr<const Policy> none()
{
    auto policy = std::make_shared<Policy>();
    policy->name = "none";
    policy->replay = ReplayRule::Safe;
    policy->maxAttempts = 1;
    return policy;
}

} // namespace

HostConnections::HostConnections(std::size_t itsManager, WakeList &wakeList)
    : Connections(kConnectionsPerHost, wakeList)
    , manager(itsManager)
{
}

ScopeBook::ScopeBook(std::shared_ptr<const Policy> policy, WakeList &wakeList)
    : m_policy(std::move(policy))
    , m_none(none())
    , m_wakeList(wakeList)
{
}

tl::expected<std::shared_ptr<const NetCall>, std::string> ScopeBook::call(Request &&request)
{
    return call(std::move(request), false);
}

tl::expected<std::shared_ptr<const NetCall>, std::string> ScopeBook::call(Request &&request, bool isFallback)
{
    request.method = upperCase(std::move(request.method));
    if (std::string problem = requestProblem(request); !problem.empty())
        return tl::unexpected(std::move(problem));
    auto call = std::make_shared<NetCall>();
    call->policy = policyOf(request, isFallback);
    call->method = std::move(request.method);
    const auto replay = deriveReplay(
        {request.operationClass, request.idempotent, call->method, request.replay, call->policy->replay, call->policy->writes});
    if (!replay)
        return tl::unexpected(replay.error());
    call->replay = replay->rule;
    call->operation = request.operation.empty() ? call->method : std::move(request.operation);
    call->server = request.server.empty() ? serverName(request.url) : std::move(request.server);
    call->operationClass = request.operationClass;
    call->units = request.units;
    call->streaming = static_cast<bool>(request.onBody);
    call->bodyReplayable = !std::holds_alternative<std::shared_ptr<QIODevice>>(request.body);
    auto shared = scope(request.scope.value_or(call->policy->scope.value_or(call->server)), *call->policy);
    if (!shared)
        return tl::unexpected(std::move(shared.error()));
    call->scope = std::move(*shared);
    if (request.operationClass != OperationClass::Probe) // a probe starts at once, over connections of its own
        call->connections = connections(request);
    auto &counters = m_counters[call->policy->name];
    if (!counters)
        counters = std::make_shared<PolicyCounters>();
    call->counters = counters;
    if (request.fallback) {
        auto fallback = this->call(Request{*request.fallback}, true);
        if (!fallback)
            return fallback;
        call->fallback = std::move(*fallback);
    }
    call->url = std::move(request.url);
    call->headers = std::move(request.headers);
    call->body = std::move(request.body);
    call->retryOff = std::holds_alternative<RetryOff>(request.retry);
    if (request.onBody)
        call->onBody = std::make_shared<const BodyHandler>(std::move(request.onBody));
    return call;
}

std::shared_ptr<const Policy> ScopeBook::policyOf(const Request &request, bool isFallback)
{
    const auto *own = std::get_if<std::shared_ptr<const Policy>>(&request.retry);
    const std::shared_ptr<const Policy> &named = own ? *own : isFallback || !m_policy ? m_none : m_policy;
    const auto replaced = m_replaced.find(named->name);
    const std::shared_ptr<const Policy> &present = replaced == m_replaced.end() ? named : replaced->second;
    return std::holds_alternative<RetryOff>(request.retry) ? switchedOff(present) : present;
}

std::shared_ptr<const Policy> ScopeBook::switchedOff(const std::shared_ptr<const Policy> &policy)
{
    auto &off = m_switchedOff[policy];
    if (!off) {
        auto copy = std::make_shared<Policy>(*policy);
        copy->retry = false;
        off = std::move(copy);
    }
    return off;
}

/// Two different values on one scope, unless the same policy wrote both: false.
template <typename Spec>
bool ScopeBook::write(Written<Spec> &written, const std::optional<Spec> &spec, const std::string &by)
{
    if (!spec || written.spec == spec)
        return true;
    if (written.spec && (written.by != by || by.empty()))
        return false;
    written = {spec, by};
    return true;
}

tl::expected<std::shared_ptr<Scope>, std::string> ScopeBook::scope(const std::string &name, const Policy &policy)
{
    SharedScope &shared = m_scopes[name];
    const auto before = std::tuple{shared.pacer, shared.breaker, shared.budget};
    const bool agrees = write(shared.pacer, policy.pacer, policy.name) && write(shared.breaker, policy.breaker, policy.name)
        && write(shared.budget, policy.budget, policy.name);
    if (!agrees) {
        std::tie(shared.pacer, shared.breaker, shared.budget) = before;
        return tl::unexpected("policy '" + policy.name + "' has another pacer, breaker or budget than scope '" + name + "' has already");
    }
    shared.users.insert(policy.name);
    if (!shared.scope)
        shared.scope = std::make_shared<Scope>(shared.spec(), m_wakeList);
    else if (std::tie(shared.pacer, shared.breaker, shared.budget) != before)
        shared.scope->retune(shared.spec());
    return shared.scope;
}

/// As Qt counts connections: by host, of one manager. Groups that must share a manager share its connections, too.
std::shared_ptr<HostConnections> ScopeBook::connections(const Request &request)
{
    const QUrl &url = request.url;
    QString host = url.scheme() + QLatin1Char('|') + url.host() + QLatin1Char('|') + QString::number(portOf(url));
    const auto known = m_managers.try_emplace({request.connectionGroup, host}, m_managers.size() % HostConnections::kMostManagers);
    const std::size_t manager = known.first->second;
    auto &connections = m_connections[{manager, std::move(host)}];
    if (!connections)
        connections = std::make_shared<HostConnections>(manager, m_wakeList);
    return connections;
}

void ScopeBook::replacePolicy(const std::shared_ptr<const Policy> &policy)
{
    const std::string &name = policy->name;
    m_replaced[name] = policy;
    const auto rewrite = [&name](auto &written, const auto &spec) {
        if (written.by == name || !written.spec)
            written = {spec, name};
    };
    for (auto &[key, shared] : m_scopes) {
        if (!shared.scope || !shared.users.contains(name))
            continue;
        rewrite(shared.pacer, policy->pacer);
        rewrite(shared.breaker, policy->breaker);
        rewrite(shared.budget, policy->budget);
        shared.scope->retune(shared.spec());
    }
}

} // namespace throttlescope::net
