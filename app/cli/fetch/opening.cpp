// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/opening.h"

#include "app/cli/fetch/acknowledged.h"
#include "app/cli/fetch/paths_apart.h"
#include "app/cli/fetch/trust.h"
#include "core/engine/words.h"
#include "simulator/scenario/policy_text.h"

#include <QFileInfo>
#include <QRandomGenerator>
#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::fetch {

namespace {

void sayAll(const Say &say, const std::vector<LoadError> &errors)
{
    for (const LoadError &error : errors)
        say(error.format());
}

/// What is read. Lines that are no items are named and go on without them.
OrProblem<void> readInputs(const FetchOrder &order, OpenedFetch &opened, const Say &say)
{
    auto worklist = readWorklist(order.worklist);
    if (!worklist)
        return tl::unexpected(worklist.error());
    opened.worklist = std::move(*worklist);
    sayAll(say, opened.worklist.skipped);
    if (opened.worklist.items.empty() && opened.worklist.skipped.empty())
        return usage(fmt::format("{}: nothing to fetch, expected a URL or a JSON object a line", order.worklist));
    opened.fingerprint = fetch::fingerprint(opened.worklist.items);
    auto credentials = readCredentials(order.credentials, opened.worklist.items);
    if (!credentials)
        return tl::unexpected(credentials.error());
    opened.credentials = std::move(*credentials);
    for (const std::string &warning : opened.credentials.warnings)
        say("throttlescope: " + warning);
    if (!order.caFile.empty()) {
        auto tls = trusting(order.caFile);
        if (!tls)
            return tl::unexpected(tls.error());
        opened.tls = std::move(*tls);
    }
    if (order.acknowledged.empty())
        return {};
    auto acknowledged = readAcknowledged(order.acknowledged, opened.worklist.items);
    if (!acknowledged)
        return tl::unexpected(acknowledged.error());
    opened.acknowledged = std::move(acknowledged->ids);
    sayAll(say, acknowledged->strangers);
    return {};
}

/// The order of asking. A dry run only reads the checkpoint.
OrProblem<Plan> openPlan(const FetchOrder &order, OpenedFetch &opened)
{
    std::map<std::string, Settled> read;
    const std::map<std::string, Settled> *settled = &read;
    if (!order.checkpoint.empty() && order.dryRun) {
        auto known = Checkpoint::read(order.checkpoint, opened.fingerprint);
        if (!known)
            return tl::unexpected(known.error());
        read = std::move(*known);
    } else if (!order.checkpoint.empty()) {
        auto checkpoint = Checkpoint::open(order.checkpoint, opened.fingerprint);
        if (!checkpoint)
            return tl::unexpected(checkpoint.error());
        opened.checkpoint = std::move(*checkpoint);
        settled = &opened.checkpoint->settled();
    }
    return makePlan(opened.worklist.items, *settled, order.unsettledOnly, opened.seed);
}

/// Time in the pacer's queue counts in total_timeout: what cannot be in time must not be handed over.
OrProblem<void> checkPacing(const FetchOrder &order, const OpenedFetch &opened)
{
    const auto &limit = opened.policy->totalTimeout;
    const auto starts = pacedStarts(opened.worklist.items, opened.plan.order, *opened.policy, order.concurrency);
    const std::size_t asked = std::min<std::uint64_t>(starts.size(), order.maxRequests.value_or(UINT64_MAX)); // at most
    for (std::size_t i = 0; limit && i < asked; ++i) {
        const Duration queued = starts[i].start - starts[i].handedOver;
        if (queued > *limit)
            return usage(fmt::format("--concurrency {}: the pacing lets item {} go after {}, expected no more than the policy's "
                                     "total_timeout of {}: fewer at a time, or a longer total_timeout",
                order.concurrency, i + 1, durationText(queued), durationText(*limit)));
    }
    return {};
}

} // namespace

OrProblem<OpenedFetch> openFetch(const FetchOrder &order, std::shared_ptr<const Policy> policy, const Say &say)
{
    OpenedFetch opened;
    opened.policy = std::move(policy);
    opened.seed = order.seed.value_or(QRandomGenerator::system()->generate64() >> 1); // what --seed takes
    if (auto done = readInputs(order, opened, say); !done)
        return tl::unexpected(done.error());
    if (auto good = pathsApart(order, opened.worklist.items); !good)
        return tl::unexpected(good.error());
    auto plan = openPlan(order, opened);
    if (!plan)
        return tl::unexpected(plan.error());
    opened.plan = std::move(*plan);
    if (auto good = checkPacing(order, opened); !good)
        return tl::unexpected(good.error());
    return opened;
}

OrProblem<void> openOutputs(const FetchOrder &order, OpenedFetch &opened)
{
    const Redactor secrets{secretsIn(opened.credentials.headers, opened.worklist.items)};
    if (!order.out.empty()) {
        auto output = OutputFolder::open(order.out, secrets);
        if (!output)
            return tl::unexpected(output.error());
        opened.output = std::move(*output);
    }
    auto journal = RunJournal::open(order.journal, secrets);
    if (!journal)
        return tl::unexpected(journal.error());
    opened.journal = std::move(*journal);
    return {};
}

FetchSetup setupOf(const FetchOrder &order, OpenedFetch &opened)
{
    FetchSetup setup;
    setup.items = std::move(opened.worklist.items);
    setup.plan = std::move(opened.plan);
    setup.concurrency = order.concurrency;
    setup.maxRequests = order.maxRequests;
    setup.credentials = std::move(opened.credentials.headers);
    setup.acknowledged = std::move(opened.acknowledged);
    setup.policy = opened.policy;
    setup.client.run = {QFileInfo{QString::fromStdString(order.worklist)}.fileName().toStdString(), std::move(opened.fingerprint),
        policiesJson({{opened.policy->name, opened.policy}})};
    setup.client.seed = opened.seed;
    setup.client.tls = std::move(opened.tls);
    setup.client.largestBody = order.maxBody;
    setup.journal = opened.journal;
    setup.checkpoint = opened.checkpoint.get();
    setup.output = opened.output ? &*opened.output : nullptr;
    return setup;
}

} // namespace throttlescope::fetch
