// SPDX-License-Identifier: Apache-2.0
#include "simulator/sweep/sweep_runner.h"

#include "simulator/run/expectations.h"
#include "simulator/run/simulation.h"

#include <algorithm>
#include <condition_variable>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <new>
#include <thread>

namespace throttlescope {

namespace {

/// What came of one point.
struct PointRows {
    std::vector<SweepRow> rows;
    std::vector<std::string> errors;
};

class Sweep {
public:
    Sweep(const SweepPlan &plan, const std::vector<std::string> &metrics, const LoadPoint &load, const SweepOptions &options)
        : m_plan(plan)
        , m_metrics(metrics)
        , m_load(load)
        , m_options(options)
        , m_next(plan.pointOf(options.from))
        , m_toHandOn(m_next)
    {
    }

    std::vector<std::string> run(const std::function<bool(const SweepRow &)> &onRow)
    {
        std::vector<std::thread> threads;
        for (int job = 0; job < m_options.jobs; ++job)
            threads.emplace_back([this] { work(); });
        std::vector<std::string> errors = handOn(onRow);
        m_stopped = true;
        m_moved.notify_all();
        for (std::thread &thread : threads)
            thread.join();
        return errors;
    }

private:
    bool isInterrupted() const { return m_stopped || (m_options.interrupted && m_options.interrupted->load()); }

    /// None: there is none, or it is not wanted any more. Nobody runs far ahead of what is handed on.
    std::optional<std::uint64_t> takePoint()
    {
        std::unique_lock lock{m_mutex};
        const std::uint64_t ahead = 4 * static_cast<std::uint64_t>(m_options.jobs);
        m_moved.wait_for(lock, std::chrono::milliseconds{20}, [&] { return isInterrupted() || m_next < m_toHandOn + ahead; });
        if (isInterrupted() || m_next >= m_plan.points())
            return std::nullopt;
        return m_next < m_toHandOn + ahead ? m_next++ : m_plan.points();
    }

    void work()
    {
        while (const auto point = takePoint()) {
            if (*point == m_plan.points())
                continue; // not yet
            PointRows made = rowsOf(*point);
            const std::lock_guard lock{m_mutex};
            m_done.emplace(*point, std::move(made));
            m_moved.notify_all();
        }
        const std::lock_guard lock{m_mutex};
        ++m_ended;
        m_moved.notify_all();
    }

    PointRows rowsOf(std::uint64_t point)
    {
        PointRows made;
        try {
            auto loaded = m_load(m_plan.assignmentsOf(point));
            if (!loaded) {
                for (const LoadError &error : loaded.error())
                    made.errors.push_back(error.format());
                return made;
            }
            for (std::uint64_t run = point * m_plan.seeds; run < (point + 1) * m_plan.seeds && !isInterrupted(); ++run) {
                if (!m_plan.isOurs(run) || run < m_options.from)
                    continue;
                loaded->scenario.seed = m_plan.seedOf(run);
                PointResult result = runPoint(loaded->scenario, m_metrics, m_options.interrupted);
                if (isInterrupted())
                    return made;
                if (!result.problem.empty())
                    made.errors.push_back(result.problem);
                else
                    made.rows.push_back(
                        {run, m_plan.seedOf(run), m_plan.valuesOf(point), result.passed, std::move(result.values), result.judged});
            }
        } catch (const std::bad_alloc &) {
            made.errors.emplace_back("out of memory, the sweep was stopped");
        }
        return made;
    }

    std::vector<std::string> handOn(const std::function<bool(const SweepRow &)> &onRow)
    {
        while (m_toHandOn < m_plan.points()) {
            PointRows made;
            {
                std::unique_lock lock{m_mutex};
                m_moved.wait(lock, [this] { return m_done.contains(m_toHandOn) || m_ended == m_options.jobs; });
                const auto found = m_done.find(m_toHandOn);
                if (found == m_done.end())
                    return {};
                made = std::move(found->second);
                m_done.erase(found);
                ++m_toHandOn;
            }
            m_moved.notify_all();
            for (const SweepRow &row : made.rows) {
                if (!onRow(row))
                    return {};
            }
            if (!made.errors.empty())
                return made.errors;
        }
        return {};
    }

    const SweepPlan &m_plan;
    const std::vector<std::string> &m_metrics;
    const LoadPoint &m_load;
    const SweepOptions &m_options;
    std::atomic<bool> m_stopped{false};
    std::mutex m_mutex;
    std::condition_variable m_moved;
    std::uint64_t m_next, m_toHandOn;
    int m_ended = 0;
    std::map<std::uint64_t, PointRows> m_done;
};

} // namespace

LoadPoint loadingFrom(std::string text, std::string file, LoadOptions options)
{
    return [text = std::move(text), file = std::move(file), options = std::move(options)](const std::vector<std::string> &assignments) {
        LoadOptions all = options;
        all.set.insert(all.set.end(), assignments.begin(), assignments.end());
        return loadScenarioText(text, file, all);
    };
}

PointResult runPoint(const Scenario &scenario, const std::vector<std::string> &metrics, const std::atomic<bool> *interrupted)
{
    Expectations expectations{scenario};
    Simulation simulation{scenario, &expectations};
    simulation.run(interrupted);
    PointResult result;
    result.problem = simulation.failure();
    const auto judged = expectations.judge(simulation.stopped());
    result.judged = !judged.empty();
    result.passed = std::all_of(judged.begin(), judged.end(), [](const Judged &each) { return each.passed; });
    const journal::Metrics total = expectations.metrics().total();
    for (const std::string &path : metrics) {
        const auto value = journal::metricValue(total, path);
        result.values.push_back(value ? (value->isDuration ? value->value / 1e6 : value->value) : 0);
    }
    return result;
}

std::vector<std::string> runSweep(const SweepPlan &plan, const std::vector<std::string> &metrics, const LoadPoint &load,
    const SweepOptions &options, const std::function<bool(const SweepRow &)> &onRow)
{
    return Sweep{plan, metrics, load, options}.run(onRow);
}

std::vector<TippingPoint> findTips(const SweepPlan &plan, const std::vector<PointSummary> &points, const LoadPoint &load,
    std::optional<double> tolerance, const std::atomic<bool> *interrupted)
{
    if (plan.axes.size() != 1 || plan.samples || plan.shards > 1)
        return {};
    const Axis &axis = plan.axes.front();
    const double step = (axis.most - axis.least) / static_cast<double>(std::max<std::size_t>(axis.values.size(), 2) - 1);
    const auto isInterrupted = [interrupted] { return interrupted && interrupted->load(); };
    return tippingPoints(axis, points, tolerance.value_or(step / 50), [&](const std::string &value) {
        auto loaded = load({axis.path + '=' + value});
        std::uint64_t passed = 0;
        for (std::uint64_t seed = 0; loaded && seed < plan.seeds && !isInterrupted(); ++seed) {
            loaded->scenario.seed = plan.firstSeed + seed;
            const PointResult result = runPoint(loaded->scenario, {}, interrupted);
            passed += result.passed && result.problem.empty() ? 1 : 0;
        }
        return !loaded || isInterrupted() ? -1.0 : static_cast<double>(passed) / static_cast<double>(plan.seeds);
    });
}

} // namespace throttlescope
