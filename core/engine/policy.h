// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"
#include "core/engine/time.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The policy as plain values. What each means is DESIGN.md section 4; the words of the scenario file stand in
/// simulator/scenario/policy_fields.cpp, one row a field.
namespace throttlescope {

using namespace std::chrono_literals;

/// Which families may be tried again. Derived by replay.h, outside the engine.
enum class ReplayRule : std::uint8_t { Safe, Limited, Never };

struct RetryOn {
    bool rateLimited = true;
    bool ambiguous = true;
    bool transport = true;
    bool interrupted = true;
    bool operator==(const RetryOn &) const = default;
};

/// `count` events in every `per`: 20/min stays exactly 3 s apart.
struct Rate {
    double count = 1; ///< > 0
    Duration per = 1s;
    /// The spacing of `units` of these, rounded up to a microsecond.
    Duration interval(double units = 1) const;
    bool operator==(const Rate &) const = default;
};

// --- jitter and backoff -------------------------------------------------------------------------------------------
struct NoJitter {
    bool operator==(const NoJitter &) const = default;
};
struct FullJitter {
    bool operator==(const FullJitter &) const = default;
};
struct EqualJitter {
    bool operator==(const EqualJitter &) const = default;
};
struct DecorrelatedJitter {
    bool operator==(const DecorrelatedJitter &) const = default;
};
struct DecorrelatedV2Jitter {
    bool operator==(const DecorrelatedV2Jitter &) const = default;
};
struct PlusMinusJitter {
    double fraction = 0;
    bool operator==(const PlusMinusJitter &) const = default;
};
struct AdditiveJitter {
    Duration upTo{};
    bool operator==(const AdditiveJitter &) const = default;
};
using Jitter = std::variant<NoJitter, FullJitter, EqualJitter, DecorrelatedJitter, DecorrelatedV2Jitter, PlusMinusJitter, AdditiveJitter>;

enum class BackoffKind { Constant, Sequence, Linear, Exponential };

struct Backoff {
    BackoffKind kind = BackoffKind::Exponential;
    Duration base = 500ms;
    double factor = 2;
    Duration max = 30s;
    std::optional<Duration> first; ///< replaces the wait of the first retry; n goes on
    std::vector<Duration> sequence; ///< for `Sequence`: the last one repeats
    Jitter jitter = FullJitter{};
    bool operator==(const Backoff &) const = default;
};

// --- rate_limit ---------------------------------------------------------------------------------------------------
struct HintExact {
    bool operator==(const HintExact &) const = default;
};
struct HintAtLeast {
    bool operator==(const HintAtLeast &) const = default;
};
struct HintWithin {
    Duration above{};
    bool operator==(const HintWithin &) const = default;
};
struct HintSpread {
    double factor = 1;
    bool operator==(const HintSpread &) const = default;
};
struct HintIgnore {
    bool operator==(const HintIgnore &) const = default;
};
using HintMode = std::variant<HintExact, HintAtLeast, HintWithin, HintSpread, HintIgnore>;

enum class ZeroHint { RetryNow, Refuse, AsNoHint };

struct NoHintBackoff {
    bool operator==(const NoHintBackoff &) const = default;
};
struct NoHintFixed {
    Duration delay{};
    int times = 1;
    bool operator==(const NoHintFixed &) const = default;
};
struct NoHintRefuse {
    bool operator==(const NoHintRefuse &) const = default;
};
using NoHint = std::variant<NoHintBackoff, NoHintFixed, NoHintRefuse>;

/// A window as people name it: told from its length where the response says it, else from its name.
enum class WindowSpan { Second, Minute, Hour, Day, Month };

enum class OverMaxWait { Refuse, Clamp };

struct Padding {
    Duration add{};
    Duration jitter{};
    bool operator==(const Padding &) const = default;
};

/// Reads the delay out of the response itself. Throws nothing; an error text means "not believed" (rule 6).
class RetryAfterExtractor {
public:
    virtual ~RetryAfterExtractor() = default;
    struct Extracted {
        std::optional<double> seconds; ///< nothing, or a number (checked by the engine: finite and ≥ 0)
        std::string error; ///< not empty: the extractor failed
    };
    virtual Extracted extract(const Response &response) const = 0;
};

/// RFC 6901 pointer into a JSON body.
struct JsonPointerExtractor {
    enum class Unit { Seconds, Milliseconds };
    std::string pointer;
    Unit unit = Unit::Seconds;
    bool operator==(const JsonPointerExtractor &) const = default;
};
using Extractor = std::variant<JsonPointerExtractor, std::shared_ptr<const RetryAfterExtractor>>;

struct RateLimitRules {
    std::vector<int> statuses{429};
    Duration maxWait = 60s; ///< inclusive; finite, ≥ 0
    OverMaxWait overMaxWait = OverMaxWait::Refuse;
    HintMode hint = HintExact{};
    ZeroHint zeroHint = ZeroHint::RetryNow;
    NoHint noHint = NoHintBackoff{};
    std::optional<int> maxHintedRetries;
    std::vector<WindowSpan> refuseWhenExhausted;
    Padding padding;
    std::optional<Extractor> extractor;
    RetryOn hintOn{true, false, false, false}; ///< whose hints follow `hint` and `zeroHint`; the others' are obeyed exactly
    std::vector<std::string> hintHeaders; ///< that are believed; empty: all that a dialect knows, and the body
    std::optional<Backoff> backoff; ///< the own wait after a rate limit; absent: the policy's
    bool operator==(const RateLimitRules &) const = default;
};

// --- what a scope shares ------------------------------------------------------------------------------------------
enum class Cooldown { None, Extend };

struct PacerSpec {
    std::optional<Rate> requestsPerSecond;
    std::optional<Rate> unitsPerSecond;
    Cooldown cooldown = Cooldown::None;
    std::optional<int> concurrency;
    std::optional<int> maxWaiting;
    std::optional<std::uint64_t> maxUnits;
    bool operator==(const PacerSpec &) const = default;
};

struct TripFirstThrottle {
    bool operator==(const TripFirstThrottle &) const = default;
};
struct TripConsecutive {
    int failures = 5;
    bool operator==(const TripConsecutive &) const = default;
};
struct TripRatio {
    double of = 0.5;
    Duration window = 30s;
    int minimum = 10;
    bool operator==(const TripRatio &) const = default;
};
using Trip = std::variant<TripFirstThrottle, TripConsecutive, TripRatio>;

enum class BreakerCounts { Operations, Attempts };

struct OpenForHint {
    bool operator==(const OpenForHint &) const = default;
};
struct OpenForRestOfRun {
    bool operator==(const OpenForRestOfRun &) const = default;
};
using OpenFor = std::variant<Duration, OpenForHint, OpenForRestOfRun>;

struct Probes {
    int count = 1;
    Duration lease = 10s;
    bool operator==(const Probes &) const = default;
};

struct BreakerSpec {
    Trip trip = TripConsecutive{};
    BreakerCounts counts = BreakerCounts::Operations;
    OpenFor openFor = Duration{30s};
    Probes probes;
    bool operator==(const BreakerSpec &) const = default;
};

struct TokenBucketBudget {
    double capacity = 500;
    double cost = 5;
    double timeoutCost = 10;
    std::optional<double> throttleCost; ///< absent: `cost`
    bool operator==(const TokenBucketBudget &) const = default;
};

/// Retries as a share of recent requests. With `minInFlight` it counts what is in flight (Envoy), else what happened in `memory`.
struct RatioBudget {
    double fraction = 0.2;
    std::optional<double> minPerSecond;
    std::optional<int> minInFlight;
    Duration memory = 10s;
    bool operator==(const RatioBudget &) const = default;
};
using BudgetSpec = std::variant<TokenBucketBudget, RatioBudget>;

// --- the policy ---------------------------------------------------------------------------------------------------
inline constexpr int kUnlimitedAttempts = std::numeric_limits<int>::max();

struct Policy {
    std::string name;
    bool retry = true; ///< `retry: off` keeps the timeouts
    RetryOn retryOn;
    std::optional<ReplayRule> replay;
    ReplayRule writes = ReplayRule::Limited;
    int maxAttempts = 4;
    Duration attemptTimeout = 30s;
    std::optional<Duration> totalTimeout; ///< pacing, waits and attempts together; the fallback is outside it
    RateLimitRules rateLimit;
    Backoff backoff;
    std::optional<std::string> scope; ///< pacer.scope: what shares; absent: the server
    std::optional<PacerSpec> pacer;
    std::optional<BreakerSpec> breaker;
    std::optional<BudgetSpec> budget;
    bool operator==(const Policy &) const = default;

    const Backoff &backoffAfter(Family family) const
    {
        return family == Family::RateLimited && rateLimit.backoff ? *rateLimit.backoff : backoff;
    }
};

} // namespace throttlescope
