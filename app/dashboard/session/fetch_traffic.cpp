// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/fetch_traffic.h"

#include "app/cli/fetch/opening.h"
#include "app/cli/fetch/policy_choice.h"
#include "simulator/scenario/file_text.h"
#include "simulator/scenario/presets.h"

#include <QEventLoop>
#include <QTimer>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20}; ///< at the flag
constexpr std::uintmax_t kLargestPolicy = std::uintmax_t{1} << 20;

/// The keys of a policy, below its name.
std::string keysOf(const fetch::FetchOrder &order)
{
    if (findPreset(order.policy))
        return fmt::format("    preset: {}\n", order.policy);
    std::string keys;
    std::string_view text = "";
    const auto read = readFile(order.policy, kLargestPolicy);
    if (read)
        text = *read;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        keys += "    ";
        keys += text.substr(0, end);
        text.remove_prefix(end);
    }
    return keys;
}

} // namespace

tl::expected<PolicyDraft, LoadErrors> fetchDraft(const fetch::FetchOrder &order)
{
    const auto policy = fetch::choosePolicy(order.policy, order.set);
    if (!policy)
        return tl::unexpected(policy.error());
    const std::string &name = (*policy)->name;
    const std::string text
        = fmt::format("throttlescope: 1\nservers: {{real: {{}}}}\n"
                      "workload:\n  - {{operation: item, server: real, method: GET, policy: {}, arrivals: {{batch: 1}}}}\n"
                      "policies:\n  {}:\n{}",
            name, name, keysOf(order));
    LoadOptions options;
    for (const std::string &assignment : order.set)
        options.set.push_back(fmt::format("policies.{}.{}", name, assignment));
    return PolicyDraft::open(text, order.policy, options);
}

FetchTraffic::FetchTraffic(fetch::FetchOrder order, std::shared_ptr<const Policy> policy)
    : m_order(std::move(order))
    , m_policy(std::move(policy))
{
}

RunReport FetchTraffic::run(journal::EventSink &sink, const std::atomic<bool> &cancelled)
{
    RunReport report;
    auto opened = fetch::openFetch(m_order, m_policy, [this](const std::string &line) { say(line); });
    const auto done = opened ? fetch::openOutputs(m_order, *opened) : tl::unexpected(opened.error());
    if (!done) {
        report.error = done.error().text;
        return report;
    }
    opened->journal->setWatcher(&sink);
    fetch::Fetcher fetcher{fetch::setupOf(m_order, *opened)};
    m_fetcher = &fetcher;
    QEventLoop loop;
    QObject::connect(&fetcher, &fetch::Fetcher::finished, &loop, &QEventLoop::quit);
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &fetcher, [&] {
        if (cancelled && !fetcher.interrupted())
            fetcher.interrupt();
    });
    look.start(kBetweenLooks);
    fetcher.start();
    loop.exec();
    m_fetcher = nullptr;
    report.operations = fetcher.reports().size();
    report.interrupted = fetcher.interrupted();
    if (fetcher.problem())
        report.error = fetcher.problem()->text;
    say(fmt::format("{}{} of {} settled with {} requests", report.interrupted ? "stopped: " : "",
        fetcher.reports().size() - fetcher.unchecked(), fetcher.reports().size(), fetcher.requests()));
    return report;
}

void FetchTraffic::retune(const Policies &policies)
{
    const auto wanted = policies.find(m_policy->name);
    if (!m_fetcher || wanted == policies.end() || *wanted->second == *m_policy)
        return;
    m_policy = wanted->second;
    m_fetcher->replacePolicy(m_policy);
}

MonotonicTime FetchTraffic::now() const
{
    return m_fetcher ? m_fetcher->now() : MonotonicTime{};
}

} // namespace throttlescope::dashboard
