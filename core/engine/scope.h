// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/breaker.h"
#include "core/engine/budget.h"
#include "core/engine/pacer.h"

namespace throttlescope {

/// What shares a pacer, a breaker and a budget: the server, unless the policy names another key. All of it belongs to one
/// thread. A policy that names none of them uses the scope's.
struct ScopeSpec {
    std::optional<PacerSpec> pacer;
    std::optional<BreakerSpec> breaker;
    std::optional<BudgetSpec> budget;
    bool operator==(const ScopeSpec &) const = default;
};

struct Scope {
    Scope(const ScopeSpec &spec, WakeList &wakeList)
        : pacer(spec.pacer, wakeList)
        , breaker(spec.breaker)
        , budget(spec.budget)
    {
    }

    /// Tokens, breaker windows and pacing debts keep their state.
    void retune(const ScopeSpec &spec)
    {
        pacer.retune(spec.pacer);
        breaker.retune(spec.breaker);
        budget.retune(spec.budget);
    }

    Pacer pacer;
    Breaker breaker;
    Budget budget;
};

} // namespace throttlescope
