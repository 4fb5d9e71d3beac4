// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/fetcher.h"
#include "app/cli/fetch/order.h"
#include "app/cli/fetch/plan.h"
#include "app/cli/fetch/problem.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace throttlescope::fetch {

/// What an order opens. It outlives the fetcher that is set up with it.
struct OpenedFetch {
    Worklist worklist;
    std::string fingerprint; ///< of the worklist
    std::shared_ptr<const Policy> policy;
    Credentials credentials;
    std::set<std::string> acknowledged;
    std::optional<QSslConfiguration> tls;
    std::unique_ptr<Checkpoint> checkpoint;
    Plan plan;
    std::uint64_t seed = 0; ///< as ordered, or drawn
    std::optional<OutputFolder> output;
    std::shared_ptr<RunJournal> journal;
};

/// One line of what should be known, though it goes on: a line that is no item, a credential that goes out unencrypted.
using Say = std::function<void(const std::string &)>;

/// Reads what the order names and plans the asking. Whatever is wrong with it shows here, before the first request; a
/// checkpoint is the only file that is made, and none in a dry run.
OrProblem<OpenedFetch> openFetch(const FetchOrder &order, std::shared_ptr<const Policy> policy, const Say &say);

/// The rest, right before the run: the folder, and the journal, which is emptied.
OrProblem<void> openOutputs(const FetchOrder &order, OpenedFetch &opened);

/// Takes what was opened.
FetchSetup setupOf(const FetchOrder &order, OpenedFetch &opened);

} // namespace throttlescope::fetch
