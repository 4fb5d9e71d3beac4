// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/journal_lines.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::dashboard {

void JournalLines::add(std::string_view bytes)
{
    m_bytes.erase(0, m_begin);
    m_searched -= m_begin;
    m_begin = 0;
    m_bytes += bytes;
}

std::optional<JournalLines::Line> JournalLines::next()
{
    while (true) {
        const std::size_t end = m_bytes.find('\n', m_searched);
        if (end == std::string::npos) {
            m_searched = m_bytes.size();
            if (m_searched - m_begin <= kLongestLine)
                return std::nullopt;
            m_begin = m_searched; // whoever sends no line end does not fill the memory
            if (std::exchange(m_skipping, true))
                return std::nullopt;
            return Line{nullptr, false, m_lines + 1, "longer than 16 MiB"}; // said now: its end may never come
        }
        const std::string_view line = std::string_view{m_bytes}.substr(m_begin, end - m_begin);
        m_begin = m_searched = end + 1;
        ++m_lines;
        const bool skipped = std::exchange(m_skipping, false);
        if (std::exchange(m_lastTaken, false) || skipped)
            continue;
        if (auto found = read(line))
            return found;
    }
}

std::optional<JournalLines::Line> JournalLines::last()
{
    const std::string_view line = std::string_view{m_bytes}.substr(m_begin);
    if (m_lastTaken || m_skipping || line.empty() || line.back() != '}')
        return std::nullopt;
    auto found = read(line);
    if (!found || !found->event)
        return std::nullopt; // cut in the middle
    m_lastTaken = true;
    ++found->number;
    return found;
}

/// Nothing for an empty line and for an event that a newer version knows.
std::optional<JournalLines::Line> JournalLines::read(std::string_view line)
{
    if (constexpr std::string_view mark{"\xEF\xBB\xBF"}; m_lines <= 1 && line.substr(0, mark.size()) == mark)
        line.remove_prefix(mark.size());
    if (!line.empty() && line.back() == '\r')
        line.remove_suffix(1);
    if (line.empty())
        return std::nullopt;
    const journal::Event *event = m_reader.parse(line);
    if (!event) {
        if (m_reader.error().rfind("unknown event", 0) == 0)
            return std::nullopt;
        return Line{nullptr, false, m_lines, m_reader.error()};
    }
    const bool begins = std::holds_alternative<journal::RunStarted>(event->payload);
    if (begins && m_lastSeq > 0)
        return Line{event, true, m_lines, {}};
    if (std::string error = problem(*event); !error.empty())
        return Line{nullptr, false, m_lines, std::move(error)};
    m_lastSeq = std::max(m_lastSeq, event->seq);
    return Line{event, false, m_lines, {}};
}

std::string JournalLines::problem(const journal::Event &event) const
{
    if (const auto *started = std::get_if<journal::RunStarted>(&event.payload); started && started->schema > journal::kSchemaVersion)
        return fmt::format(
            "a journal of schema {}, expected at most {}: a newer version wrote it", started->schema, journal::kSchemaVersion);
    if (event.seq > 0 && event.seq <= m_lastSeq)
        return fmt::format("'seq' {} after {}, expected the lines in order", event.seq, m_lastSeq);
    return {};
}

} // namespace throttlescope::dashboard
