// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/operation.h"
#include "core/engine/scope.h"
#include "simulator/scenario/scenario.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace throttlescope {

/// What requests of a call look like to the model.
struct RequestShape {
    std::string method = "GET";
    std::string path;
    Headers headers;
    std::string key; ///< a trace's client key
    bool effect = false; ///< class write or action
};

struct ScenarioCall : Call {
    RequestShape request;
    const WorkloadRow *row = nullptr;
    std::size_t serverIndex = 0; ///< in the order of the scenario
};

/// Resolves workload rows into calls: each client of a row is a process of its own, hence the scopes are a client's.
class CallBook {
public:
    /// Both outlive it.
    CallBook(const Scenario &scenario, WakeList &wakeList);

    /// `traced` may be null; what it leaves out is the row's.
    std::shared_ptr<const ScenarioCall> call(const WorkloadRow &row, std::uint32_t client, const TracedOperation *traced = nullptr);

    /// What the policies of all rows write for a scope.
    static std::string scopeName(const Policy &policy, const std::string &server) { return policy.scope.value_or(server); }
    ScopeSpec scopeSpec(const std::string &name) const;

    /// The policy replaced everywhere: calls of operations that start from now on, and the scopes' pacer, breaker, budget.
    void replacePolicy(const std::string &name, std::shared_ptr<const Policy> policy);
    const std::map<std::string, std::shared_ptr<PolicyCounters>> &counters() const { return m_counters; }

private:
    using Key = std::tuple<const WorkloadRow *, std::uint32_t, std::string>;

    std::shared_ptr<const Policy> policyOf(const WorkloadRow &row) const;
    std::shared_ptr<Scope> scope(std::uint32_t client, const std::string &name);

    void readScopeSpecs();

    std::span<const WorkloadRow> m_workload;
    WakeList &m_wakeList;
    std::unordered_map<std::string_view, std::size_t> m_servers; ///< their places in the scenario
    std::unordered_map<std::string_view, const WorkloadRow *> m_rows; ///< the first of each name
    std::unordered_map<std::string, ScopeSpec> m_specs;
    std::map<Key, std::shared_ptr<ScenarioCall>> m_calls;
    std::map<std::pair<std::uint32_t, std::string>, std::shared_ptr<Scope>> m_scopes;
    std::map<std::string, std::shared_ptr<const Policy>> m_replaced;
    std::map<std::string, std::shared_ptr<PolicyCounters>> m_counters;
};

} // namespace throttlescope
