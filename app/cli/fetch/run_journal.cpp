// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/run_journal.h"

#include "app/cli/fetch/redacted_event.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace throttlescope::fetch {

namespace {

std::string cannotWrite(const std::string &file, int error)
{
    return fmt::format("{}: the journal cannot be written ({})", file, std::strerror(error));
}

} // namespace

OrProblem<std::shared_ptr<RunJournal>> RunJournal::open(const std::string &file, Redactor secrets)
{
    auto run = std::make_shared<RunJournal>();
    run->m_secrets = std::move(secrets);
    if (file.empty())
        return run;
    run->m_name = file;
    run->m_file.reset(std::fopen(file.c_str(), "wb"));
    if (!run->m_file)
        return couldNotRun(cannotWrite(file, errno));
    run->m_writer.emplace(run->m_file.get());
    return run;
}

void RunJournal::accept(const journal::Event &event)
{
    if (m_writer || m_watcher) {
        const RedactedEvent redacted{event, m_secrets};
        for (journal::EventSink *sink : {m_writer ? static_cast<journal::EventSink *>(&*m_writer) : nullptr, m_watcher}) {
            if (sink)
                sink->accept(redacted.event());
        }
    }
    const bool sent
        = std::holds_alternative<journal::AttemptStarted>(event.payload) || std::holds_alternative<journal::TransportResent>(event.payload);
    if (!sent)
        return;
    ++m_sent;
    if (m_onSent)
        m_onSent();
}

OrProblem<void> RunJournal::flush()
{
    if (m_writer && !m_writer->flush())
        return couldNotRun(cannotWrite(m_name, m_writer->error()));
    return {};
}

} // namespace throttlescope::fetch
