// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/cri_lines.h"

#include "simulator/incident/line_source.h"

#include <array>
#include <string>
#include <utility>

namespace throttlescope::incident {

namespace {

class CriReader final : public LineReader {
public:
    explicit CriReader(std::unique_ptr<LineReader> inner)
        : m_inner(std::move(inner))
    {
    }

    Reading read(std::string_view line, LogEntry &entry) override
    {
        const auto prefix = criPrefix(line);
        if (!prefix)
            return malformed(1, "expected a container runtime's prefix as 2016-10-06T00:17:09.669794202Z stdout F");
        std::string &begun = m_begun[prefix->standardError ? 1 : 0];
        bool &tooLong = m_tooLong[prefix->standardError ? 1 : 0];
        const std::string_view text = line.substr(prefix->size);
        tooLong = tooLong || begun.size() + text.size() > kLongestLine;
        if (prefix->partial) {
            if (!tooLong)
                begun.append(text);
            return Reading::NotARequest; // it is not over
        }
        if (std::exchange(tooLong, false)) {
            std::string{}.swap(begun);
            return malformed(prefix->size + 1, "expected a line of at most 1 MiB in all its parts");
        }
        if (begun.empty())
            return readWith(text, prefix->size, entry);
        begun.append(text);
        const Reading reading = readWith(begun, prefix->size, entry);
        begun.clear();
        return reading;
    }

private:
    Reading readWith(std::string_view text, std::size_t before, LogEntry &entry)
    {
        const Reading reading = m_inner->read(text, entry);
        if (reading == Reading::Malformed)
            return malformed(before + m_inner->complaint().column, m_inner->complaint().what);
        m_writtenOffset = m_inner->writtenOffset();
        return reading;
    }

    std::unique_ptr<LineReader> m_inner;
    std::array<std::string, 2> m_begun; ///< of standard output and error
    std::array<bool, 2> m_tooLong{};
};

} // namespace

std::optional<CriPrefix> criPrefix(std::string_view line)
{
    CriPrefix prefix;
    const std::size_t blank = line.substr(0, 40).find(' ');
    if (blank == std::string_view::npos || !readIsoTime(line.substr(0, blank)))
        return std::nullopt;
    const std::string_view rest = line.substr(blank + 1);
    prefix.standardError = rest.starts_with("stderr ");
    if (!prefix.standardError && !rest.starts_with("stdout "))
        return std::nullopt;
    const std::string_view tag = rest.substr(7);
    if (tag.empty() || (tag.front() != 'F' && tag.front() != 'P') || (tag.size() > 1 && tag[1] != ' ' && tag[1] != ':'))
        return std::nullopt;
    // More tags may follow, with colons between them.
    const std::size_t end = tag.find(' ');
    prefix.partial = tag.front() == 'P';
    prefix.size = end == std::string_view::npos ? line.size() : blank + 1 + 7 + end + 1;
    return prefix;
}

std::unique_ptr<LineReader> criReader(std::unique_ptr<LineReader> inner)
{
    return std::make_unique<CriReader>(std::move(inner));
}

} // namespace throttlescope::incident
