// SPDX-License-Identifier: Apache-2.0
#include "core/journal/event_reader.h"

#include <algorithm>
#include <fmt/format.h>

/// A journal as a stream of lines: how they are cut, and in which order they may come.
namespace throttlescope::journal {

namespace {

constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// Up to a line end, or to more than a line may have: whoever sends no line end does not fill the memory.
bool readLine(std::istream &stream, std::string &line)
{
    line.clear();
    char part[1 << 14];
    while (true) {
        stream.getline(part, sizeof part);
        const auto count = static_cast<std::size_t>(stream.gcount());
        const bool full = stream.fail() && !stream.eof() && count == sizeof part - 1;
        const bool ended = !stream.fail() && !stream.eof(); // the line end was counted, too
        line.append(part, count - (ended ? 1 : 0));
        if (!full)
            return ended || !line.empty();
        stream.clear();
        if (line.size() > kLongestLine)
            return true;
    }
}

std::string_view withoutMark(std::string_view line)
{
    constexpr std::string_view mark{"\xEF\xBB\xBF"};
    return line.substr(line.rfind(mark, 0) == 0 ? mark.size() : 0);
}

/// What only shows in the order of the lines.
class Order {
public:
    /// Empty: the event may come next.
    std::string problem(const Event &next)
    {
        if (const auto *started = std::get_if<RunStarted>(&next.payload)) {
            if (started->schema > kSchemaVersion)
                return fmt::format(
                    "a journal of schema {}, expected at most {}: a newer version wrote it", started->schema, kSchemaVersion);
            if (m_lastSeq > 0)
                return "a second run begins here, expected one run a journal";
        }
        if (next.seq > 0 && next.seq <= m_lastSeq)
            return fmt::format("'seq' {} after {}, expected the lines in order", next.seq, m_lastSeq);
        m_lastSeq = std::max(m_lastSeq, next.seq);
        return {};
    }

private:
    std::uint64_t m_lastSeq = 0;
};

} // namespace

EventReader::Outcome EventReader::readAll(std::istream &stream, const std::function<void(const Event &)> &onEvent)
{
    Outcome outcome;
    Order order;
    std::string line;
    std::uint64_t number = 0;
    while (readLine(stream, line)) {
        ++number;
        const bool cut = stream.eof(); // no line end: whoever wrote it was stopped in the middle, or is still at it
        if (line.empty())
            continue;
        if (line.size() > kLongestLine) {
            outcome.brokenLine = number;
            outcome.error = "longer than 16 MiB";
            return outcome;
        }
        if (const Event *event = parse(number == 1 ? withoutMark(line) : line)) {
            if (std::string broken = order.problem(*event); !broken.empty()) {
                outcome.brokenLine = number;
                outcome.error = std::move(broken);
                return outcome;
            }
            ++outcome.events;
            onEvent(*event);
        } else if (cut) {
            outcome.cutLastLine = true;
        } else if (error().rfind("unknown event", 0) != 0) {
            outcome.brokenLine = number;
            outcome.error = error();
            return outcome;
        }
    }
    return outcome;
}

} // namespace throttlescope::journal
