// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/cri_lines.h"
#include "simulator/incident/har_source.h"
#include "simulator/incident/log_formats.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace throttlescope::incident {

namespace {

/// How well a format reads the first lines.
struct Trial {
    FormatChoice format;
    std::size_t entries = 0;
    std::size_t passedOver = 0; ///< understood, and no request
    Complaint complaint; ///< of the first line that it does not read
    std::uint64_t line = 0;

    std::size_t read() const { return entries + passedOver; }
};

Trial tryOut(FormatChoice format, const LogHead &head, const ReaderOptions &options)
{
    Trial trial{.format = format};
    const auto reader = makeReader(format, options);
    if (!reader)
        return trial;
    LogEntry entry;
    for (const HeadLine &line : head.lines) {
        if (line.tooLong)
            continue;
        const Reading reading = (*reader)->read(line.text, entry);
        trial.entries += reading == Reading::Entry ? 1 : 0;
        trial.passedOver += reading == Reading::NotARequest ? 1 : 0;
        if (reading == Reading::Malformed && trial.line == 0) {
            trial.complaint = (*reader)->complaint();
            trial.line = line.line;
        }
    }
    return trial;
}

/// In the order of the enumeration.
std::vector<Trial> tryAll(const LogHead &head, const ReaderOptions &options)
{
    std::size_t prefixed = 0, lines = 0;
    for (const HeadLine &line : head.lines) {
        lines += line.tooLong ? 0 : 1;
        prefixed += !line.tooLong && criPrefix(line.text) ? 1 : 0;
    }
    std::vector<Trial> trials;
    for (int i = 0; i < kLogFormats; ++i) {
        const FormatChoice format{static_cast<LogFormat>(i), prefixed * 2 > lines};
        if (format.format != LogFormat::Har && (format.format != LogFormat::NginxLogFormat || !options.logFormat.empty()))
            trials.push_back(tryOut(format, head, options));
    }
    return trials;
}

const Trial &best(const std::vector<Trial> &trials)
{
    // A format that only passes lines over, as a program's messages, stands behind one that reads requests.
    return *std::max_element(trials.begin(), trials.end(), [](const Trial &a, const Trial &b) {
        return std::tuple{a.entries > 0, a.read()} < std::tuple{b.entries > 0, b.read()};
    });
}

std::string failure(const Trial &trial)
{
    return fmt::format("line {}, column {}: {}", trial.line, trial.complaint.column, trial.complaint.what);
}

/// A text has no NUL, and few other control characters.
std::string binaryFault(std::string_view bytes)
{
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
        return "is UTF-16, expected UTF-8; convert it before: iconv -f UTF-16 -t UTF-8";
    const std::size_t nul = bytes.find('\0');
    if (nul != std::string_view::npos)
        return fmt::format("is binary and no log (byte 0x00 at offset {})", nul);
    const auto control = std::count_if(
        bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t'; });
    if (control * 10 > static_cast<std::ptrdiff_t>(bytes.size()))
        return "is binary and no log (every tenth byte is a control character)";
    return {};
}

/// What can be said without trying any format. Empty: nothing.
std::string obviousFault(const LogHead &head)
{
    if (head.bytes.empty())
        return "is empty";
    if (std::string fault = binaryFault(head.bytes); !fault.empty())
        return fault;
    if (head.lines.empty())
        return "has nothing but empty lines at its beginning";
    if (std::all_of(head.lines.begin(), head.lines.end(), [](const HeadLine &line) { return line.tooLong; }))
        return fmt::format("is no log: line {} is longer than 1 MiB, and nothing shorter follows", head.lines.front().line);
    return {};
}

/// "no HAR", "not of the given log_format".
std::string noneOf(FormatChoice named)
{
    const std::string title = formatTitle(named);
    return (title.starts_with("the ") ? "not of " : "no ") + title;
}

} // namespace

tl::expected<FormatChoice, std::string> detectFormat(const LogHead &head, const ReaderOptions &options)
{
    if (HarSource::beginsAsHar(head.bytes))
        return FormatChoice{LogFormat::Har, false};
    if (std::string fault = obviousFault(head); !fault.empty())
        return tl::unexpected(std::move(fault));
    const std::vector<Trial> trials = tryAll(head, options);
    const Trial &found = best(trials);
    if (found.entries > 0 || found.read() * 2 > head.lines.size())
        return found.format;
    // The one that came furthest is what was meant, most likely; of several the plainest, which is the last.
    const Trial *nearest = &trials.front();
    for (const Trial &trial : trials)
        nearest = trial.complaint.column >= nearest->complaint.column ? &trial : nearest;
    return tl::unexpected(fmt::format("is of no known format; the nearest is {}: {}", formatTitle(nearest->format), failure(*nearest)));
}

std::string objection(FormatChoice named, const LogHead &head, const ReaderOptions &options)
{
    if (const auto reader = makeReader(named, options); !reader)
        return reader.error();
    const bool har = HarSource::beginsAsHar(head.bytes);
    if (har || named.format == LogFormat::Har) {
        if (har && named.format == LogFormat::Har)
            return {};
        return har ? fmt::format("is {}, it is a HAR", noneOf(named)) : "is no HAR: line 1, column 1: expected an object with 'log'";
    }
    if (std::string fault = obviousFault(head); !fault.empty())
        return fault;
    const Trial trial = tryOut(named, head, options);
    const std::vector<Trial> trials = tryAll(head, options);
    const Trial &other = best(trials);
    const bool worse = other.format != named && (other.entries > 0 || trial.read() == 0) && trial.read() < other.read();
    if (trial.line == 0 || (trial.read() > 0 && !worse))
        return {};
    if (other.read() == 0)
        return fmt::format("is {}: {}", noneOf(named), failure(trial));
    if (trial.entries > 0 && trial.read() * 2 >= head.lines.size())
        return {}; // mixed, and this is what was asked for
    return fmt::format("is {}: {}; the nearest format is {} ({} of {} lines)", noneOf(named), failure(trial), formatTitle(other.format),
        other.read(), head.lines.size());
}

} // namespace throttlescope::incident
