// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/loopback_traffic.h"

#include "simulator/live/live_run.h"
#include "simulator/live/live_runner.h"

namespace throttlescope::dashboard {

LoopbackTraffic::LoopbackTraffic(ScenarioPointer scenario, std::int64_t scale)
    : m_scenario(std::move(scenario))
    , m_scale(scale)
    , m_policies(m_scenario->scenario.policies)
{
}

RunReport LoopbackTraffic::run(journal::EventSink &sink, const std::atomic<bool> &cancelled)
{
    RunOptions options;
    options.interrupted = &cancelled;
    live::LiveOptions live;
    live.scale = m_scale;
    live.watcher = &sink;
    live.begins = [this](live::LiveRun &run) { m_run = &run; };
    RunReport report = live::runLive(m_scenario->scenario, options, live);
    m_run = nullptr;
    if (m_retuned)
        report.judged.clear();
    return report;
}

void LoopbackTraffic::retune(const Policies &policies)
{
    for (const auto &[name, policy] : policies) {
        const auto now = m_policies.find(name);
        if (!m_run || now == m_policies.end() || *now->second == *policy)
            continue;
        m_run->replacePolicy(name, policy);
        now->second = policy;
        m_retuned = true;
    }
}

MonotonicTime LoopbackTraffic::now() const
{
    return m_run ? m_run->now() : MonotonicTime{};
}

} // namespace throttlescope::dashboard
