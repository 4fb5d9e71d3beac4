// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/allowance.h"
#include "app/cli/fetch/checkpoint.h"
#include "app/cli/fetch/output_folder.h"
#include "app/cli/fetch/plan.h"
#include "app/cli/fetch/run_journal.h"
#include "core/net/client.h"

#include <QObject>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace throttlescope::fetch {

struct FetchSetup {
    std::vector<Item> items;
    Plan plan;
    std::size_t concurrency = 4; ///< operations handed to the client at a time
    std::optional<std::uint64_t> maxRequests;
    Headers credentials; ///< sent with every request that has no header of that name
    std::set<std::string> acknowledged; ///< ids
    std::shared_ptr<const Policy> policy;
    net::ClientOptions client; ///< what is left of it: run, seed, tls, largestBody
    std::shared_ptr<RunJournal> journal; ///< never null
    Checkpoint *checkpoint = nullptr; ///< may be null
    const OutputFolder *output = nullptr; ///< may be null
};

/// What became of an item that was in the plan.
struct ItemReport {
    std::size_t item = 0; ///< its index
    Judgement judgement;
    bool acknowledged = false;
};

/// Asks what a plan says, in order; a settled answer is kept as it comes: the files first, then the checkpoint's row.
class Fetcher : public QObject {
    Q_OBJECT

public:
    explicit Fetcher(FetchSetup setup);
    ~Fetcher() override;

    void start();
    /// From the next decision on, also of what is under way. Retries that --max-requests has ended stay so.
    void replacePolicy(std::shared_ptr<const Policy> policy);
    /// What is under way is given up; finished() comes all the same.
    void interrupt();

    const std::vector<Item> &items() const { return m_setup.items; }
    const std::vector<ItemReport> &reports() const { return m_reports; } ///< of every item of the plan once finished
    std::uint64_t requests() const { return m_setup.journal->sent(); }
    std::size_t unchecked() const { return m_unchecked; }
    bool interrupted() const { return m_interrupted; }
    /// Of the journal, while it runs.
    MonotonicTime now() const { return m_client ? m_client->now().monotonic : MonotonicTime{}; }
    const std::optional<Problem> &problem() const { return m_problem; } ///< why it stopped before the end

Q_SIGNALS:
    void progressed();
    void finished();

private:
    void handOver();
    void ask(std::size_t item);
    void answered(std::size_t item, const net::Result &result);
    OrProblem<void> keep(const Item &item, const Judgement &judgement, const net::Result &result);
    void report(std::size_t item, Judgement &&judgement, bool acknowledged);
    void endRetries();
    bool retries(const Policy &policy) const { return !m_retriesEnded && policy.retry && policy.maxAttempts > 1; }
    void stop();
    void conclude();

    FetchSetup m_setup;
    const Allowance m_allowance;
    std::unique_ptr<net::Client> m_client;
    std::vector<ItemReport> m_reports;
    std::size_t m_next = 0; ///< place in the plan's order
    std::size_t m_open = 0;
    std::size_t m_toCome = 0; ///< requests that one attempt of each open one may become
    std::size_t m_unchecked = 0;
    bool m_retriesEnded = false; ///< by max_requests
    bool m_retriesOn;
    bool m_stopping = false;
    bool m_interrupted = false;
    std::optional<Problem> m_problem;
};

} // namespace throttlescope::fetch
