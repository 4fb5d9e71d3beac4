// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hint_text.h"

#include "core/engine/classify.h"
#include "core/engine/words.h"
#include "core/journal/json_line.h"
#include "core/journal/printable.h"
#include "core/signals/dialects.h"

#include <fmt/format.h>
#include <iterator>

namespace throttlescope::cli {

namespace {

using journal::printable;

/// "47", "0.009": seconds without zeros at the end.
void appendShortSeconds(std::string &out, Duration value)
{
    journal::appendSeconds(out, value);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.')
        out.pop_back();
}

std::string valueText(Duration delay)
{
    if (delay == kMaxDuration)
        return "longer than 292,000 years (the largest duration; what is longer saturates)";
    std::string text;
    appendShortSeconds(text, delay);
    return delay < std::chrono::seconds{60} ? fmt::format("{} s", text) : fmt::format("{} s ({})", text, durationText(delay));
}

std::string windowText(const signals::Window &window)
{
    std::string text = window.name.empty() ? std::string{"unnamed"} : fmt::format("'{}'", printable(window.name));
    auto out = std::back_inserter(text);
    if (window.remaining && window.limit)
        fmt::format_to(out, ": {} of {} left", *window.remaining, *window.limit);
    else if (window.remaining)
        fmt::format_to(out, ": {} left", *window.remaining);
    else if (window.limit)
        fmt::format_to(out, ": limit {}", *window.limit);
    if (!window.unit.empty())
        fmt::format_to(out, " ({})", printable(window.unit));
    if (window.length)
        fmt::format_to(out, ", {} long", durationText(*window.length));
    if (window.reset)
        fmt::format_to(out, ", resets in {}", durationText(*window.reset));
    return text;
}

/// A retry after a rate limit or an ambiguous failure, by rules 7 and 8 of the engine with its defaults.
std::string waitText(const signals::Verdict &verdict, bool rateLimited, const HintPolicy &policy)
{
    if (!verdict.delay && !policy.own)
        return fmt::format("no delay to go by: the client's own backoff decides{}", rateLimited ? " (no_hint)" : "");
    if (rateLimited && verdict.delay == Duration::zero())
        return "retry now: the server says so, and a client may be told otherwise (zero_hint)";
    // A hint is held against the client's own delay only where it is about a rate limit.
    const bool isOwn = policy.own && (!verdict.delay || (rateLimited && *policy.own > *verdict.delay));
    const Duration delay = isOwn ? *policy.own : *verdict.delay;
    const std::string_view whose = isOwn ? "the client's own delay of " : "";
    if (delay > policy.maxWait)
        return fmt::format("refused: {}{} is over the max-wait of {}; no sleep, and no retry that comes too early (wait_exceeded)", whose,
            valueText(delay), durationText(policy.maxWait));
    if (policy.totalTimeout && delay > *policy.totalTimeout)
        return fmt::format("refused at once: {}{} does not fit into the total timeout of {} (deadline)", whose, valueText(delay),
            durationText(*policy.totalTimeout));
    if (delay == Duration::zero())
        return "retry now";
    return fmt::format("wait {}{}, then retry (max-wait {})", whose, valueText(delay), durationText(policy.maxWait));
}

} // namespace

std::string adviceText(const signals::Verdict &verdict, int status, const HintPolicy &policy)
{
    Response response;
    response.status = status;
    signals::RateLimitState state;
    state.saysRateLimited = verdict.saysRateLimited;
    switch (classify(response, RateLimitRules{}, state)) {
    case Family::RateLimited: return waitText(verdict, true, policy);
    case Family::Ambiguous:
    case Family::Transport:
    case Family::Interrupted: return waitText(verdict, false, policy);
    case Family::Permanent:
        return fmt::format(
            "not retried: a {} without a rate limit is permanent{}", status, verdict.delay ? ", whatever delay it tells" : "");
    case Family::Success: break;
    }
    if (status >= 300 && status != 304 && verdict.delay)
        return fmt::format("wait {} before following the redirect (RFC 9110 10.2.3)", valueText(*verdict.delay));
    return fmt::format("nothing to wait for: a {} asks for no retry", status);
}

std::string verdictText(const signals::Verdict &verdict, int status, const HintPolicy &policy)
{
    std::string text;
    const auto line
        = [&text](std::string_view label, std::string_view words) { fmt::format_to(std::back_inserter(text), "{:<8} {}\n", label, words); };
    line("value", verdict.delay ? valueText(*verdict.delay) : "none");
    if (verdict.valid) {
        line("form", verdict.form == verdict.spelling ? std::string{verdict.form} : fmt::format("{}, {}", verdict.form, verdict.spelling));
        line("source", printable(verdict.source));
    }
    if (const auto dialect = signals::dialectNamed(verdict.dialect))
        line("dialect", fmt::format("{}: {}", verdict.dialect, signals::info(*dialect).vendor));
    line("rule", printable(verdict.why));
    for (const signals::Window &window : verdict.windows)
        line("window", windowText(window));
    if (verdict.valid) { // without a delay the rule has said it
        for (const signals::Unreadable &each : verdict.unreadable)
            line("ignored", fmt::format("{} '{}': {}", printable(each.header), printable(each.raw), each.why));
    }
    line("verdict", adviceText(verdict, status, policy));
    return text;
}

void appendVerdictJson(std::string &out, const signals::Verdict &verdict, std::string_view advice)
{
    std::string number;
    journal::JsonLine line{out};
    const auto seconds = [&line, &number](std::string_view key, Duration value) {
        number.clear();
        appendShortSeconds(number, value);
        line.raw(key, number);
    };
    const auto textOrNull
        = [&line](std::string_view key, std::string_view text) { text.empty() ? line.null(key) : line.member(key, text); };
    if (verdict.delay)
        seconds("delay_seconds", *verdict.delay);
    else
        line.null("delay_seconds");
    line.member("valid", verdict.valid);
    textOrNull("source", verdict.source);
    textOrNull("form", verdict.form);
    textOrNull("dialect", verdict.dialect);
    line.member("why", verdict.why);
    line.open("windows", '[');
    for (const signals::Window &window : verdict.windows) {
        line.openItem();
        if (!window.name.empty())
            line.member("name", window.name);
        if (window.length)
            seconds("length_seconds", *window.length);
        line.member("limit", window.limit);
        line.member("remaining", window.remaining);
        if (window.reset)
            seconds("reset_seconds", *window.reset);
        if (!window.unit.empty())
            line.member("unit", window.unit);
        if (!window.partition.empty())
            line.member("partition", window.partition);
        line.end();
    }
    line.close(']');
    if (!verdict.unreadable.empty()) {
        line.open("ignored", '[');
        for (const signals::Unreadable &each : verdict.unreadable) {
            line.openItem();
            line.member("header", each.header);
            line.member("raw", each.raw);
            line.member("why", each.why);
            line.end();
        }
        line.close(']');
    }
    if (!advice.empty())
        line.member("verdict", advice);
    line.end();
}

} // namespace throttlescope::cli
