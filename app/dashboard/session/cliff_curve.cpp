// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/cliff_curve.h"

#include "app/dashboard/session/knob_values.h"
#include "core/engine/words.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

constexpr std::int64_t kCoarse = 16; ///< intervals of the first look
constexpr std::int64_t kFine = 240; ///< about as many as a slider has pixels

struct Tally final : journal::EventSink {
    void accept(const journal::Event &event) override
    {
        if (const auto *finished = std::get_if<journal::OperationFinished>(&event.payload)) {
            point.succeeded += finished->result == Result::Succeeded ? 1 : 0;
            point.failed += finished->result == Result::Failed ? 1 : 0;
            point.rejected += finished->result == Result::Rejected ? 1 : 0;
        } else if (std::holds_alternative<journal::RateLimitWaitExceeded>(event.payload)) {
            ++point.waitExceeded;
        }
    }
    CliffPoint point;
};

/// The scenario with the knob at a value; nothing where the knob does not take it. `--set` stands above a row's own keys, so
/// that all policies of the knob have the same value.
std::optional<Scenario> scenarioAt(const CliffQuery &query, Duration value)
{
    Scenario scenario = query.scenario->scenario;
    for (const std::string &name : query.policies) {
        Policy policy = *scenario.policies.at(name);
        if (!setPolicyValue(policy, query.path, durationText(value)))
            return std::nullopt;
        const auto changed = std::make_shared<const Policy>(std::move(policy));
        scenario.policies[name] = changed;
        for (WorkloadRow &row : scenario.workload) {
            if (row.policyName == name)
                row.policy = changed;
        }
    }
    return scenario;
}

/// A trace is no part of the file, hence not of its hash.
std::string traceKey(const Scenario &scenario)
{
    std::string key;
    for (const WorkloadRow &row : scenario.workload) {
        if (const auto *trace = std::get_if<TraceArrivals>(&row.arrivals)) {
            std::error_code error;
            const auto time = std::filesystem::last_write_time(trace->file, error).time_since_epoch().count();
            key += fmt::format("|{} {} {}", trace->file, trace->operations ? trace->operations->size() : 0, time);
        }
    }
    return key;
}

class Search {
public:
    Search(const CliffQuery &query, CliffPoints &known, const std::atomic<bool> &cancelled, const OnCurve &onCurve)
        : m_query(query)
        , m_known(known)
        , m_cancelled(cancelled)
        , m_onCurve(onCurve)
    {
        m_curve.key = query.key;
        m_curve.path = query.path;
    }

    CliffCurve found()
    {
        if (m_query.present) {
            m_curve.present = pointAt(*m_query.present);
            tell();
        }
        const std::int64_t last = std::max<std::int64_t>(1, (m_query.most - m_query.least) / m_query.grain);
        const std::int64_t stride = std::max<std::int64_t>(1, last / kCoarse);
        std::deque<std::pair<std::int64_t, std::int64_t>> gaps;
        take(0);
        for (std::int64_t from = 0; from < last; from += stride) {
            take(std::min(from + stride, last));
            gaps.push_back({from, std::min(from + stride, last)});
        }
        while (!gaps.empty() && !over()) { // the widest first
            const auto [from, to] = gaps.front();
            gaps.pop_front();
            if (to - from < 2 || !differ(from, to))
                continue;
            const std::int64_t middle = (from + to) / 2;
            take(middle);
            gaps.push_back({from, middle});
            gaps.push_back({middle, to});
        }
        m_curve.complete = !over();
        collect();
        return m_curve;
    }

private:
    Duration valueOf(std::int64_t step) const { return m_query.least + step * m_query.grain; }
    bool over() const { return m_cancelled.load(std::memory_order_relaxed) || !m_curve.failure.empty(); }

    const CliffPoint *knownAt(std::int64_t step) const
    {
        const auto found = m_taken.find(valueOf(step));
        return found == m_taken.end() ? nullptr : &found->second;
    }
    bool differ(std::int64_t from, std::int64_t to) const
    {
        const CliffPoint *a = knownAt(from), *b = knownAt(to);
        return a && b ? !a->sameResults(*b) : a != b;
    }

    std::optional<CliffPoint> pointAt(Duration value)
    {
        if (const auto known = m_known.find(value); known != m_known.end())
            return known->second;
        if (over())
            return std::nullopt;
        const auto scenario = scenarioAt(m_query, value);
        if (!scenario)
            return std::nullopt;
        Tally tally;
        tally.point.at = value;
        Simulation simulation{*scenario, &tally};
        simulation.run(&m_cancelled);
        m_curve.failure = simulation.failure();
        if (over())
            return std::nullopt;
        return m_known[value] = tally.point;
    }

    void take(std::int64_t step)
    {
        if (const auto point = pointAt(valueOf(step))) {
            m_taken[point->at] = *point;
            tell();
        }
    }

    void collect()
    {
        m_curve.points.clear();
        for (const auto &[value, point] : m_taken)
            m_curve.points.push_back(point);
    }

    void tell()
    {
        if (!m_onCurve || over())
            return;
        collect();
        m_onCurve(m_curve);
    }

    const CliffQuery &m_query;
    CliffPoints &m_known;
    const std::atomic<bool> &m_cancelled;
    const OnCurve &m_onCurve;
    CliffPoints m_taken; ///< those of this range
    CliffCurve m_curve;
};

} // namespace

std::optional<CliffQuery> cliffQuery(const PolicyDraft &draft, const PolicyKnob &knob)
{
    if (knob.amountKind != Schema::Kind::Duration)
        return std::nullopt;
    CliffQuery query;
    query.scenario = draft.scenario();
    query.path = knob.row.path;
    for (const auto &[name, policy] : draft.scenario()->scenario.policies) {
        if (fmt::format("policies.{}.{}", draft.writtenName(name), knob.row.path) == knob.setPath)
            query.policies.push_back(name);
    }
    const SliderRange range = sliderRange(knob);
    query.least = durationFromSeconds(range.least);
    query.most = durationFromSeconds(range.most);
    query.grain = std::max(Duration{1}, (query.most - query.least) / kFine);
    if (const auto present = parseDuration(knob.value))
        query.present = *present;
    const Scenario &scenario = draft.scenario()->scenario;
    query.key = fmt::format("{}|{}|{}{}", scenario.hash, scenario.seed, knob.setPath, traceKey(scenario));
    for (const Edit &edit : withoutEdit(draft.edits(), knob.setPath))
        query.key += '|' + edit.text();
    return query;
}

const CliffPoint *CliffCurve::at(Duration value) const
{
    const auto after
        = std::upper_bound(points.begin(), points.end(), value, [](Duration wanted, const CliffPoint &point) { return wanted < point.at; });
    return after == points.begin() ? nullptr : &*(after - 1);
}

CliffCurve computeCliff(const CliffQuery &query, CliffPoints &known, const std::atomic<bool> &cancelled, const OnCurve &onCurve)
{
    return Search{query, known, cancelled, onCurve}.found();
}

} // namespace throttlescope::dashboard
