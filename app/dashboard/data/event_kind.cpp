// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/event_kind.h"

#include "core/engine/words.h"
#include "core/journal/event_writer.h"

#include <array>
#include <utility>

namespace throttlescope::dashboard {

namespace {

template <std::size_t... I>
std::array<std::string_view, kEventKinds> namesOf(std::index_sequence<I...>)
{
    return {journal::eventName(journal::Payload{std::in_place_index<I>})...};
}

Duration until(const std::optional<MonotonicTime> &time, MonotonicTime from)
{
    return time ? *time - from : Duration::zero();
}

struct MainDuration {
    const journal::Event &event;

    Duration operator()(const journal::OperationFinished &finished) const { return finished.metadata.rateLimitWait; }
    Duration operator()(const journal::PacerWait &wait) const { return until(wait.earliest, event.at.monotonic); }
    Duration operator()(const journal::AttemptStarted &started) const { return started.waited; }
    Duration operator()(const journal::RateLimitWaitExceeded &exceeded) const { return exceeded.delay; }
    Duration operator()(const journal::ServerAnswered &answered) const { return until(answered.told, event.at.monotonic); }
    template <typename T>
    Duration operator()(const T &) const
    {
        return Duration::zero();
    }
};

} // namespace

std::string_view eventName(EventKind kind)
{
    static const auto names = namesOf(std::make_index_sequence<kEventKinds>{});
    return names[static_cast<std::size_t>(kind)];
}

AttemptOutcome outcomeOf(const journal::AttemptFinished &finished)
{
    switch (finished.end) {
    case journal::AttemptEnd::Cancelled:
    case journal::AttemptEnd::Deadline: return AttemptOutcome::Cancelled;
    case journal::AttemptEnd::Answered:
    case journal::AttemptEnd::TransportFailed: break;
    }
    switch (finished.family) {
    case Family::Success: return AttemptOutcome::Success;
    case Family::RateLimited: return AttemptOutcome::RateLimited;
    case Family::Ambiguous: return AttemptOutcome::Ambiguous;
    case Family::Transport: return AttemptOutcome::Transport;
    case Family::Interrupted: return AttemptOutcome::Interrupted;
    case Family::Permanent: return AttemptOutcome::Permanent;
    }
    return AttemptOutcome::Success;
}

std::string_view word(AttemptOutcome outcome)
{
    switch (outcome) {
    case AttemptOutcome::Success: return throttlescope::word(Family::Success);
    case AttemptOutcome::RateLimited: return throttlescope::word(Family::RateLimited);
    case AttemptOutcome::Ambiguous: return throttlescope::word(Family::Ambiguous);
    case AttemptOutcome::Transport: return throttlescope::word(Family::Transport);
    case AttemptOutcome::Interrupted: return throttlescope::word(Family::Interrupted);
    case AttemptOutcome::Permanent: return throttlescope::word(Family::Permanent);
    case AttemptOutcome::Cancelled: return "cancelled";
    }
    return {};
}

std::optional<Duration> mainDuration(const journal::Event &event)
{
    // A time taken, a delay asked for and one decided on may be nothing; of what is left nothing means that there was none.
    if (const auto *finished = std::get_if<journal::AttemptFinished>(&event.payload))
        return finished->took;
    if (const auto *detected = std::get_if<journal::RateLimitDetected>(&event.payload))
        return detected->hint ? std::optional{detected->hint->delay} : std::nullopt;
    if (const auto *scheduled = std::get_if<journal::RetryScheduled>(&event.payload))
        return scheduled->decision->wait();
    if (const auto *refused = std::get_if<journal::RetryRefused>(&event.payload))
        return refused->decision->delay;
    const Duration duration = std::visit(MainDuration{event}, event.payload);
    return duration > Duration::zero() ? std::optional{duration} : std::nullopt;
}

std::optional<int> statusOf(const journal::Payload &payload)
{
    if (const auto *finished = std::get_if<journal::AttemptFinished>(&payload))
        return finished->status;
    if (const auto *answered = std::get_if<journal::ServerAnswered>(&payload))
        return answered->status;
    if (const auto *finished = std::get_if<journal::OperationFinished>(&payload))
        return finished->status;
    if (const auto *detected = std::get_if<journal::RateLimitDetected>(&payload))
        return detected->status;
    if (const auto *scheduled = std::get_if<journal::RetryScheduled>(&payload))
        return scheduled->decision->status;
    if (const auto *refused = std::get_if<journal::RetryRefused>(&payload))
        return refused->decision->status;
    if (const auto *fallback = std::get_if<journal::FallbackFinished>(&payload))
        return fallback->status;
    return std::nullopt;
}

std::optional<RefusalReason> reasonOf(const journal::Payload &payload)
{
    if (const auto *refused = std::get_if<journal::RetryRefused>(&payload))
        return refused->decision->refusal;
    if (const auto *finished = std::get_if<journal::OperationFinished>(&payload))
        return finished->reason ? finished->reason : finished->rejected;
    if (std::holds_alternative<journal::RateLimitWaitExceeded>(payload))
        return RefusalReason::WaitExceeded;
    return std::nullopt;
}

} // namespace throttlescope::dashboard
