// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/time.h"
#include "core/net/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::fetch {

inline constexpr int kNotModified = 304; ///< RFC 9110 15.4.5: the answer is the one that was had before

/// What became of an item. The first three settle it.
enum class Verdict { Agreed, Changed, NoSuch, Unchecked };
std::string_view word(Verdict verdict);
std::optional<Verdict> verdictOf(std::string_view word);

struct Answer {
    int status = 0;
    std::string digest; ///< SHA-256 of the body
    bool operator==(const Answer &) const = default;
};

/// What a checkpoint knows of an item.
struct Settled {
    Verdict verdict = Verdict::Agreed;
    Answer answer; ///< the last one
    Answer baseline; ///< what answers are held against: the first one, or the last that was acknowledged
    bool operator==(const Settled &) const = default;
};

struct Judgement {
    Verdict verdict = Verdict::Unchecked;
    std::optional<Settled> settled; ///< absent: unchecked
    std::string reason; ///< why it is unchecked
    std::optional<int> status; ///< of the last response
    std::optional<Duration> hint; ///< when the server said to come back, of an unchecked one
    bool operator==(const Judgement &) const = default;
};

/// `earlier` may be null. `acknowledged`: a changed or gone answer is known and becomes what later ones are held against.
/// `largestBody`: the bytes at which the client breaks a body off.
Judgement judge(const net::Result &result, const Settled *earlier, bool acknowledged, std::uint64_t largestBody = UINT64_MAX);
/// It never got as far as an answer.
Judgement unchecked(std::string_view reason);

} // namespace throttlescope::fetch
