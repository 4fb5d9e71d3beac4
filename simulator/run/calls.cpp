// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/calls.h"

#include <fmt/format.h>

namespace throttlescope {

namespace {

std::string traceKey(const TracedOperation *traced)
{
    if (!traced)
        return {};
    const auto number = [](const auto &value) { return value ? fmt::format("{}", static_cast<std::uint64_t>(*value)) : std::string{"-"}; };
    return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}", traced->operation, traced->server.value_or("-"),
        traced->method.value_or("-"), traced->key.value_or("-"), number(traced->operationClass), number(traced->idempotent),
        number(traced->units));
}

} // namespace

CallBook::CallBook(const Scenario &scenario, WakeList &wakeList)
    : m_wakeList(wakeList)
{
    for (std::size_t i = 0; i < scenario.servers.size(); ++i)
        m_servers.emplace(scenario.servers[i].name, i);
    m_rows.reserve(scenario.workload.size());
    for (const WorkloadRow &row : scenario.workload)
        m_rows.emplace(row.operation, &row);
    m_workload = scenario.workload;
    readScopeSpecs();
}

std::shared_ptr<const Policy> CallBook::policyOf(const WorkloadRow &row) const
{
    const auto replaced = m_replaced.find(row.policyName);
    return replaced != m_replaced.end() ? replaced->second : row.policy;
}

std::shared_ptr<const ScenarioCall> CallBook::call(const WorkloadRow &row, std::uint32_t client, const TracedOperation *traced)
{
    Key key{&row, client, traceKey(traced)};
    if (const auto found = m_calls.find(key); found != m_calls.end())
        return found->second;
    auto call = std::make_shared<ScenarioCall>();
    call->row = &row;
    call->operation = traced ? traced->operation : row.operation;
    call->server = traced ? traced->server.value_or(row.server) : row.server;
    call->serverIndex = m_servers.at(call->server);
    call->method = traced ? traced->method.value_or(row.method) : row.method;
    call->operationClass = traced && traced->operationClass ? traced->operationClass : row.operationClass;
    call->units = traced ? traced->units.value_or(row.units) : row.units;
    call->streaming = row.streaming;
    call->policy = policyOf(row);
    call->replay = row.replay.rule;
    if (traced) {
        const ReplayFacts facts{call->operationClass, traced->idempotent ? traced->idempotent : row.idempotent, call->method,
            row.callReplay, call->policy->replay, call->policy->writes};
        const auto derived = deriveReplay(facts);
        call->replay = derived ? derived->rule : ReplayRule::Never;
    }
    auto &counters = m_counters[row.policyName];
    if (!counters)
        counters = std::make_shared<PolicyCounters>();
    call->counters = counters;
    call->scope = scope(client, scopeName(*call->policy, call->server));
    if (!row.fallback.empty()) {
        if (const auto to = m_rows.find(row.fallback); to != m_rows.end())
            call->fallback = this->call(*to->second, client);
    }
    call->request = {call->method.empty() ? "GET" : call->method, row.path, row.headers, traced ? traced->key.value_or("") : "",
        call->operationClass == OperationClass::Write || call->operationClass == OperationClass::Action};
    m_calls.emplace(std::move(key), call);
    return call;
}

/// The loader has seen to it that written values do not differ on one scope.
void CallBook::readScopeSpecs()
{
    m_specs.clear();
    for (const WorkloadRow &row : m_workload) {
        const auto policy = policyOf(row);
        ScopeSpec &spec = m_specs[scopeName(*policy, row.server)];
        if (policy->pacer)
            spec.pacer = policy->pacer;
        if (policy->breaker)
            spec.breaker = policy->breaker;
        if (policy->budget)
            spec.budget = policy->budget;
    }
}

ScopeSpec CallBook::scopeSpec(const std::string &name) const
{
    const auto known = m_specs.find(name);
    return known == m_specs.end() ? ScopeSpec{} : known->second;
}

std::shared_ptr<Scope> CallBook::scope(std::uint32_t client, const std::string &name)
{
    auto &scope = m_scopes[{client, name}];
    if (!scope)
        scope = std::make_shared<Scope>(scopeSpec(name), m_wakeList);
    return scope;
}

void CallBook::replacePolicy(const std::string &name, std::shared_ptr<const Policy> policy)
{
    m_replaced[name] = std::move(policy);
    readScopeSpecs();
    for (auto &[key, call] : m_calls)
        call->policy = policyOf(*call->row);
    for (auto &[key, scope] : m_scopes)
        scope->retune(scopeSpec(key.second));
}

} // namespace throttlescope
