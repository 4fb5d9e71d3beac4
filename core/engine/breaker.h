// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/fifo.h"
#include "core/engine/policy.h"

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace throttlescope {

/// The circuit breaker of one scope, asked by every operation whatever its policy. Monotonic time only; what it learned
/// ends with the process.
class Breaker {
public:
    enum class State { Closed, Open, HalfOpen };

    /// Under which generation an attempt started, and with which probe lease. A result of an older
    /// generation is dropped.
    struct Pass {
        std::uint32_t generation = 0;
        std::uint32_t lease = 0; ///< of a half-open breaker's probe; 0: no probe
    };
    struct Opened {
        std::optional<MonotonicTime> until; ///< none: the rest of the run
        std::uint32_t generation;
        std::string_view cause;
    };
    struct HalfOpened {
        std::uint32_t generation;
    };
    struct Closed {
        std::uint32_t generation;
    };
    using Transition = std::variant<std::monostate, Opened, HalfOpened, Closed>;

    explicit Breaker(std::optional<BreakerSpec> spec)
        : m_spec(std::move(spec))
    {
    }

    /// Lets an open breaker whose time has come go half-open, and forgets probe leases that ran out.
    Transition refresh(MonotonicTime now) { return m_state == State::Closed ? Transition{} : refreshTripped(now); }
    /// After refresh: would `pass` (of the asking operation's last attempt) be let through now?
    bool allows(const Pass &pass) const;
    /// After refresh: takes a pass for an attempt that starts now; none while open, or while all probe leases are out.
    std::optional<Pass> admit(MonotonicTime now, const Pass &previous);

    enum class Vote { Success, Failure };
    /// A result of an attempt or operation, whichever `counts`. `throttled` trips first_throttle; `hint` times `open_for: hint`.
    Transition record(MonotonicTime now, const Pass &pass, Vote vote, bool throttled, std::optional<Duration> hint);
    /// A probe that was cancelled or came to nothing casts no vote; its lease is free again.
    void release(const Pass &pass);

    bool counts(BreakerCounts what) const { return m_spec && m_spec->counts == what; }
    State state() const { return m_state; }
    std::optional<MonotonicTime> openUntil() const { return m_until; }
    /// Keeps state and windows; a breaker that is taken away lets everybody pass.
    void retune(std::optional<BreakerSpec> spec);

private:
    struct Lease {
        std::uint32_t id;
        MonotonicTime expires;
    };
    struct Sample {
        MonotonicTime at;
        bool failure;
    };
    Transition refreshTripped(MonotonicTime now);
    Transition open(MonotonicTime now, std::string_view cause, std::optional<Duration> hint);
    Transition close();
    bool holdsLease(const Pass &pass) const;
    void forgetExpired(MonotonicTime now);
    std::string_view tripped(MonotonicTime now, bool failure, bool throttled);
    bool ratioReached(MonotonicTime now, bool failure, const TripRatio &ratio);

    std::optional<BreakerSpec> m_spec;
    State m_state = State::Closed;
    std::uint32_t m_generation = 1;
    std::optional<MonotonicTime> m_until; ///< while open; none: the rest of the run
    int m_consecutive = 0;
    Fifo<Sample> m_samples; ///< ratio: results inside the window
    int m_failures = 0; ///< among m_samples
    std::vector<Lease> m_leases; ///< half-open: in use and not run out
    std::uint32_t m_lastLease = 0;
    int m_successes = 0; ///< half-open: votes so far
};

} // namespace throttlescope
