// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_entry.h"
#include "simulator/incident/log_stream.h"

#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::incident {

struct LogReadOptions {
    StreamOptions stream;
    /// RFC 3339, or "HH:MM", see logSpan(). Half open: [since, until). Empty: no bound.
    std::string since;
    std::string until;
    bool zoneNamed = false; ///< the zone was named: clocks are its own, not those of the logs
    /// Asked now and then; false stops the reading, and what was read is summed up.
    std::function<bool()> goOn;
};

struct LogSummary {
    std::vector<FileSummary> files; ///< in the order in which they were named
    std::uint64_t lines = 0;
    std::uint64_t entries = 0; ///< given to the sink
    std::uint64_t outside = 0; ///< before `since`, or not before `until`
    std::uint64_t notRequests = 0;
    std::uint64_t malformed = 0;
    std::uint64_t otherFormats = 0;
    std::uint64_t outOfOrder = 0;
    std::uint64_t notesMatched = 0; ///< of an error log: the access log had the same request
    std::optional<WallTime> first; ///< of what was given
    std::optional<WallTime> last;
    std::optional<WallTime> since; ///< as understood
    std::optional<WallTime> until;
    Duration offset{}; ///< ahead of UTC, of the clock on which the logs are talked about: their own, or the one that was named
    bool stopped = false;

    bool operator==(const LogSummary &) const = default;
};

/// Gets the entries by time; only what `outOfOrder` counts comes later than its place. May move from the entry.
using EntrySink = std::function<void(LogEntry &)>;

/// Reads logs, "-" being the standard input, in whatever order they are named: rotated ones are put together by time. What an
/// nginx error log tells of a request that an access log has as well is written into that entry. An error, which begins with
/// the file's name, where one of them cannot be read at all; nothing was given to the sink then.
tl::expected<LogSummary, std::string> readLogs(const std::vector<std::string> &files, const LogReadOptions &options, const EntrySink &sink);
/// The same from streams that were probed.
tl::expected<LogSummary, std::string> readStreams(
    std::vector<std::unique_ptr<LogStream>> streams, const LogReadOptions &options, const EntrySink &sink);

} // namespace throttlescope::incident
