// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/order.h"
#include "app/dashboard/session/policy_draft.h"
#include "app/dashboard/session/traffic.h"

#include <string>

namespace throttlescope::fetch {
class Fetcher;
}

namespace throttlescope::dashboard {

/// The policy of an order, as the only one of a scenario that is never run: so that the editor knows it. What is wrong with it
/// is said as `fetch` says it.
tl::expected<PolicyDraft, LoadErrors> fetchDraft(const fetch::FetchOrder &order);

/// Real requests: a worklist fetched as `throttlescope fetch` does, with the same files, checks and limits. What it has to say
/// comes in the report's error where it cannot go on; a last line with what is settled is told in any case.
class FetchTraffic final : public Traffic {
public:
    FetchTraffic(fetch::FetchOrder order, std::shared_ptr<const Policy> policy);

    RunReport run(journal::EventSink &sink, const std::atomic<bool> &cancelled) override;
    void retune(const Policies &policies) override;
    MonotonicTime now() const override;

private:
    const fetch::FetchOrder m_order;
    std::shared_ptr<const Policy> m_policy;
    fetch::Fetcher *m_fetcher = nullptr;
};

} // namespace throttlescope::dashboard
