// SPDX-License-Identifier: Apache-2.0
#include "core/engine/select.h"

#include "core/engine/classify.h"

#include <algorithm>

namespace throttlescope {

namespace {

class Selection {
public:
    Selection(const Policy &policy, const HintHistory &history, const OperationDraws &draws, BackoffMemory &memory, Decision &decision)
        : m_policy(policy)
        , m_history(history)
        , m_draws(draws)
        , m_memory(memory)
        , m_decision(decision)
    {
    }

    void run()
    {
        const RateLimitRules &rules = m_policy.rateLimit;
        const bool follows = selected(rules.hintOn, m_decision.family);
        if (!m_decision.hint || (follows && std::holds_alternative<HintIgnore>(rules.hint)))
            return withoutHint();
        if (!follows)
            withHint(HintExact{});
        else if (m_decision.hint->delay == Duration::zero())
            withZeroHint();
        else
            std::visit([this](const auto &mode) { withHint(mode); }, rules.hint);
        const bool obeyed = m_decision.rule && m_decision.rule != DelayRule::Backoff && m_decision.rule != DelayRule::NoHintFixed;
        if (throttled() && obeyed && rules.maxHintedRetries && m_history.hintedRetries >= *rules.maxHintedRetries)
            m_decision.refusal = RefusalReason::HintsExhausted;
    }

private:
    bool throttled() const { return m_decision.family == Family::RateLimited; }

    void choose(DelayRule rule, DelaySource source, Duration delay)
    {
        m_decision.rule = rule;
        m_decision.source = source;
        m_decision.delay = delay;
    }

    Duration ownBackoff()
    {
        const double draw = m_draws(Stream::BackoffJitter, m_decision.attempt);
        m_decision.jitterDraw = draw;
        m_decision.backoff = jitteredBackoff(m_policy.backoffAfter(m_decision.family), m_decision.attempt, draw, m_memory);
        return *m_decision.backoff;
    }

    void withHint(const HintExact &) { choose(DelayRule::HintExact, DelaySource::Provider, m_decision.hint->delay); }

    void withHint(const HintAtLeast &)
    {
        const Duration own = ownBackoff();
        const Duration hint = m_decision.hint->delay;
        choose(DelayRule::HintAtLeast, hint >= own ? DelaySource::Provider : DelaySource::Backoff, std::max(hint, own));
    }

    void withHint(const HintWithin &within)
    {
        const Duration own = ownBackoff();
        const Duration delay = std::clamp(m_decision.hint->delay, own, saturatingAdd(own, within.above));
        choose(DelayRule::HintWithin, delay == own ? DelaySource::Backoff : DelaySource::Provider, delay);
    }

    void withHint(const HintSpread &spread)
    {
        const double draw = m_draws(Stream::HintSpread, m_decision.attempt);
        m_decision.jitterDraw = draw;
        choose(DelayRule::HintSpread, DelaySource::Provider, scaled(m_decision.hint->delay, 1 + draw * (spread.factor - 1)));
    }

    void withHint(const HintIgnore &) { }

    void withZeroHint()
    {
        switch (m_policy.rateLimit.zeroHint) {
        case ZeroHint::AsNoHint: withoutHint(); break;
        case ZeroHint::Refuse: m_decision.refusal = RefusalReason::ZeroHint; break;
        case ZeroHint::RetryNow: choose(DelayRule::ZeroHintNow, DelaySource::Provider, Duration::zero()); break;
        }
    }

    void withoutHint()
    {
        if (!throttled()) {
            choose(DelayRule::Backoff, DelaySource::Backoff, ownBackoff());
        } else if (std::holds_alternative<NoHintRefuse>(m_policy.rateLimit.noHint)) {
            m_decision.refusal = RefusalReason::NoHint;
        } else if (const auto *fixed = std::get_if<NoHintFixed>(&m_policy.rateLimit.noHint)) {
            if (m_history.blindRetries >= fixed->times)
                m_decision.refusal = RefusalReason::NoHint;
            else
                choose(DelayRule::NoHintFixed, DelaySource::Backoff, fixed->delay);
        } else {
            choose(DelayRule::Backoff, DelaySource::Backoff, ownBackoff());
        }
    }

    const Policy &m_policy;
    const HintHistory &m_history;
    const OperationDraws &m_draws;
    BackoffMemory &m_memory;
    Decision &m_decision;
};

constexpr Duration kDay = 24h;

std::optional<WindowSpan> spanOf(const signals::Window &window)
{
    if (window.length) {
        // The length alone: five minutes are no hour, also where a service calls them so.
        const Duration length = *window.length;
        if (length == 1s)
            return WindowSpan::Second;
        if (length == 1min)
            return WindowSpan::Minute;
        if (length == 1h)
            return WindowSpan::Hour;
        if (length >= 23h && length <= 25h) // civil days when summer time begins and ends
            return WindowSpan::Day;
        if (length >= kDay * 28 - 1h && length <= kDay * 31 + 1h)
            return WindowSpan::Month;
        return std::nullopt;
    }
    const auto names = {std::pair{"second", WindowSpan::Second}, {"minute", WindowSpan::Minute}, {"hour", WindowSpan::Hour},
        {"day", WindowSpan::Day}, {"month", WindowSpan::Month}};
    for (const auto &[name, span] : names) {
        if (sameHeaderName(window.name, name))
            return span;
    }
    return std::nullopt;
}

} // namespace

const signals::Window *exhaustedWindow(const signals::RateLimitState &state, const std::vector<WindowSpan> &spans)
{
    for (const signals::Window &window : state.windows) {
        const auto span = window.remaining == 0U ? spanOf(window) : std::nullopt;
        if (span && std::find(spans.begin(), spans.end(), *span) != spans.end())
            return &window;
    }
    return nullptr;
}

void selectDelay(const Policy &policy, const signals::RateLimitState &state, const HintHistory &history, const OperationDraws &draws,
    BackoffMemory &memory, Decision &decision)
{
    Selection{policy, history, draws, memory, decision}.run();
    if (decision.family != Family::RateLimited || decision.refusal)
        return;
    if (const signals::Window *window = exhaustedWindow(state, policy.rateLimit.refuseWhenExhausted)) {
        decision.refusal = RefusalReason::WindowExhausted;
        decision.windowExhausted = window->name;
    }
}

void judgeMaxWait(const RateLimitRules &rules, Decision &decision)
{
    decision.maxWait = rules.maxWait;
    if (!decision.delay || *decision.delay <= rules.maxWait)
        return;
    switch (rules.overMaxWait) {
    case OverMaxWait::Refuse: decision.refusal = RefusalReason::WaitExceeded; break;
    case OverMaxWait::Clamp:
        decision.delay = rules.maxWait;
        decision.clamped = true;
        break;
    }
}

void addPadding(const Padding &padding, const OperationDraws &draws, Decision &decision)
{
    const bool hinted = decision.source == DelaySource::Provider && decision.delay > Duration::zero();
    if (hinted)
        decision.padding = padding.add;
    if (padding.jitter > Duration::zero() && (hinted || decision.rule == DelayRule::NoHintFixed)) {
        decision.paddingDraw = draws(Stream::PaddingJitter, decision.attempt);
        decision.padding = saturatingAdd(decision.padding, scaled(padding.jitter, *decision.paddingDraw));
    }
}

} // namespace throttlescope
