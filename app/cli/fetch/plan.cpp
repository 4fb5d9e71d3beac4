// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/plan.h"

#include "app/cli/fetch/allowance.h"
#include "core/engine/pacer.h"

#include <functional>
#include <queue>
#include <random>

namespace throttlescope::fetch {

namespace {

/// Uniform in [0, bound). The standard's generator is the same everywhere, its distributions are not.
std::uint64_t below(std::uint64_t bound, std::mt19937_64 &generator)
{
    const std::uint64_t surplus = (UINT64_MAX % bound + 1) % bound; // how many of the last values would favour the first
    std::uint64_t drawn = generator();
    while (drawn > UINT64_MAX - surplus)
        drawn = generator();
    return drawn % bound;
}

/// Fisher and Yates.
void shuffle(std::vector<std::size_t> &order, std::mt19937_64 &generator)
{
    for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[below(left, generator)]);
}

} // namespace

Plan makePlan(const std::vector<Item> &items, const std::map<std::string, Settled> &settled, bool unsettledOnly, std::uint64_t seed)
{
    Plan plan;
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < items.size(); ++i)
        (settled.contains(items[i].id) ? known : plan.order).push_back(i);
    plan.settledBefore = known.size();
    std::mt19937_64 generator{seed};
    shuffle(plan.order, generator);
    if (unsettledOnly)
        return plan;
    shuffle(known, generator);
    plan.order.insert(plan.order.end(), known.begin(), known.end());
    return plan;
}

std::size_t cutTo(std::uint64_t most, const std::vector<Item> &items, Plan &plan)
{
    const Allowance allowance{most};
    std::uint64_t sent = 0;
    return std::erase_if(plan.order, [&](std::size_t index) {
        const bool fits = allowance.admits(sent, 0, false, Allowance::mostOf(items[index].method));
        sent += fits ? 1 : 0;
        return !fits;
    });
}

std::vector<PacedStart> pacedStarts(
    const std::vector<Item> &items, const std::vector<std::size_t> &order, const Policy &policy, std::size_t concurrency)
{
    WakeList nobody;
    std::map<std::string, Pacer> pacers;
    std::priority_queue<MonotonicTime, std::vector<MonotonicTime>, std::greater<>> ends; // of those that are under way
    std::vector<PacedStart> starts;
    starts.reserve(order.size());
    for (const std::size_t index : order) {
        const Item &item = items[index];
        MonotonicTime handedOver{};
        if (ends.size() >= concurrency) {
            handedOver = ends.top();
            ends.pop();
        }
        Pacer &pacer = pacers.try_emplace(policy.scope.value_or(net::serverName(item.url)), policy.pacer, nobody).first->second;
        const bool probe = item.operationClass == OperationClass::Probe;
        const MonotonicTime at = probe ? handedOver : pacer.earliestSlot(handedOver);
        pacer.started(at, item.units);
        ends.push(at);
        starts.push_back({handedOver.time_since_epoch(), at.time_since_epoch()});
    }
    return starts;
}

} // namespace throttlescope::fetch
