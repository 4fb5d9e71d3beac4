// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/connections.h"
#include "core/engine/operation.h"
#include "core/engine/scope.h"
#include "core/net/request.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tl/expected.hpp>

namespace throttlescope::net {

/// A call together with what of its request is needed for every attempt.
struct NetCall : Call {
    QUrl url;
    Headers headers;
    Body body;
    bool retryOff = false;
    std::shared_ptr<const BodyHandler> onBody; ///< null: not streaming
};

/// To one host, over one of Qt's managers.
struct HostConnections : Connections {
    static constexpr std::size_t kMostManagers = 32;
    HostConnections(std::size_t itsManager, WakeList &wakeList);
    const std::size_t manager; ///< its number, below kMostManagers
};

/// Turns requests into calls: policy, scope, connections and replay rule; the scopes are shared by all calls of a client.
class ScopeBook {
public:
    /// `policy` may be null: one attempt. `wakeList` outlives the book.
    ScopeBook(std::shared_ptr<const Policy> policy, WakeList &wakeList);

    /// An error says what is wrong with the request.
    tl::expected<std::shared_ptr<const NetCall>, std::string> call(Request &&request);

    /// For calls to come, and for the pacers, breakers and budgets of the scopes that it is used in.
    void replacePolicy(const std::shared_ptr<const Policy> &policy);
    /// The policy as a call with `retry: off` sees it.
    std::shared_ptr<const Policy> switchedOff(const std::shared_ptr<const Policy> &policy);

    const std::map<std::string, std::shared_ptr<PolicyCounters>> &counters() const { return m_counters; }

private:
    /// A value that a policy wrote for a scope, and which policy it was.
    template <typename Spec>
    struct Written {
        std::optional<Spec> spec;
        std::string by;
        bool operator==(const Written &) const = default;
    };
    struct SharedScope {
        Written<PacerSpec> pacer;
        Written<BreakerSpec> breaker;
        Written<BudgetSpec> budget;
        std::set<std::string> users; ///< names of policies
        std::shared_ptr<Scope> scope;
        ScopeSpec spec() const { return {pacer.spec, breaker.spec, budget.spec}; }
    };

    tl::expected<std::shared_ptr<const NetCall>, std::string> call(Request &&request, bool isFallback);
    std::shared_ptr<const Policy> policyOf(const Request &request, bool isFallback);
    tl::expected<std::shared_ptr<Scope>, std::string> scope(const std::string &name, const Policy &policy);
    std::shared_ptr<HostConnections> connections(const Request &request);
    template <typename Spec>
    static bool write(Written<Spec> &written, const std::optional<Spec> &spec, const std::string &by);

    std::shared_ptr<const Policy> m_policy;
    std::shared_ptr<const Policy> m_none;
    WakeList &m_wakeList;
    std::map<std::string, SharedScope> m_scopes;
    std::map<std::pair<std::string, QString>, std::size_t> m_managers; ///< by group and host
    std::map<std::pair<std::size_t, QString>, std::shared_ptr<HostConnections>> m_connections; ///< by manager and host
    std::map<std::string, std::shared_ptr<const Policy>> m_replaced;
    std::map<std::shared_ptr<const Policy>, std::shared_ptr<const Policy>> m_switchedOff;
    std::map<std::string, std::shared_ptr<PolicyCounters>> m_counters;
};

} // namespace throttlescope::net
