// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_entry.h"
#include "simulator/incident/log_time.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace throttlescope::incident {

/// What a line turned out to be.
enum class Reading {
    Entry,
    NotARequest, ///< of this format, and tells of no request: passed over without a word
    Malformed,
};

/// Why a line is none of a format. Costs nothing to make: a log may have a million of them.
struct Complaint {
    std::size_t column = 1; ///< from 1, in bytes
    std::string_view what; ///< "expected a status"; lives as long as the reader

    bool operator==(const Complaint &) const = default;
};

/// What a value of a log of JSON Lines means.
enum class FieldRole {
    Time, ///< of the line: the end of the request, where its duration is known
    Start,
    Duration,
    Status,
    Method,
    Host,
    Path, ///< or a whole URL
    Request, ///< "GET /path HTTP/1.1"
    Client,
    RequestSize,
    UpstreamStatus,
    Correlation, ///< which requests belong together
    Header, ///< of the response: `FieldMapping::header`
};

/// `--field time=ts`, `--field header.retry-after=resp.ra`.
struct FieldMapping {
    FieldRole role{};
    std::string header; ///< in lower case; of `Header` only
    std::string key; ///< nested ones with dots: "http.response.status"
    EpochUnit unit = EpochUnit::Guessed; ///< "time=ts:ms"; of times and durations

    bool operator==(const FieldMapping &) const = default;
};
/// The error names what is known.
tl::expected<FieldMapping, std::string> fieldMapping(std::string_view text);

struct ReaderOptions {
    LogTimeZone zone; ///< of logs that do not write theirs
    std::string logFormat; ///< nginx' `log_format`, as in its configuration
    std::vector<FieldMapping> fields; ///< of JSON Lines; what is not named is looked for under common names
    std::string correlate; ///< the request header, in lower case, that tells which requests belong together
};

/// Reads one line of one format. Keeps nothing but what a line needs of the lines before it. Throws nothing but bad_alloc.
class LineReader {
public:
    virtual ~LineReader() = default;

    /// Fills `entry`, whose texts are used again, where the line is an entry. The line has no line end.
    virtual Reading read(std::string_view line, LogEntry &entry) = 0;
    /// Of the last line that was malformed.
    const Complaint &complaint() const { return m_complaint; }
    /// The offset that the log itself writes with its times; none where it has none or no entry was read.
    std::optional<Duration> writtenOffset() const { return m_writtenOffset; }

protected:
    Reading malformed(std::size_t column, std::string_view what)
    {
        m_complaint = {column, what};
        return Reading::Malformed;
    }
    /// Sets `at` and `precision`. What took `took` until then arrived that much earlier.
    void setTime(LogEntry &entry, const LogTime &time, const LogTimeZone &zone, Duration took);

    Complaint m_complaint;
    std::optional<Duration> m_writtenOffset;

private:
    WallTime m_last = WallTime::min();
};

} // namespace throttlescope::incident
