// SPDX-License-Identifier: Apache-2.0
#include "core/engine/select.h"
#include "engine_values.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;

namespace {

/// Own backoff 10 s, no jitter; full jitter where a row says so.
Policy policyWith(const std::function<void(RateLimitRules &)> &change = {})
{
    Policy policy;
    policy.backoff = {.kind = BackoffKind::Constant, .base = 10s, .max = 30s, .jitter = NoJitter{}};
    if (change)
        change(policy.rateLimit);
    return policy;
}

struct Case {
    Policy policy = policyWith();
    Family family = Family::RateLimited;
    std::optional<Duration> hint{};
    HintHistory history{};
    double draw = 0.5;
    std::vector<signals::Window> windows{};
};

struct Expected {
    std::optional<Duration> delay{};
    std::optional<DelayRule> rule{};
    std::optional<DelaySource> source{};
    std::optional<RefusalReason> refusal{};
};

Expected provider(DelayRule rule, Duration delay)
{
    return {delay, rule, DelaySource::Provider, {}};
}
Expected own(DelayRule rule, Duration delay)
{
    return {delay, rule, DelaySource::Backoff, {}};
}
Expected refused(RefusalReason reason)
{
    return {{}, {}, {}, reason};
}

signals::RateLimitState stateOf(const Case &c)
{
    signals::RateLimitState state;
    state.windows = c.windows;
    return state;
}

Decision select(const Case &c)
{
    const FixedDraw draw{c.draw};
    BackoffMemory memory;
    Decision decision;
    decision.family = c.family;
    if (c.hint)
        decision.hint = signals::Hint{.delay = *c.hint, .header = "Retry-After", .form = {}, .raw = {}, .why = {}};
    selectDelay(c.policy, stateOf(c), c.history, {draw, 1}, memory, decision);
    return decision;
}

Case limited(std::optional<Duration> hint, const std::function<void(RateLimitRules &)> &change = {}, double draw = 0.5)
{
    return {.policy = policyWith(change), .hint = hint, .draw = draw};
}

auto mode(HintMode hint)
{
    return [hint](RateLimitRules &rules) { rules.hint = hint; };
}
auto zero(ZeroHint value)
{
    return [value](RateLimitRules &rules) { rules.zeroHint = value; };
}

} // namespace

Q_DECLARE_METATYPE(Case)
Q_DECLARE_METATYPE(Expected)
Q_DECLARE_METATYPE(signals::Window)
Q_DECLARE_METATYPE(WindowSpan)

class TestSelect : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theRuleChooses_data();
    void theRuleChooses();
    void aHintedRefusalStillTellsItsDelay();
    void windowsAreToldByLengthElseByName_data();
    void windowsAreToldByLengthElseByName();
    void maxWaitIsInclusiveToTheMicrosecond_data();
    void maxWaitIsInclusiveToTheMicrosecond();
    void overMaxWaitClampIsFlagged();
    void paddingGoesToHintsAndBlindWaits_data();
    void paddingGoesToHintsAndBlindWaits();
    void paddingSaturates();
};

void TestSelect::theRuleChooses_data()
{
    QTest::addColumn<Case>("given");
    QTest::addColumn<Expected>("expected");
    const auto row = [](const char *name, const Case &given, const Expected &expected) { QTest::newRow(name) << given << expected; };

    row("exact takes the hint", limited(47s), provider(DelayRule::HintExact, 47s));
    row("exact takes a hint below the own backoff", limited(1s), provider(DelayRule::HintExact, 1s));
    row("at_least takes the hint where it is longer", limited(47s, mode(HintAtLeast{})), provider(DelayRule::HintAtLeast, 47s));
    row("at_least takes the own backoff where that is longer", limited(1s, mode(HintAtLeast{})), own(DelayRule::HintAtLeast, 10s));
    row("within lets a hint inside pass", limited(12s, mode(HintWithin{5s})), provider(DelayRule::HintWithin, 12s));
    row("within raises a short hint to the own backoff", limited(1s, mode(HintWithin{5s})), own(DelayRule::HintWithin, 10s));
    row("within cuts a long hint at own + 5 s", limited(47s, mode(HintWithin{5s})), provider(DelayRule::HintWithin, 15s));
    row("spread, draw 0, is the hint", limited(40s, mode(HintSpread{1.5}), 0), provider(DelayRule::HintSpread, 40s));
    row("spread, draw a half, is × 1.25", limited(40s, mode(HintSpread{1.5}), 0.5), provider(DelayRule::HintSpread, 50s));
    row("spread, draw just under 1, is × 1.5 to the microsecond", limited(40s, mode(HintSpread{1.5}), kJustUnderOne),
        provider(DelayRule::HintSpread, 60s));
    row("ignore takes the own backoff", limited(47s, mode(HintIgnore{})), own(DelayRule::Backoff, 10s));
    row("ignore asks no_hint, which may refuse",
        limited(47s,
            [](RateLimitRules &r) {
                r.hint = HintIgnore{};
                r.noHint = NoHintRefuse{};
            }),
        refused(RefusalReason::NoHint));
    row("ignore also ignores a zero hint",
        limited(0s,
            [](RateLimitRules &r) {
                r.hint = HintIgnore{};
                r.zeroHint = ZeroHint::Refuse;
            }),
        own(DelayRule::Backoff, 10s));
    row("the largest hint is not multiplied past the end", limited(kMaxDuration, mode(HintSpread{1.5})),
        provider(DelayRule::HintSpread, kMaxDuration));

    row("zero hint, retry_now", limited(0s), provider(DelayRule::ZeroHintNow, 0s));
    row("zero hint, retry_now is judged before at_least", limited(0s, mode(HintAtLeast{})), provider(DelayRule::ZeroHintNow, 0s));
    row("zero hint, refuse", limited(0s, zero(ZeroHint::Refuse)), refused(RefusalReason::ZeroHint));
    row("zero hint, as_no_hint backs off", limited(0s, zero(ZeroHint::AsNoHint)), own(DelayRule::Backoff, 10s));
    row("zero hint, as_no_hint may refuse as no_hint",
        limited(0s,
            [](RateLimitRules &r) {
                r.zeroHint = ZeroHint::AsNoHint;
                r.noHint = NoHintRefuse{};
            }),
        refused(RefusalReason::NoHint));
    row("a microsecond is not zero", limited(1us, zero(ZeroHint::Refuse)), provider(DelayRule::HintExact, 1us));

    const auto fixed = [](RateLimitRules &r) { r.noHint = NoHintFixed{31s, 2}; };
    row("no hint, backoff", limited({}), own(DelayRule::Backoff, 10s));
    row("no hint, fixed", limited({}, fixed), own(DelayRule::NoHintFixed, 31s));
    row("no hint, fixed, the second of two", {.policy = policyWith(fixed), .history = {.hintedRetries = 0, .blindRetries = 1}},
        own(DelayRule::NoHintFixed, 31s));
    row("no hint, fixed, two are used up", {.policy = policyWith(fixed), .history = {.hintedRetries = 0, .blindRetries = 2}},
        refused(RefusalReason::NoHint));
    row("no hint, fixed 0 times", limited({}, [](RateLimitRules &r) { r.noHint = NoHintFixed{31s, 0}; }), refused(RefusalReason::NoHint));
    row("no hint, refuse", limited({}, [](RateLimitRules &r) { r.noHint = NoHintRefuse{}; }), refused(RefusalReason::NoHint));
    row("no_hint: refuse does not concern a hint", limited(4s, [](RateLimitRules &r) { r.noHint = NoHintRefuse{}; }),
        provider(DelayRule::HintExact, 4s));

    const auto three = [](RateLimitRules &r) { r.maxHintedRetries = 3; };
    row("the third hinted retry of 3", {.policy = policyWith(three), .hint = 4s, .history = {.hintedRetries = 2, .blindRetries = 0}},
        provider(DelayRule::HintExact, 4s));
    row("hinted retries do not concern the blind ones", {.policy = policyWith(three), .history = {.hintedRetries = 3, .blindRetries = 0}},
        own(DelayRule::Backoff, 10s));
    row("max_hinted_retries: 0 obeys no hint", {.policy = policyWith([](RateLimitRules &r) { r.maxHintedRetries = 0; }), .hint = 4s},
        {4s, DelayRule::HintExact, DelaySource::Provider, RefusalReason::HintsExhausted});

    const auto everything = [](RateLimitRules &r) {
        r.hint = HintIgnore{};
        r.zeroHint = ZeroHint::Refuse;
        r.noHint = NoHintRefuse{};
        r.maxHintedRetries = 0;
        r.refuseWhenExhausted = {WindowSpan::Day};
    };
    const signals::Window emptyDay{.name = "day", .length = {}, .limit = 10, .remaining = 0, .reset = {}};
    row("a 503 takes its hint exactly, whatever the mode", {.policy = policyWith(everything), .family = Family::Ambiguous, .hint = 47s},
        provider(DelayRule::HintExact, 47s));
    row("a 503 with a zero hint retries now, whatever zero_hint says",
        {.policy = policyWith(everything), .family = Family::Ambiguous, .hint = 0s}, provider(DelayRule::HintExact, 0s));
    row("a 503 without a hint backs off, whatever no_hint says", {.policy = policyWith(everything), .family = Family::Ambiguous},
        own(DelayRule::Backoff, 10s));
    row("a lost connection backs off", {.policy = policyWith(everything), .family = Family::Transport}, own(DelayRule::Backoff, 10s));
    row("an interrupted body backs off", {.policy = policyWith(everything), .family = Family::Interrupted}, own(DelayRule::Backoff, 10s));
    row("refuse_when_exhausted concerns rate_limited only",
        {.policy = policyWith(everything), .family = Family::Ambiguous, .hint = 47s, .windows = {emptyDay}},
        provider(DelayRule::HintExact, 47s));

    const auto on503 = [&](Duration hint, const std::function<void(RateLimitRules &)> &change) {
        Case given{.policy = policyWith(change), .family = Family::Ambiguous, .hint = hint};
        given.policy.rateLimit.hintOn.ambiguous = true;
        return given;
    };
    row("hint_on: a 503 follows the mode", on503(47s, mode(HintWithin{5s})), provider(DelayRule::HintWithin, 15s));
    row("hint_on: a 503 follows zero_hint", on503(0s, zero(ZeroHint::AsNoHint)), own(DelayRule::Backoff, 10s));
    row("hint_on: a 503's zero hint may refuse", on503(0s, zero(ZeroHint::Refuse)), refused(RefusalReason::ZeroHint));
    row("hint_on: a 503's hint may be ignored, and no_hint does not concern it",
        on503(47s,
            [](RateLimitRules &r) {
                r.hint = HintIgnore{};
                r.noHint = NoHintRefuse{};
            }),
        own(DelayRule::Backoff, 10s));
    row("hint_on: nor does max_hinted_retries", on503(4s, [](RateLimitRules &r) { r.maxHintedRetries = 0; }),
        provider(DelayRule::HintExact, 4s));
    row("hint_on without rate_limited takes its hint exactly",
        limited(47s,
            [](RateLimitRules &r) {
                r.hint = HintIgnore{};
                r.hintOn = {false, true, true, true};
            }),
        provider(DelayRule::HintExact, 47s));

    const auto slower = [](RateLimitRules &r) {
        r.hint = HintAtLeast{};
        r.backoff = Backoff{.kind = BackoffKind::Constant, .base = 20s, .max = 30s, .jitter = NoJitter{}};
    };
    row("a backoff of rate_limit is the own wait after a rate limit", limited({}, slower), own(DelayRule::Backoff, 20s));
    row("also beside a hint", limited(12s, slower), own(DelayRule::HintAtLeast, 20s));
    row("but not after a 503", {.policy = policyWith(slower), .family = Family::Ambiguous}, own(DelayRule::Backoff, 10s));

    const auto day = [](RateLimitRules &r) { r.refuseWhenExhausted = {WindowSpan::Hour, WindowSpan::Day}; };
    row("an exhausted day refuses also a short hint", {.policy = policyWith(day), .hint = 4s, .windows = {emptyDay}},
        {4s, DelayRule::HintExact, DelaySource::Provider, RefusalReason::WindowExhausted});
    row("an exhausted day refuses also without a hint", {.policy = policyWith(day), .windows = {emptyDay}},
        {10s, DelayRule::Backoff, DelaySource::Backoff, RefusalReason::WindowExhausted});
    row("a zero hint that is refused is judged before the window",
        {.policy = policyWith([](RateLimitRules &r) {
             r.zeroHint = ZeroHint::Refuse;
             r.refuseWhenExhausted = {WindowSpan::Day};
         }),
            .hint = 0s,
            .windows = {emptyDay}},
        refused(RefusalReason::ZeroHint));
    row("a day with one left does not refuse",
        {.policy = policyWith(day), .hint = 4s, .windows = {{.name = "day", .length = {}, .limit = 10, .remaining = 1, .reset = {}}}},
        provider(DelayRule::HintExact, 4s));
}

void TestSelect::theRuleChooses()
{
    QFETCH(Case, given);
    QFETCH(Expected, expected);
    const Decision decision = select(given);
    QVERIFY2(decision.delay == expected.delay, qPrintable(decision.delay ? QString::number(decision.delay->count()) : "none"));
    QVERIFY(decision.rule == expected.rule);
    QVERIFY(decision.source == expected.source);
    QVERIFY(decision.refusal == expected.refusal);
}

void TestSelect::aHintedRefusalStillTellsItsDelay()
{
    const Decision decision = select({.policy = policyWith([](RateLimitRules &r) { r.maxHintedRetries = 1; }),
        .hint = 4s,
        .history = {.hintedRetries = 1, .blindRetries = 0}});
    QVERIFY(decision.refusal == RefusalReason::HintsExhausted);
    QVERIFY(decision.delay == 4s);
}

void TestSelect::windowsAreToldByLengthElseByName_data()
{
    QTest::addColumn<signals::Window>("window");
    QTest::addColumn<WindowSpan>("asked");
    QTest::addColumn<bool>("found");
    const auto row = [](const char *sentence, std::string name, std::optional<Duration> length, std::optional<std::uint64_t> remaining,
                         WindowSpan asked, bool found) {
        QTest::newRow(sentence)
            << signals::Window{.name = std::move(name), .length = length, .limit = {}, .remaining = remaining, .reset = {}} << asked
            << found;
    };
    row("an hour by its length", "", 1h, 0, WindowSpan::Hour, true);
    row("a day by its length, whatever its name", "burst", 24h, 0, WindowSpan::Day, true);
    row("a day of 23 hours", "", 23h, 0, WindowSpan::Day, true);
    row("a day of 25 hours", "", 25h, 0, WindowSpan::Day, true);
    row("February is a month", "", 24h * 28, 0, WindowSpan::Month, true);
    row("30 days are a month", "", 24h * 30, 0, WindowSpan::Month, true);
    row("a minute is no hour", "", 1min, 0, WindowSpan::Hour, false);
    row("five minutes are no hour", "", 5min, 0, WindowSpan::Hour, false);
    row("a week is no month", "", 24h * 7, 0, WindowSpan::Month, false);
    row("the length outweighs the name", "day", 1min, 0, WindowSpan::Day, false);
    row("by its name where there is no length", "day", {}, 0, WindowSpan::Day, true);
    row("by its name without case", "Month", {}, 0, WindowSpan::Month, true);
    row("neither length nor name that tells", "default", {}, 0, WindowSpan::Day, false);
    row("one left is not exhausted", "day", {}, 1, WindowSpan::Day, false);
    row("an untold rest is not exhausted", "day", {}, {}, WindowSpan::Day, false);
}

void TestSelect::windowsAreToldByLengthElseByName()
{
    QFETCH(signals::Window, window);
    QFETCH(WindowSpan, asked);
    QFETCH(bool, found);
    signals::RateLimitState state;
    state.windows = {window};
    QCOMPARE(exhaustedWindow(state, {asked}) != nullptr, found);
    QVERIFY(!exhaustedWindow(state, {}));
}

void TestSelect::maxWaitIsInclusiveToTheMicrosecond_data()
{
    QTest::addColumn<qint64>("delay");
    QTest::addColumn<qint64>("maxWait");
    QTest::addColumn<bool>("refusedExpected");
    QTest::newRow("60 s of 60 s are awaited") << qint64{60'000'000} << qint64{60'000'000} << false;
    QTest::newRow("a microsecond more is not") << qint64{60'000'001} << qint64{60'000'000} << true;
    QTest::newRow("0 of 0 is awaited") << qint64{0} << qint64{0} << false;
    QTest::newRow("a microsecond over 0 is not") << qint64{1} << qint64{0} << true;
    QTest::newRow("Retry-After: 3600 over a cap of 10 s") << qint64{3'600'000'000} << qint64{10'000'000} << true;
    QTest::newRow("the largest delay there is") << qint64{kMaxDuration.count()} << qint64{60'000'000} << true;
}

void TestSelect::maxWaitIsInclusiveToTheMicrosecond()
{
    QFETCH(qint64, delay);
    QFETCH(qint64, maxWait);
    QFETCH(bool, refusedExpected);
    RateLimitRules rules;
    rules.maxWait = Duration{maxWait};
    for (const DelaySource source : {DelaySource::Provider, DelaySource::Backoff}) {
        for (const Family family : {Family::RateLimited, Family::Ambiguous, Family::Transport, Family::Interrupted}) {
            Decision decision;
            decision.family = family;
            decision.source = source;
            decision.delay = Duration{delay};
            judgeMaxWait(rules, decision);
            QCOMPARE(decision.refusal == RefusalReason::WaitExceeded, refusedExpected);
            QVERIFY(decision.delay == Duration{delay}); // the rejected delay stays readable
            QVERIFY(!decision.clamped);
        }
    }
}

void TestSelect::overMaxWaitClampIsFlagged()
{
    RateLimitRules rules;
    rules.maxWait = 10s;
    rules.overMaxWait = OverMaxWait::Clamp;
    Decision decision;
    decision.delay = 3600s;
    judgeMaxWait(rules, decision);
    QVERIFY(!decision.refusal && decision.clamped && decision.delay == 10s);
    Decision fits;
    fits.delay = 10s;
    judgeMaxWait(rules, fits);
    QVERIFY(!fits.refusal && !fits.clamped);
}

void TestSelect::paddingGoesToHintsAndBlindWaits_data()
{
    QTest::addColumn<Case>("given");
    QTest::addColumn<qint64>("padding"); // add 1 s, jitter 2 s
    QTest::newRow("a hint, draw 0: add alone") << limited(4s, {}, 0) << qint64{1'000'000};
    QTest::newRow("a hint, draw a half: add and the half") << limited(4s, {}, 0.5) << qint64{2'000'000};
    QTest::newRow("a hint, draw just under 1: add and all of it") << limited(4s, {}, kJustUnderOne) << qint64{3'000'000};
    QTest::newRow("the fixed blind wait: jitter alone") << limited(
        {},
        [](RateLimitRules &r) {
            r.noHint = NoHintFixed{31s, 2};
        },
        0.5) << qint64{1'000'000};
    QTest::newRow("the backoff: nothing") << limited({}, {}, 0.5) << qint64{0};
    QTest::newRow("a zero hint retried now: nothing") << limited(0s, {}, 0.5) << qint64{0};
    QTest::newRow("at_least where the own backoff won: nothing") << limited(1s, mode(HintAtLeast{}), 0.5) << qint64{0};
    QTest::newRow("at_least where the hint won: both") << limited(20s, mode(HintAtLeast{}), 0.5) << qint64{2'000'000};
    QTest::newRow("a 503 with a hint: both") << Case{.family = Family::Ambiguous, .hint = 4s, .draw = 0.5} << qint64{2'000'000};
    QTest::newRow("a 503 without a hint: nothing") << Case{.family = Family::Ambiguous, .draw = 0.5} << qint64{0};
}

void TestSelect::paddingGoesToHintsAndBlindWaits()
{
    QFETCH(Case, given);
    QFETCH(qint64, padding);
    Decision decision = select(given);
    const auto delay = decision.delay;
    const FixedDraw draw{given.draw};
    addPadding({.add = 1s, .jitter = 2s}, {draw, 1}, decision);
    QCOMPARE(static_cast<qint64>(decision.padding.count()), padding);
    QVERIFY(decision.delay == delay); // judged and reported without it
    QVERIFY(decision.wait() == *delay + Duration{padding});
}

void TestSelect::paddingSaturates()
{
    Decision decision = select(limited(4s));
    const FixedDraw draw{kJustUnderOne};
    addPadding({.add = kMaxDuration, .jitter = kMaxDuration}, {draw, 1}, decision);
    QVERIFY(decision.padding == kMaxDuration);
    QVERIFY(decision.wait() == kMaxDuration);
}

QTEST_APPLESS_MAIN(TestSelect)
#include "tst_select.moc"
