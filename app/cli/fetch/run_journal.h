// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/problem.h"
#include "app/cli/fetch/redactor.h"
#include "core/journal/event_writer.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace throttlescope::fetch {

/// Listens to the client: counts what is sent and, where there is a file, writes the journal.
class RunJournal final : public journal::EventSink {
public:
    /// `file` may be empty. `secrets` never reach it, whoever repeats them.
    static OrProblem<std::shared_ptr<RunJournal>> open(const std::string &file, Redactor secrets = {});

    void accept(const journal::Event &event) override;
    /// Gets what the file gets, without a file as well. Outlives the run.
    void setWatcher(journal::EventSink *watcher) { m_watcher = watcher; }
    /// Called after each request that was sent, inside the client's turn.
    void setOnSent(std::function<void()> onSent) { m_onSent = std::move(onSent); }
    std::uint64_t sent() const { return m_sent; } ///< requests, those that Qt repeated included
    OrProblem<void> flush();

private:
    struct Close {
        void operator()(std::FILE *file) const { std::fclose(file); }
    };
    std::string m_name;
    std::unique_ptr<std::FILE, Close> m_file;
    std::optional<journal::JsonLinesWriter> m_writer;
    Redactor m_secrets;
    journal::EventSink *m_watcher = nullptr;
    std::function<void()> m_onSent;
    std::uint64_t m_sent = 0;
};

} // namespace throttlescope::fetch
