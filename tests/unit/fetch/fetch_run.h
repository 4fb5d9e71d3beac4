// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../net/scripted_peer.h"
#include "app/cli/fetch/fetcher.h"

#include <QSignalSpy>
#include <QTest>

/// A fetcher of a test's own setup, run to its end.
namespace throttlescope::testing {

using namespace throttlescope::fetch;

inline constexpr int kPatience = 20'000;

inline Policy quickPolicy()
{
    Policy policy;
    policy.name = "quick";
    policy.replay = ReplayRule::Safe;
    policy.backoff = {.kind = BackoffKind::Constant, .base = 2ms, .max = 30s, .jitter = NoJitter{}};
    return policy;
}

/// `count` items at the peer, and whatever of the setup a test changes.
struct Fetch {
    Fetch(const ScriptedPeer &peer, std::size_t count, Policy policy = quickPolicy())
    {
        for (std::size_t i = 0; i < count; ++i) {
            Item item;
            item.id = "item " + std::to_string(i);
            item.url = peer.url(QString{"/%1"}.arg(i));
            setup.items.push_back(item);
        }
        setup.policy = std::make_shared<const Policy>(std::move(policy));
        setup.client.seed = 1;
        setup.journal = *RunJournal::open({});
    }

    /// Runs it to its end; `during` is called with each progress.
    void run(const std::function<void(Fetcher &)> &during = [](Fetcher &) {})
    {
        setup.plan
            = makePlan(setup.items, setup.checkpoint ? setup.checkpoint->settled() : std::map<std::string, Settled>{}, unsettledOnly, 1);
        Fetcher fetcher{setup};
        QSignalSpy finished{&fetcher, &Fetcher::finished};
        QObject::connect(&fetcher, &Fetcher::progressed, &fetcher, [&] { during(fetcher); });
        fetcher.start();
        QVERIFY(finished.wait(kPatience));
        reports.assign(setup.items.size(), {});
        for (const ItemReport &report : fetcher.reports())
            reports[report.item] = report;
        QCOMPARE(fetcher.reports().size(), setup.plan.order.size());
        requests = fetcher.requests();
        problem = fetcher.problem();
    }
    QString result(std::size_t item) const
    {
        const Judgement &judgement = reports[item].judgement;
        return QString::fromStdString(
            std::string{fetch::word(judgement.verdict)} + (judgement.reason.empty() ? "" : " " + judgement.reason));
    }
    std::map<QString, int> results() const
    {
        std::map<QString, int> counts;
        for (std::size_t i = 0; i < reports.size(); ++i)
            ++counts[result(i)];
        return counts;
    }

    FetchSetup setup;
    bool unsettledOnly = false;
    std::vector<ItemReport> reports;
    std::uint64_t requests = 0;
    std::optional<Problem> problem;
};

using Tally = std::map<QString, int>;

} // namespace throttlescope::testing
