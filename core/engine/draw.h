// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace throttlescope {

/// What a number is drawn for. A stream of its own each, so that a new rule never shifts another's draws.
enum class Stream : std::uint8_t {
    BackoffJitter,
    HintSpread,
    PaddingJitter,
    CooldownJitter, ///< the backoff draw of a final attempt, which only sets the shared cooldown (rule 10)
    Latency,
    NetworkFault,
    BreakAt,
    Arrival,
    Budget,
    NetworkOut,
    NetworkBack,
    ReadBack, ///< of an attempt that reads and writes, the hops between the two
    WriteOut,
};

struct DrawKey {
    Stream stream;
    std::uint64_t operation; ///< the operation's stable key, not its running number
    std::uint32_t attempt;
};

/// The key of a fallback's draws: its own, so that it does not meet the primary's faults again.
constexpr std::uint64_t fallbackDrawKey(std::uint64_t primary)
{
    return primary * 0x9e3779b97f4a7c15 + 1;
}

/// A pure function of its key, uniform in [0, 1). The engine draws no numbers of its own.
class Draw {
public:
    virtual ~Draw() = default;
    virtual double operator()(const DrawKey &key) const = 0;
};

} // namespace throttlescope
