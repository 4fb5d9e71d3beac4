// SPDX-License-Identifier: Apache-2.0
#include "core/engine/words.h"

#include <array>
#include <fmt/format.h>

namespace throttlescope {

std::string_view word(Family family)
{
    switch (family) {
    case Family::Success: return "success";
    case Family::RateLimited: return "rate_limited";
    case Family::Ambiguous: return "ambiguous";
    case Family::Transport: return "transport";
    case Family::Interrupted: return "interrupted";
    case Family::Permanent: return "permanent";
    }
    return {};
}

std::string_view word(TransportFailureKind kind)
{
    switch (kind) {
    case TransportFailureKind::ConnectionRefused: return "connection_refused";
    case TransportFailureKind::ConnectionReset: return "connection_reset";
    case TransportFailureKind::AttemptTimeout: return "attempt_timeout";
    case TransportFailureKind::NameNotResolved: return "name_not_resolved";
    case TransportFailureKind::Tls: return "tls";
    case TransportFailureKind::Other: return "other";
    }
    return {};
}

std::string_view word(Result result)
{
    switch (result) {
    case Result::Succeeded: return "succeeded";
    case Result::Failed: return "failed";
    case Result::Rejected: return "rejected";
    case Result::Cancelled: return "cancelled";
    case Result::Unfinished: return "unfinished";
    }
    return {};
}

namespace {

constexpr std::array<std::string_view, 17> kRefusalWords{"retry_off", "not_replayable", "not_selected", "streaming_started",
    "attempts_exhausted", "extraction_failed", "zero_hint", "no_hint", "hints_exhausted", "window_exhausted", "wait_exceeded", "deadline",
    "budget", "breaker_open", "body_not_replayable", "queue_full", "units_too_large"};
static_assert(static_cast<std::size_t>(RefusalReason::UnitsTooLarge) + 1 == kRefusalWords.size());

} // namespace

std::string_view word(RefusalReason reason)
{
    return kRefusalWords.at(static_cast<std::size_t>(reason));
}

std::optional<RefusalReason> refusalReason(std::string_view text)
{
    for (std::size_t i = 0; i < kRefusalWords.size(); ++i) {
        if (kRefusalWords[i] == text)
            return static_cast<RefusalReason>(i);
    }
    return std::nullopt;
}

std::string_view word(DelaySource source)
{
    return source == DelaySource::Provider ? "provider" : "backoff";
}

std::string_view word(DelayRule rule)
{
    switch (rule) {
    case DelayRule::HintExact: return "hint_exact";
    case DelayRule::HintAtLeast: return "hint_at_least";
    case DelayRule::HintWithin: return "hint_within";
    case DelayRule::HintSpread: return "hint_spread";
    case DelayRule::ZeroHintNow: return "zero_hint_now";
    case DelayRule::NoHintFixed: return "no_hint_fixed";
    case DelayRule::Backoff: return "backoff";
    }
    return {};
}

std::string_view word(ReplayRule rule)
{
    switch (rule) {
    case ReplayRule::Safe: return "safe";
    case ReplayRule::Limited: return "limited";
    case ReplayRule::Never: return "never";
    }
    return {};
}

std::string_view word(OperationClass operationClass)
{
    switch (operationClass) {
    case OperationClass::Read: return "read";
    case OperationClass::Write: return "write";
    case OperationClass::Action: return "action";
    case OperationClass::Probe: return "probe";
    }
    return {};
}

std::string_view word(WindowSpan span)
{
    switch (span) {
    case WindowSpan::Second: return "second";
    case WindowSpan::Minute: return "minute";
    case WindowSpan::Hour: return "hour";
    case WindowSpan::Day: return "day";
    case WindowSpan::Month: return "month";
    }
    return {};
}

std::string_view word(signals::HintForm form)
{
    switch (form) {
    case signals::HintForm::DelaySeconds: return "delay-seconds";
    case signals::HintForm::DelayMilliseconds: return "milliseconds";
    case signals::HintForm::HttpDate: return "http-date";
    case signals::HintForm::EpochSeconds: return "epoch";
    case signals::HintForm::Duration: return "duration";
    case signals::HintForm::BodyValue: return "body";
    }
    return {};
}

std::string durationText(Duration value)
{
    const std::int64_t us = value.count();
    if (us < 0)
        return value == Duration::min() ? "unbounded" : "-" + durationText(-value);
    if (value == Duration::max())
        return "unbounded";
    if (us == 0)
        return "0s";
    if (us < 1'000)
        return fmt::format("{}us", us);
    if (us < 1'000'000)
        return us % 1'000 == 0 ? fmt::format("{}ms", us / 1'000) : fmt::format("{}us", us);
    std::int64_t rest = us;
    std::string text;
    if (us >= 120'000'000) {
        if (const std::int64_t hours = rest / 3'600'000'000; hours > 0)
            text += fmt::format("{}h", hours);
        rest %= 3'600'000'000;
        if (const std::int64_t minutes = rest / 60'000'000; minutes > 0)
            text += fmt::format("{}m", minutes);
        rest %= 60'000'000;
        if (rest == 0)
            return text;
    }
    std::string seconds = fmt::format("{}.{:06}", rest / 1'000'000, rest % 1'000'000);
    seconds.erase(seconds.find_last_not_of('0') + 1);
    if (seconds.back() == '.')
        seconds.pop_back();
    return text + seconds + "s";
}

} // namespace throttlescope
