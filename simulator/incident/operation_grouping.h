// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"
#include "simulator/incident/retry_gaps.h"

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

namespace throttlescope::incident {

/// How a logged request ended, as far as its client would care.
enum class Ending {
    Succeeded,
    Refused, ///< 429, or whatever says "rate limited" here
    Failed, ///< 500, 502, 503, 504, aborted: may be tried again
    Final ///< any other status: nobody tries that again
};

/// What a log tells of a request, names as numbers of whatever table its reader keeps.
struct LoggedRequest {
    WallTime at{};
    std::optional<Duration> took; ///< absent: over at once, as far as anybody knows
    std::uint32_t key = 0; ///< whose request it is
    std::uint32_t method = 0;
    std::uint32_t path = 0;
    std::optional<std::uint64_t> bodySize;
    Ending ending = Ending::Succeeded;
    std::optional<Duration> told; ///< Retry-After, where the log has it
    std::optional<std::uint64_t> correlation; ///< a hash of the id, where the log has one
};

struct GroupedRequest {
    std::uint64_t operation = 0; ///< numbered from 0 in order of first attempts
    std::uint32_t attempt = 1;

    bool operator==(const GroupedRequest &) const = default;
};

struct GroupingTotals {
    std::uint64_t attempts = 0;
    std::uint64_t operations = 0;
    std::uint64_t refusals = 0;
    std::uint64_t refusedOperations = 0; ///< with at least one refusal
    std::uint64_t attemptsOfRefused = 0; ///< all attempts of those
    std::uint64_t retries = 0; ///< attempts beyond each operation's first
    std::uint64_t ambiguous = 0; ///< retries of more than one open operation, perhaps, or of one that nobody tries as often
    std::uint64_t forgotten = 0; ///< open operations given up for want of room: a retry of theirs counts as a new one

    /// Attempts an operation that was refused took; 1 where none was.
    double amplification() const
    {
        return refusedOperations == 0 ? 1 : static_cast<double>(attemptsOfRefused) / static_cast<double>(refusedOperations);
    }
    /// Where it is a large part (a fifth), equal calls are too many at once to be told apart: the amplification is a guess, and
    /// rather too high.
    double ambiguity() const { return retries == 0 ? 0 : std::min(1.0, static_cast<double>(ambiguous) / static_cast<double>(retries)); }
    bool operator==(const GroupingTotals &) const = default;
};

/// Puts the attempts of one logical call together again, so that a replay does not retry the retries.
///
/// A request is a retry where one of the same key, method, path and body size was refused or failed before it began, and
/// not too long ago. Of several such operations the one that was due first takes it up: first those whose told time has
/// come, then those that were told to wait longer (there are clients that do not). Calls that overlap are never one operation.
/// With a correlation id, that alone decides.
///
/// What cannot be known: an operation that its client gave up looks open until the time limit, and an equal new call takes
/// its place; then two operations are counted as one. Equal calls in a row (one path, no bodies, one key) make that
/// common; ids in paths, differing bodies or a correlation id make it rare.
///
/// Streaming: requests in order of `at`, memory bounded by `mostOpen`.
class OperationGrouping {
public:
    static constexpr std::size_t kMostOpen = 200'000; ///< some 30 MB
    static constexpr Duration kLongestWait = std::chrono::minutes{10}; ///< for the next attempt; longer only where so told

    explicit OperationGrouping(Duration precision, std::size_t mostOpen = kMostOpen);

    GroupedRequest take(const LoggedRequest &request);
    const GroupingTotals &totals() const { return m_totals; }

private:
    struct Operation {
        std::uint64_t number = 0;
        std::uint32_t attempts = 0;
        bool refused = false;
    };
    /// Where an open operation stands: among its equals the one that is due first comes first.
    struct Place {
        std::uint64_t fingerprint = 0;
        WallTime due;
        std::uint64_t number = 0;
        auto operator<=>(const Place &) const = default;
    };
    struct Waiting {
        Operation operation;
        WallTime since; ///< its last attempt ended
        WallTime until; ///< later than that, it is given up
    };
    struct Expiry {
        Place place;
        std::uint32_t attempts = 0; ///< at that time: it may have gone on since
        WallTime until;
    };

    Operation resumed(const LoggedRequest &request, std::uint64_t fingerprint);
    void account(Operation &operation, const LoggedRequest &request);
    void wait(const Operation &operation, const LoggedRequest &request, std::uint64_t fingerprint);
    Operation &named(std::uint64_t id);
    void expire(WallTime now);
    bool remove(const Expiry &expiry);

    const Duration m_precision;
    const std::size_t m_mostOpen;
    std::map<Place, Waiting> m_waiting;
    std::deque<Expiry> m_expiries; ///< in order of the attempts; holds stale ones, which are passed over
    std::unordered_map<std::uint64_t, Operation> m_named;
    std::deque<std::uint64_t> m_namedInOrder;
    RetryGaps m_gaps;
    GroupingTotals m_totals;
};

} // namespace throttlescope::incident
