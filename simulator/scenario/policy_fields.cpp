// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/policy_fields.h"

#include "simulator/scenario/presets.h"

#include <array>

namespace throttlescope {

namespace {

Codec<ReplayRule> replayCodec()
{
    return wordsCodec<ReplayRule>({{"safe", ReplayRule::Safe}, {"limited", ReplayRule::Limited}, {"never", ReplayRule::Never}});
}

Codec<RetryOn> retryOnCodec()
{
    struct Name {
        std::string_view word;
        bool RetryOn::*member;
    };
    static constexpr std::array<Name, 4> names{{{"rate_limited", &RetryOn::rateLimited}, {"ambiguous", &RetryOn::ambiguous},
        {"transport", &RetryOn::transport}, {"interrupted", &RetryOn::interrupted}}};
    const auto words = listCodec(wordsCodec<bool RetryOn::*>({{"rate_limited", &RetryOn::rateLimited}, {"ambiguous", &RetryOn::ambiguous},
        {"transport", &RetryOn::transport}, {"interrupted", &RetryOn::interrupted}}));
    const auto read = [words](const Node &node, RetryOn &retryOn, Problems &problems) {
        if (node.isScalar() && node.text == "all") {
            retryOn = {};
            return true;
        }
        std::vector<bool RetryOn::*> members;
        if (!words.read(node, members, problems))
            return false;
        retryOn = {false, false, false, false};
        for (const auto member : members)
            retryOn.*member = true;
        return true;
    };
    const auto write = [](const RetryOn &retryOn) {
        if (retryOn == RetryOn{})
            return Node::scalar("all", true);
        Node node;
        node.kind = Node::Kind::Sequence;
        for (const Name &name : names) {
            if (retryOn.*name.member)
                node.items.push_back(Node::scalar(std::string{name.word}, true));
        }
        return node;
    };
    return {read, write,
        anyOfSchema({wordsSchema({"all"}), words.schema}, "all, or a list of rate_limited, ambiguous, transport, interrupted")};
}

Codec<int> attemptsCodec()
{
    const Codec<int> number = integerCodec<int>(1, kManyTimes);
    const auto read = [number](const Node &node, int &attempts, Problems &problems) {
        if (node.isScalar() && node.text == "unlimited") {
            attempts = kUnlimitedAttempts;
            return true;
        }
        return number.read(node, attempts, problems);
    };
    const auto write = [](const int &attempts) {
        return attempts == kUnlimitedAttempts ? Node::scalar("unlimited", true) : Node::scalar(std::to_string(attempts));
    };
    return {read, write, anyOfSchema({number.schema, wordsSchema({"unlimited"})}, "a whole number from 1, or unlimited")};
}

Codec<HintMode> hintCodec()
{
    return variantCodec<HintMode>({
        wordAlternative<HintMode>("exact", HintExact{}),
        wordAlternative<HintMode>("at_least", HintAtLeast{}),
        mapAlternative<HintMode, HintWithin>("within",
            recordCodec<HintWithin>(
                {required("within", &HintWithin::above, durationCodec(), "The hint is clamped to [own backoff, own backoff + this].")})),
        mapAlternative<HintMode, HintSpread>("spread",
            recordCodec<HintSpread>(
                {required("spread", &HintSpread::factor, numberCodec(1, 1000), "The hint is multiplied by [1, this).")})),
        wordAlternative<HintMode>("ignore", HintIgnore{}),
    });
}

Codec<NoHint> noHintCodec()
{
    return variantCodec<NoHint>({
        wordAlternative<NoHint>("backoff", NoHintBackoff{}),
        mapAlternative<NoHint, NoHintFixed>("fixed",
            recordCodec<NoHintFixed>({
                required("fixed", &NoHintFixed::delay, durationCodec(), "The wait of a blind retry."),
                field("times", &NoHintFixed::times, integerCodec<int>(0, kManyTimes), "Blind retries an operation."),
            })),
        wordAlternative<NoHint>("refuse", NoHintRefuse{}),
    });
}

Codec<Extractor> extractorCodec()
{
    using Unit = JsonPointerExtractor::Unit;
    return variantCodec<Extractor>({mapAlternative<Extractor, JsonPointerExtractor>("json",
        recordCodec<JsonPointerExtractor>({
            required("json", &JsonPointerExtractor::pointer, textCodec(), "RFC 6901 pointer into the JSON body."),
            field("unit", &JsonPointerExtractor::unit, wordsCodec<Unit>({{"s", Unit::Seconds}, {"ms", Unit::Milliseconds}}),
                "Unit of the number found."),
        }))});
}

Codec<Jitter> jitterCodec()
{
    return variantCodec<Jitter>({
        wordAlternative<Jitter>("none", NoJitter{}),
        wordAlternative<Jitter>("full", FullJitter{}),
        wordAlternative<Jitter>("equal", EqualJitter{}),
        wordAlternative<Jitter>("decorrelated", DecorrelatedJitter{}),
        wordAlternative<Jitter>("decorrelated_v2", DecorrelatedV2Jitter{}),
        mapAlternative<Jitter, PlusMinusJitter>("plus_minus",
            recordCodec<PlusMinusJitter>(
                {required("plus_minus", &PlusMinusJitter::fraction, percentCodec(10), "Share of the wait, to both sides.")})),
        mapAlternative<Jitter, AdditiveJitter>("additive",
            recordCodec<AdditiveJitter>({required("additive", &AdditiveJitter::upTo, durationCodec(), "Up to this is added.")})),
    });
}

Codec<Backoff> backoffCodec()
{
    const auto kinds = wordsCodec<BackoffKind>({{"constant", BackoffKind::Constant}, {"sequence", BackoffKind::Sequence},
        {"linear", BackoffKind::Linear}, {"exponential", BackoffKind::Exponential}});
    Field<Backoff> sequenceField
        = field("sequence", &Backoff::sequence, listCodec(durationCodec()), "The waits one by one; the last one repeats.");
    sequenceField.write
        = [write = sequenceField.write](const Backoff &backoff) { return backoff.sequence.empty() ? std::nullopt : write(backoff); };
    Codec<Backoff> codec = recordCodec<Backoff>({
        field("kind", &Backoff::kind, kinds, "How the wait grows."),
        field("base", &Backoff::base, durationCodec(), "The first retry waits about this."),
        field("factor", &Backoff::factor, numberCodec(0, 1000), "Growth of exponential."),
        field("max", &Backoff::max, durationCodec(), "Cap of the wait, jitter included."),
        field("first", &Backoff::first, durationCodec(), "Replaces the wait of the first retry."),
        sequenceField,
        field("jitter", &Backoff::jitter, jitterCodec(), "How the wait is spread."),
    });
    const auto readFields = codec.read;
    codec.read = [readFields](const Node &node, Backoff &backoff, Problems &problems) {
        if (!readFields(node, backoff, problems))
            return false;
        const Node *sequence = node.find("sequence");
        const Node *kind = node.find("kind");
        if (sequence && sequence->kind != Node::Kind::Null) {
            if (kind && kind->kind != Node::Kind::Null && backoff.kind != BackoffKind::Sequence)
                return refuse(*sequence, problems, "sequence beside another kind, expected one of the two");
            if (backoff.sequence.empty())
                return refuse(*sequence, problems, "an empty sequence, expected at least one duration");
            backoff.kind = BackoffKind::Sequence;
        } else if (backoff.kind == BackoffKind::Sequence) {
            return refuse(kind ? *kind : node, problems, "kind sequence without 'sequence', expected a list such as [1s, 2s]");
        }
        return true;
    };
    return codec;
}

/// In rate_limit it stands whole, as a tagged value does: its keys do not merge.
Codec<Backoff> wholeBackoffCodec()
{
    Codec<Backoff> codec = backoffCodec();
    codec.schema = anyOfSchema({defined(codec.schema, "backoff")}, "a map of the keys of backoff, such as {base: 1s, max: 20s}");
    return codec;
}

Codec<std::string> headerNameCodec()
{
    const Codec<std::string> name = nameCodec();
    const auto read = [name](const Node &node, std::string &header, Problems &problems) {
        if (!name.read(node, header, problems))
            return false;
        return isToken(header)
            || refuse(node, problems, fmt::format("'{}' is no header's name, expected one such as Retry-After", shown(header)));
    };
    return {read, name.write, name.schema};
}

Codec<RateLimitRules> rateLimitCodec()
{
    const auto spans = listCodec(wordsCodec<WindowSpan>({{"second", WindowSpan::Second}, {"minute", WindowSpan::Minute},
        {"hour", WindowSpan::Hour}, {"day", WindowSpan::Day}, {"month", WindowSpan::Month}}));
    const auto padding = recordCodec<Padding>({
        field("add", &Padding::add, durationCodec(), "Added to a hinted delay above 0, after judging."),
        field("jitter", &Padding::jitter, durationCodec(), "Uniform, added to that and to the fixed blind wait."),
    });
    return recordCodec<RateLimitRules>({
        field("statuses", &RateLimitRules::statuses, listCodec(integerCodec<int>(100, 599)), "Statuses that say rate limited."),
        field("max_wait", &RateLimitRules::maxWait, durationCodec(), "Longest wait for a retry, inclusive; above it the call is refused."),
        field("over_max_wait", &RateLimitRules::overMaxWait,
            wordsCodec<OverMaxWait>({{"refuse", OverMaxWait::Refuse}, {"clamp", OverMaxWait::Clamp}}),
            "clamp reproduces clients that come back too early."),
        field("hint", &RateLimitRules::hint, hintCodec(), "How the server's delay is followed."),
        field("zero_hint", &RateLimitRules::zeroHint,
            wordsCodec<ZeroHint>({{"retry_now", ZeroHint::RetryNow}, {"refuse", ZeroHint::Refuse}, {"as_no_hint", ZeroHint::AsNoHint}}),
            "What a hint of 0 or in the past means."),
        field("no_hint", &RateLimitRules::noHint, noHintCodec(), "What is done where the server names no delay."),
        field("max_hinted_retries", &RateLimitRules::maxHintedRetries, integerCodec<int>(0, kManyTimes), "How often a hint is obeyed."),
        field("refuse_when_exhausted", &RateLimitRules::refuseWhenExhausted, spans,
            "Refuses when the response says that such a window has nothing left."),
        field("padding", &RateLimitRules::padding, padding, "Spreads arrivals after a wait."),
        field("extractor", &RateLimitRules::extractor, extractorCodec(), "Reads the delay out of the response itself."),
        field("hint_on", &RateLimitRules::hintOn, retryOnCodec(),
            "Families whose hints follow hint and zero_hint; those of the others are obeyed exactly."),
        field("hint_headers", &RateLimitRules::hintHeaders, listCodec(headerNameCodec()),
            "Headers that are believed; where there are none, all that a dialect knows, and the body."),
        field("backoff", &RateLimitRules::backoff, wholeBackoffCodec(),
            "The own wait after a rate limit; the policy's backoff where absent."),
    });
}

/// `pacer.scope` names what shares; it is the policy's, the rest is the scope's.
struct PacerKeys {
    std::optional<std::string> scope;
    PacerSpec spec;
};

Field<Policy> pacerField()
{
    const auto rate = [](std::string key, std::optional<Rate> PacerSpec::*member, std::string doc) {
        return field(std::move(key), member, rateCodec(), std::move(doc));
    };
    const std::vector<Field<PacerSpec>> specFields{
        rate("requests_per_second", &PacerSpec::requestsPerSecond, "Starts are spaced by at least its inverse."),
        rate("units_per_second", &PacerSpec::unitsPerSecond, "Starts are spaced by units over this."),
        field("cooldown", &PacerSpec::cooldown, wordsCodec<Cooldown>({{"none", Cooldown::None}, {"extend", Cooldown::Extend}}),
            "extend: a rate-limit delay holds back every caller of the scope."),
        field("concurrency", &PacerSpec::concurrency, integerCodec<int>(1, kManyTimes), "Attempts in flight."),
        field("max_waiting", &PacerSpec::maxWaiting, integerCodec<int>(0, kManyTimes), "Callers in the queue; one more is refused."),
        field("max_units", &PacerSpec::maxUnits, integerCodec<std::uint64_t>(1, kManyTimes), "Units of one request."),
    };
    std::vector<Field<PacerKeys>> fields{
        field("scope", &PacerKeys::scope, nameCodec(), "What shares the pacer, the breaker and the budget; the server where absent.")};
    for (const Field<PacerSpec> &row : specFields) {
        fields.push_back(
            {row.key, [row](const Node &node, PacerKeys &keys, Problems &problems) { return row.read(node, keys.spec, problems); },
                [row](const PacerKeys &keys) { return row.write(keys.spec); }, row.schema, row.doc, false});
    }
    const Codec<PacerKeys> codec = recordCodec<PacerKeys>(fields);
    const auto read = [codec](const Node &node, Policy &policy, Problems &problems) {
        PacerKeys keys;
        if (!codec.read(node, keys, problems))
            return false;
        policy.scope = keys.scope;
        if (keys.spec != PacerSpec{})
            policy.pacer = keys.spec;
        return true;
    };
    const auto write = [codec](const Policy &policy) {
        return policy.pacer || policy.scope ? std::optional{codec.write({policy.scope, policy.pacer.value_or(PacerSpec{})})} : std::nullopt;
    };
    return {"pacer", read, write, codec.schema, "Spaces the starts of all callers of a scope.", false};
}

template <typename Inner>
Codec<Inner> wrappedCodec(const std::string &key, const Codec<Inner> &inner, const std::string &doc)
{
    struct Wrapped {
        Inner inner;
    };
    const Codec<Wrapped> outer = recordCodec<Wrapped>({required(key, &Wrapped::inner, inner, doc)});
    return {[outer](const Node &node, Inner &value, Problems &problems) {
                Wrapped wrapped;
                const bool good = outer.read(node, wrapped, problems);
                value = wrapped.inner;
                return good;
            },
        [outer](const Inner &value) { return outer.write({value}); }, outer.schema};
}

Codec<BreakerSpec> breakerCodec()
{
    const auto trip = variantCodec<Trip>({
        wordAlternative<Trip>("first_throttle", TripFirstThrottle{}),
        mapAlternative<Trip, TripConsecutive>("consecutive",
            recordCodec<TripConsecutive>(
                {required("consecutive", &TripConsecutive::failures, integerCodec<int>(1, kManyTimes), "Failures in a row.")})),
        mapAlternative<Trip, TripRatio>("ratio",
            wrappedCodec("ratio",
                recordCodec<TripRatio>({
                    field("of", &TripRatio::of, percentCodec(), "Share of failures."),
                    field("window", &TripRatio::window, durationCodec(Duration{1}), "Results this young count."),
                    field("minimum", &TripRatio::minimum, integerCodec<int>(1, kManyTimes), "Results it takes."),
                }),
                "Share of failures in a window.")),
    });
    const auto openFor = variantCodec<OpenFor>({wordAlternative<OpenFor>("hint", OpenForHint{}),
        wordAlternative<OpenFor>("rest_of_run", OpenForRestOfRun{}), valueAlternative<OpenFor, Duration>(durationCodec(Duration{1}))});
    const auto probes = recordCodec<Probes>({
        field("count", &Probes::count, integerCodec<int>(1, kManyTimes), "Probes at once, and successes it takes to close."),
        field("lease", &Probes::lease, durationCodec(Duration{1}), "Time limit of a probe."),
    });
    return recordCodec<BreakerSpec>({
        required("trip", &BreakerSpec::trip, trip, "What opens it."),
        field("counts", &BreakerSpec::counts,
            wordsCodec<BreakerCounts>({{"operations", BreakerCounts::Operations}, {"attempts", BreakerCounts::Attempts}}),
            "What is counted."),
        field("open_for", &BreakerSpec::openFor, openFor, "How long it stays open; hint: 30 s where there is none."),
        field("probes", &BreakerSpec::probes, probes, "How it is tried again."),
    });
}

Codec<BudgetSpec> budgetCodec()
{
    const auto bucket = recordCodec<TokenBucketBudget>({
        field("capacity", &TokenBucketBudget::capacity, numberCodec(0, 1e9), "Tokens at the start and at the most."),
        field("cost", &TokenBucketBudget::cost, numberCodec(0, 1e9), "Of a retry."),
        field("timeout_cost", &TokenBucketBudget::timeoutCost, numberCodec(0, 1e9), "Of a retry after a timeout."),
        field("throttle_cost", &TokenBucketBudget::throttleCost, numberCodec(0, 1e9), "Of a retry after a rate limit; cost where absent."),
    });
    const auto percent = numberCodec(0, 100);
    Codec<double> fraction{[percent](const Node &node, double &share, Problems &problems) {
                               const bool good = percent.read(node, share, problems);
                               share /= 100;
                               return good;
                           },
        [percent](const double &share) { return percent.write(share * 100); }, percent.schema};
    const auto ratio = recordCodec<RatioBudget>({
        required("percent", &RatioBudget::fraction, fraction, "Retries in percent of recent requests."),
        field("min_per_second", &RatioBudget::minPerSecond, numberCodec(0, 1e9), "Retries a second that are always allowed."),
        field("min_in_flight", &RatioBudget::minInFlight, integerCodec<int>(0, kManyTimes),
            "Counts what is in flight; so many retries are always allowed."),
        field("memory", &RatioBudget::memory, durationCodec(Duration{1}), "How long a request counts as recent."),
    });
    return variantCodec<BudgetSpec>(
        {mapAlternative<BudgetSpec, TokenBucketBudget>("token_bucket", wrappedCodec("token_bucket", bucket, "A bucket of tokens.")),
            mapAlternative<BudgetSpec, RatioBudget>("ratio", wrappedCodec("ratio", ratio, "A share of recent requests."))});
}

std::vector<Field<Policy>> policyTable()
{
    std::vector<Field<Policy>> fields{
        field("retry", &Policy::retry, truthCodec(), "off: no retries, the timeouts stay."),
        field("retry_on", &Policy::retryOn, retryOnCodec(), "Which families may be tried again, within what the replay rule allows."),
        field("replay", &Policy::replay, replayCodec(), "Replay rule of calls that declare nothing stronger; derived where absent."),
        field("writes", &Policy::writes, replayCodec(), "Replay rule of class write."),
        field("max_attempts", &Policy::maxAttempts, attemptsCodec(), "Requests an operation, the first included."),
        field("attempt_timeout", &Policy::attemptTimeout, durationCodec(Duration{1}), "Of one attempt."),
        field("total_timeout", &Policy::totalTimeout, durationCodec(Duration{1}),
            "Pacing, waits and attempts together; the fallback is outside it."),
        field("rate_limit", &Policy::rateLimit, rateLimitCodec(), "What happens after a rate limit."),
        field("backoff", &Policy::backoff, backoffCodec(), "The own wait, where the server names none."),
        pacerField(),
        field("breaker", &Policy::breaker, breakerCodec(), "Stops asking a server that fails."),
        field("budget", &Policy::budget, budgetCodec(), "Bounds the share of retries."),
    };
    // They stand in policies and in workload rows.
    for (Field<Policy> &row : fields) {
        if (row.schema->kind == Schema::Kind::Record)
            row.schema = defined(row.schema, row.key);
    }
    return fields;
}

/// The keys that only a file has: they are resolved before a policy is bound.
Codec<Policy> makePolicyFileCodec()
{
    std::vector<std::string> names;
    for (const Preset &preset : presets())
        names.emplace_back(preset.name);
    std::vector<Field<Policy>> fields{readElsewhere<Policy>({"preset", "The preset whose values lie below these.", wordsSchema(names)})};
    const auto flat = [&fields](std::string key, std::string full, const SchemaPtr &schema) {
        fields.push_back(readElsewhere<Policy>(
            {std::move(key), "Shorthand for rate_limit." + std::move(full) + ", not beside a rate_limit map.", schema}));
    };
    const SchemaPtr rateLimit = rateLimitCodec().schema;
    for (const Schema::Field &row : rateLimit->fields) {
        if (row.key == "max_wait")
            flat("max_wait", row.key, row.schema);
        else if (row.key == "statuses")
            flat("rate_limit_on", row.key, row.schema);
        else if (row.key == "extractor")
            flat("retry_after", row.key, row.schema);
    }
    for (Field<Policy> &row : policyTable())
        fields.push_back(std::move(row));
    return recordCodec<Policy>(fields);
}

} // namespace

const Codec<Policy> &policyCodec()
{
    static const Codec<Policy> codec = recordCodec<Policy>(policyTable());
    return codec;
}

const Codec<Policy> &policyFileCodec()
{
    static const Codec<Policy> codec = makePolicyFileCodec();
    return codec;
}

} // namespace throttlescope
