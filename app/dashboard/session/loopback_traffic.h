// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_draft.h"
#include "app/dashboard/session/traffic.h"

namespace throttlescope::live {
class LiveRun;
}

namespace throttlescope::dashboard {

/// A scenario through both real ends, on loopback sockets: see live::LiveRun. Judged as `run --live` judges, unless it was
/// retuned on the way: that is another experiment.
class LoopbackTraffic final : public Traffic {
public:
    /// `scale`: scenario seconds in a real one; ≥ 1.
    LoopbackTraffic(ScenarioPointer scenario, std::int64_t scale);

    RunReport run(journal::EventSink &sink, const std::atomic<bool> &cancelled) override;
    void retune(const Policies &policies) override;
    MonotonicTime now() const override;

private:
    const ScenarioPointer m_scenario;
    const std::int64_t m_scale;
    Policies m_policies;
    live::LiveRun *m_run = nullptr;
    bool m_retuned = false;
};

} // namespace throttlescope::dashboard
