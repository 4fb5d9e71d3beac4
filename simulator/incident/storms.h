// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace throttlescope::incident {

/// What a log tells of an answer, as far as outages go.
struct LoggedAnswer {
    WallTime at{};
    int status = 0; ///< 0: aborted, no answer
    bool refused = false; ///< by a limit, whatever the status: no fault
    std::uint32_t server = 0;
    std::uint32_t key = 0;
};

/// A span in which a server failed far more often than else: a timeline entry.
struct Storm {
    static constexpr int kAborted = 0;

    WallTime begin{}; ///< whole seconds
    Duration span{};
    std::uint32_t server = 0;
    std::map<int, double> faults; ///< share of the requests in the span by status, in whole hundredths; kAborted is one

    bool operator==(const Storm &) const = default;
};

struct KeyShare {
    std::uint32_t key = 0;
    std::uint64_t refusals = 0;
    double share = 0; ///< of all refusals

    bool operator==(const KeyShare &) const = default;
};

/// The refusals of a log: when they set in, when they were worst, whose they were.
struct Flood {
    std::uint64_t refusals = 0;
    WallTime onset{}; ///< the first of those that led to the worst without a pause of five minutes
    WallTime peakMinute{}; ///< its beginning
    std::uint64_t peakRefusals = 0; ///< in that minute
    std::vector<KeyShare> topKeys; ///< the most refused first; equal ones by number

    bool operator==(const Flood &) const = default;
};

/// Counts answers in spans of ten seconds, coarser where a log is so long that these would be too many, and finds the
/// storms among them. Answers may come in any order.
class StormWatch {
public:
    static constexpr std::size_t kMostSpans = 50'000; ///< with something in them; half of them, twice as long, beyond
    static constexpr std::size_t kMostKeys = 100'000; ///< with refusals; those that come later are not told apart
    static constexpr std::size_t kMostMinutes = 500'000; ///< with refusals: most of a year; later ones are counted, not placed
    static constexpr std::size_t kMostCodes = 6; ///< told apart in a span: aborted, 500, 502, 503, 504, other 5xx

    void take(const LoggedAnswer &answer);
    std::vector<Storm> storms() const;
    /// None where nothing was refused.
    std::optional<Flood> flood(std::size_t mostKeys = 5) const;

private:
    struct Span {
        std::uint64_t answers = 0; ///< refusals apart: they say nothing of the server's health
        std::array<std::uint32_t, kMostCodes> faults{};
        WallTime firstFault{}, lastFault{};

        std::uint64_t failed() const;
        void add(const Span &other);
    };
    struct Refusals {
        std::uint64_t count = 0;
        WallTime first{};
    };
    using Spans = std::map<std::int64_t, Span>; ///< by number

    void coarsen();
    static double usualShare(const Spans &spans);
    std::optional<Storm> stormOf(std::uint32_t server, Spans::const_iterator begin, Spans::const_iterator end) const;

    std::int64_t m_length = 10'000'000; ///< microseconds
    std::map<std::uint32_t, Spans> m_servers;
    std::size_t m_spans = 0;
    std::map<std::int64_t, Refusals> m_minutes;
    std::unordered_map<std::uint32_t, std::uint64_t> m_keys;
    std::uint64_t m_refusals = 0;
};

} // namespace throttlescope::incident
