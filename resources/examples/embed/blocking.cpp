// SPDX-License-Identifier: Apache-2.0
#include "core/engine/execution.h"
#include "core/engine/philox_draw.h"

#include <cstdio>
#include <functional>

using namespace throttlescope;

/// Drives one operation to its end on the calling thread. `send` blocks until the outcome, or until the deadline with an
/// attempt timeout; `sleep` is whatever passes time here: a real sleep, or a test's clock.
Summary runBlocking(Execution &execution, const std::function<Now()> &now, const std::function<Outcome(const Send &)> &send,
    const std::function<void(Duration)> &sleep)
{
    Step step = execution.next(now(), Start{});
    while (!std::holds_alternative<Finish>(step)) {
        if (const auto *request = std::get_if<Send>(&step)) {
            const Outcome outcome = send(*request);
            step = execution.next(now(), Answered{outcome});
        } else {
            sleep(std::get<WaitUntil>(step).at - now().monotonic);
            step = execution.next(now(), TimeReached{});
        }
    }
    return execution.summary();
}

/// A server that says "come back in 7 s" once, on a clock that only the injected sleep moves.
int main()
{
    Now clock{};
    journal::Recorder recorder{nullptr}; // no journal
    const PhiloxDraw draw{1};
    const Environment environment{draw, recorder};
    WakeList wakeList;

    auto call = std::make_shared<Call>();
    call->operation = "read";
    call->server = "api";
    call->replay = ReplayRule::Safe;
    call->policy = std::make_shared<const Policy>();
    call->scope = std::make_shared<Scope>(ScopeSpec{}, wakeList);
    Execution execution{*call, {.id = 1, .drawKey = 1, .handle = 1}, environment};

    const Summary summary = runBlocking(
        execution, [&] { return clock; },
        [](const Send &request) {
            return request.attempt == 1 ? Response{429, {{"Retry-After", "7"}}, {}} : Response{200};
        },
        [&](Duration length) { clock.monotonic += length; });
    std::printf("%d attempts, %.0f s\n", summary.attempts, secondsOf(clock.monotonic.time_since_epoch()));
    return summary.result == Result::Succeeded && clock.monotonic == MonotonicTime{7s} ? 0 : 1;
}
