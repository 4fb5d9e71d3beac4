// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/detail.h"

#include "app/dashboard/data/packing.h"

#include <utility>

namespace throttlescope::dashboard {

namespace {

/// `T`, read-only where it is packed.
template <typename Archive, typename T>
using Of = std::conditional_t<Archive::packs, const T, T>;

template <typename Archive, typename... T>
void members(Archive &archive, T &...values)
{
    (member(archive, values), ...);
}

template <typename Archive>
void hint(Archive &a, Of<Archive, signals::Hint> &hint)
{
    a.group([&] { members(a, hint.delay, hint.header, hint.form, hint.raw, hint.why, hint.spelling); });
}

template <typename Archive, typename List, typename Each>
void list(Archive &a, List &values, Each each)
{
    auto count = values.size();
    if (!a.present(count > 0)) {
        if constexpr (!Archive::packs)
            values.clear();
        return;
    }
    a.value(count);
    if constexpr (!Archive::packs)
        values.resize(count);
    for (auto &value : values)
        a.group([&] { each(value); });
}

template <typename Archive>
void state(Archive &a, Of<Archive, signals::RateLimitState> &state)
{
    a.group([&] {
        list(a, state.windows, [&a](auto &w) { members(a, w.name, w.length, w.limit, w.remaining, w.reset, w.unit, w.partition); });
        list(a, state.unreadable, [&a](auto &header) { members(a, header.header, header.raw, header.why); });
    });
}

template <typename Archive>
void decision(Archive &a, Of<Archive, Decision> &d)
{
    a.group([&] {
        members(a, d.attempt, d.family, d.status, d.finalAttempt);
        if (a.present(d.hint.has_value())) {
            if constexpr (!Archive::packs)
                d.hint.emplace();
            hint(a, *d.hint);
        } else if constexpr (!Archive::packs) {
            d.hint.reset();
        }
        members(a, d.backoff, d.jitterDraw, d.rule, d.source, d.delay, d.padding, d.paddingDraw, d.maxWait, d.clamped, d.timeLeft,
            d.earliestSlot, d.maxAttempts, d.tokensBefore, d.tokensAfter, d.windowExhausted, d.extractionError, d.refusal);
    });
}

/// One overload a payload, the pointers apart.
template <typename Archive>
struct Fields {
    Archive &a;
    EventBuffer *buffer; ///< null where it is packed

    template <typename T>
    using V = Of<Archive, T>;

    void operator()(V<journal::RunStarted> &r) const
    {
        members(a, r.schema, r.version, r.scenario, r.scenarioHash, r.seed, r.policiesJson, r.traffic);
    }
    void operator()(V<journal::RunFinished> &r) const { members(a, r.operations, r.stopped); }
    void operator()(V<journal::Marker> &m) const { members(a, m.label, m.begin); }
    void operator()(V<journal::OperationStarted> &o) const { members(a, o.policy, o.method, o.operationClass, o.replay, o.units); }
    void operator()(V<journal::OperationFinished> &o) const
    {
        members(a, o.result, o.reason, o.viaFallback, o.status, o.attempts, o.retryAfter, o.metadata.rateLimitEncountered,
            o.metadata.rateLimitWait, o.metadata.rateLimitWaitExceeded, o.waited, o.paced, o.rejected);
    }
    void operator()(V<journal::PacerWait> &w) const { members(a, w.ahead, w.earliest, w.cooldown); }
    void operator()(V<journal::AttemptStarted> &s) const { members(a, s.fallback, s.probe, s.waited, s.paced); }
    void operator()(V<journal::AttemptFinished> &f) const
    {
        members(a, f.fallback, f.end, f.status, f.failure, f.family, f.took);
        pointed(
            f.state, [](EventBuffer & b) -> auto & { return b.state; }, [this](auto &value) { state(a, value); });
    }
    void operator()(V<journal::RateLimitDetected> &d) const
    {
        members(a, d.status, d.finalAttempt);
        pointed(
            d.hint, [](EventBuffer & b) -> auto & { return b.hint; }, [this](auto &value) { hint(a, value); });
    }
    void operator()(V<journal::RateLimitWaitExceeded> &e) const { members(a, e.delay, e.maxWait, e.source); }
    void operator()(V<journal::RetryScheduled> &s) const
    {
        members(a, s.until);
        pointed(
            s.decision, [](EventBuffer & b) -> auto & { return b.decision; }, [this](auto &value) { decision(a, value); });
    }
    void operator()(V<journal::RetryRefused> &r) const
    {
        pointed(
            r.decision, [](EventBuffer & b) -> auto & { return b.decision; }, [this](auto &value) { decision(a, value); });
    }
    void operator()(V<journal::BreakerOpened> &o) const { members(a, o.until, o.generation, o.cause); }
    void operator()(V<journal::BreakerHalfOpen> &h) const { members(a, h.generation); }
    void operator()(V<journal::BreakerClosed> &c) const { members(a, c.generation); }
    void operator()(V<journal::BreakerRejected> &r) const { members(a, r.until, r.halfOpen); }
    void operator()(V<journal::BudgetExhausted> &e) const { members(a, e.tokens, e.cost); }
    void operator()(V<journal::FallbackStarted> &f) const { members(a, f.to, f.toServer); }
    void operator()(V<journal::FallbackFinished> &f) const { members(a, f.to, f.result, f.status); }
    void operator()(V<journal::PolicyChanged> &p) const { members(a, p.policy, p.policyJson, p.waitsKept); }
    void operator()(V<journal::ServerAnswered> &s) const
    {
        members(a, s.status, s.admitted, s.executed, s.effect, s.executions, s.violated, s.fault, s.due, s.told);
    }
    void operator()(V<journal::ServerWindow> &w) const { members(a, w.limit, w.key, w.used, w.quota, w.begins, w.resets); }
    void operator()(V<journal::TransportResent> &r) const { members(a, r.requests); }

private:
    template <typename Pointer, typename InBuffer, typename Each>
    void pointed(Pointer &pointer, InBuffer inBuffer, Each each) const
    {
        if constexpr (Archive::packs) {
            if (a.present(pointer != nullptr))
                each(*pointer);
        } else {
            pointer = nullptr;
            if (a.present(false)) {
                each(inBuffer(*buffer));
                pointer = &inBuffer(*buffer);
            }
        }
    }
};

template <std::size_t... I>
void makePayload(journal::Payload &payload, EventKind kind, std::index_sequence<I...>)
{
    ((static_cast<std::size_t>(kind) == I ? static_cast<void>(payload.emplace<I>()) : static_cast<void>(0)), ...);
}

template <typename Archive>
void irregularities(Archive &a, Of<Archive, Irregular> &irregular)
{
    members(a, irregular.seq, irregular.wallOffset, irregular.at, irregular.attempt);
}

} // namespace

void pack(PackedOut out, const Irregular &irregular, const journal::Payload &payload)
{
    Packer archive{out};
    archive.group([&] {
        std::visit(Fields<Packer>{archive, nullptr}, payload);
        irregularities(archive, irregular);
    });
}

Irregular unpack(PackedIn in, EventKind kind, EventBuffer &buffer)
{
    Irregular irregular;
    Unpacker archive{in};
    if (kindOf(buffer.event.payload) != kind)
        makePayload(buffer.event.payload, kind, std::make_index_sequence<kEventKinds>{});
    archive.group([&] {
        std::visit(Fields<Unpacker>{archive, &buffer}, buffer.event.payload);
        irregularities(archive, irregular);
    });
    return irregular;
}

} // namespace throttlescope::dashboard
