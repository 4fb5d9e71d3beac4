// SPDX-License-Identifier: Apache-2.0
#include "core/engine/classify.h"
#include "core/engine/extract.h"
#include "core/engine/replay.h"
#include "core/engine/words.h"
#include "engine_values.h"

#include <QTest>

#include <limits>

using namespace throttlescope;
using namespace throttlescope::testing;

namespace {

struct Given {
    Outcome outcome;
    std::vector<int> statuses{429};
};

Outcome broken(int status)
{
    return Response{.status = status, .headers = {}, .body = "{", .bodyComplete = false};
}

class ThrowawayExtractor final : public RetryAfterExtractor {
public:
    explicit ThrowawayExtractor(Extracted extracted)
        : m_extracted(std::move(extracted))
    {
    }
    Extracted extract(const Response &) const override { return m_extracted; }

private:
    Extracted m_extracted;
};

Extractor custom(std::optional<double> seconds, std::string error = {})
{
    return std::make_shared<const ThrowawayExtractor>(RetryAfterExtractor::Extracted{seconds, std::move(error)});
}

} // namespace

Q_DECLARE_METATYPE(Given)
Q_DECLARE_METATYPE(Family)
Q_DECLARE_METATYPE(ReplayFacts)
Q_DECLARE_METATYPE(ReplayRule)
Q_DECLARE_METATYPE(Extractor)

class TestEngineClassify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void outcomesHaveAFamily_data();
    void outcomesHaveAFamily();
    void replayRulesAndFamilies_data();
    void replayRulesAndFamilies();
    void retryOnSelectsFamilies();
    void theReplayRuleIsDerived_data();
    void theReplayRuleIsDerived();
    void raisingAnActionIsAnError();
    void extractorsAreBelievedOrNot_data();
    void extractorsAreBelievedOrNot();
};

void TestEngineClassify::outcomesHaveAFamily_data()
{
    QTest::addColumn<Given>("given");
    QTest::addColumn<Family>("family");
    const auto row = [](const char *name, const Outcome &outcome, Family family, std::vector<int> statuses = {429}) {
        QTest::newRow(name) << Given{outcome, std::move(statuses)} << family;
    };
    row("200 is a success", answer(200), Family::Success);
    row("204 is a success", answer(204), Family::Success);
    row("304 is a success", answer(304), Family::Success);
    row("429 is rate limited", answer(429), Family::RateLimited);
    row("429 with a broken body is rate limited", broken(429), Family::RateLimited);
    row("429 that is not listed is permanent", answer(429), Family::Permanent, {503});
    row("503 that is listed is rate limited before it is ambiguous", answer(503), Family::RateLimited, {429, 503});
    row("409 that is listed is rate limited", answer(409), Family::RateLimited, {409});
    row("200 that is listed is rate limited", answer(200), Family::RateLimited, {200});
    for (const int status : {500, 502, 503, 504})
        QTest::addRow("%d is ambiguous", status) << Given{answer(status)} << Family::Ambiguous;
    for (const int status : {400, 401, 403, 404, 408, 409, 410, 422, 425, 501, 505, 507, 511})
        QTest::addRow("%d is permanent", status) << Given{answer(status)} << Family::Permanent;
    row("503 with a broken body is ambiguous", broken(503), Family::Ambiguous);
    row("404 with a broken body is permanent", broken(404), Family::Permanent);
    row("200 with a broken body is interrupted", broken(200), Family::Interrupted);
    row("github: 403 with Retry-After is rate limited",
        answer(
            403, {{"X-RateLimit-Limit", "60"}, {"X-RateLimit-Remaining", "59"}, {"X-RateLimit-Resource", "core"}, {"Retry-After", "60"}}),
        Family::RateLimited);
    row("github: 403 with remaining 0 is rate limited",
        answer(403,
            {{"X-RateLimit-Limit", "60"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "1780000000"},
                {"X-RateLimit-Resource", "core"}}),
        Family::RateLimited);
    row("where nothing counts as rate limited, the dialect does not either",
        answer(403, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Limit", "60"}, {"X-RateLimit-Resource", "core"}}), Family::Permanent,
        {});
    for (const auto kind :
        {TransportFailureKind::ConnectionRefused, TransportFailureKind::ConnectionReset, TransportFailureKind::AttemptTimeout,
            TransportFailureKind::NameNotResolved, TransportFailureKind::Tls, TransportFailureKind::Other})
        QTest::addRow("%s is transport", std::string{word(kind)}.c_str()) << Given{lost(kind)} << Family::Transport;
}

void TestEngineClassify::outcomesHaveAFamily()
{
    QFETCH(Given, given);
    QFETCH(Family, family);
    RateLimitRules rules;
    rules.statuses = given.statuses;
    signals::RateLimitState state;
    if (const auto *response = std::get_if<Response>(&given.outcome))
        state = signals::read(*response, WallTime{1'779'000'000s});
    QCOMPARE(QByteArray::fromStdString(std::string{word(classify(given.outcome, rules, state))}),
        QByteArray::fromStdString(std::string{word(family)}));
}

void TestEngineClassify::replayRulesAndFamilies_data()
{
    QTest::addColumn<ReplayRule>("rule");
    QTest::addColumn<QVector<bool>>("expected"); // rate_limited, ambiguous, transport, interrupted, success, permanent
    QTest::newRow("safe replays all four") << ReplayRule::Safe << QVector<bool>{true, true, true, true, false, false};
    QTest::newRow("limited replays rate_limited alone") << ReplayRule::Limited << QVector<bool>{true, false, false, false, false, false};
    QTest::newRow("never replays nothing") << ReplayRule::Never << QVector<bool>{false, false, false, false, false, false};
}

void TestEngineClassify::replayRulesAndFamilies()
{
    QFETCH(ReplayRule, rule);
    QFETCH(QVector<bool>, expected);
    QVector<bool> actual;
    for (const Family family :
        {Family::RateLimited, Family::Ambiguous, Family::Transport, Family::Interrupted, Family::Success, Family::Permanent})
        actual.push_back(replayable(rule, family));
    QCOMPARE(actual, expected);
}

void TestEngineClassify::retryOnSelectsFamilies()
{
    const std::vector<Family> families{Family::RateLimited, Family::Ambiguous, Family::Transport, Family::Interrupted};
    for (std::size_t chosen = 0; chosen < families.size(); ++chosen) {
        const RetryOn retryOn{chosen == 0, chosen == 1, chosen == 2, chosen == 3};
        for (std::size_t i = 0; i < families.size(); ++i)
            QCOMPARE(selected(retryOn, families[i]), i == chosen);
        QVERIFY(!selected(retryOn, Family::Permanent));
    }
    for (const Family family : families)
        QVERIFY(selected({}, family));
    QVERIFY(!selected({}, Family::Success));
    QVERIFY(!selected({}, Family::Permanent));
}

void TestEngineClassify::theReplayRuleIsDerived_data()
{
    QTest::addColumn<ReplayFacts>("facts");
    QTest::addColumn<ReplayRule>("expected");
    using enum OperationClass;
    using enum ReplayRule;
    const auto row = [](const char *name, const ReplayFacts &facts, ReplayRule rule) { QTest::newRow(name) << facts << rule; };
    row("an action is never replayed", {.operationClass = Action}, Never);
    row("a probe is never replayed", {.operationClass = Probe}, Never);
    row("an action stays so under a safe policy", {.operationClass = Action, .idempotent = true, .method = "GET", .policyReplay = Safe},
        Never);
    row("an action may say so itself", {.operationClass = Action, .callReplay = Never}, Never);
    row("the call's own word outweighs idempotent: false", {.operationClass = Write, .idempotent = false, .callReplay = Safe}, Safe);
    row("the call's own word outweighs the policy's", {.callReplay = Limited, .policyReplay = Safe}, Limited);
    row("the call's own never outweighs idempotent: true", {.idempotent = true, .callReplay = Never}, Never);
    row("idempotent: false outweighs the policy", {.operationClass = Read, .idempotent = false, .method = "GET", .policyReplay = Safe},
        Never);
    row("the policy outweighs idempotent: true", {.idempotent = true, .policyReplay = Limited}, Limited);
    row("the policy outweighs class read", {.operationClass = Read, .policyReplay = Never}, Never);
    row("idempotent: true is safe, also a write", {.operationClass = Write, .idempotent = true, .policyWrites = Never}, Safe);
    row("a write follows the policy's writes", {.operationClass = Write, .policyWrites = Never}, Never);
    row("a write is limited by default", {.operationClass = Write}, Limited);
    row("a write that is a GET is still a write", {.operationClass = Write, .method = "GET"}, Limited);
    row("class read is safe", {.operationClass = Read, .method = "POST"}, Safe);
    row("GET is safe", {.method = "GET"}, Safe);
    row("HEAD is safe", {.method = "HEAD"}, Safe);
    row("OPTIONS is safe", {.method = "OPTIONS"}, Safe);
    row("POST declares nothing", {.method = "POST"}, Never);
    row("PUT declares nothing", {.method = "PUT"}, Never);
    row("DELETE declares nothing", {.method = "DELETE"}, Never);
    row("nothing declared is never", {}, Never);
}

void TestEngineClassify::theReplayRuleIsDerived()
{
    QFETCH(ReplayFacts, facts);
    QFETCH(ReplayRule, expected);
    const auto derived = deriveReplay(facts);
    QVERIFY(derived.has_value());
    QVERIFY(derived->rule == expected);
    QVERIFY(!derived->because.empty());
}

void TestEngineClassify::raisingAnActionIsAnError()
{
    for (const auto operationClass : {OperationClass::Action, OperationClass::Probe}) {
        for (const auto rule : {ReplayRule::Safe, ReplayRule::Limited}) {
            const auto derived = deriveReplay({.operationClass = operationClass, .callReplay = rule});
            QVERIFY(!derived.has_value());
            QVERIFY(derived.error().find(word(operationClass)) != std::string::npos);
        }
    }
}

void TestEngineClassify::extractorsAreBelievedOrNot_data()
{
    QTest::addColumn<Extractor>("extractor");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<double>("seconds"); // -1: nothing, -2: not believed
    using Unit = JsonPointerExtractor::Unit;
    const Extractor pointer = JsonPointerExtractor{"/retry_after", Unit::Seconds};
    constexpr double nothing = -1, failed = -2;
    const auto row = [](const char *name, const Extractor &extractor, const char *body, double seconds) {
        QTest::newRow(name) << extractor << QByteArray{body} << seconds;
    };
    row("a whole number", pointer, R"({"retry_after": 47})", 47);
    row("a fraction", pointer, R"({"retry_after": 0.503})", 0.503);
    row("zero is a hint of zero", pointer, R"({"retry_after": 0})", 0);
    row("milliseconds", Extractor{JsonPointerExtractor{"/retry_after", Unit::Milliseconds}}, R"({"retry_after": 1500})", 1.5);
    row("a nested value", Extractor{JsonPointerExtractor{"/error/details/0/delay", Unit::Seconds}},
        R"({"error": {"details": [{"delay": 4}]}})", 4);
    row("null is nothing", pointer, R"({"retry_after": null})", nothing);
    row("a missing key is nothing", pointer, R"({"other": 1})", nothing);
    row("an empty body is nothing", pointer, "", nothing);
    row("text is not believed", pointer, R"({"retry_after": "soon"})", failed);
    row("a number as text is not believed", pointer, R"({"retry_after": "47"})", failed);
    row("true is not believed", pointer, R"({"retry_after": true})", failed);
    row("an object is not believed", pointer, R"({"retry_after": {}})", failed);
    row("a negative number is not believed", pointer, R"({"retry_after": -1})", failed);
    row("a number out of range is not believed", pointer, R"({"retry_after": 1e999})", failed);
    row("a body that is not JSON is not believed", pointer, "<html>", failed);
    row("a body cut short is not believed", pointer, R"({"retry_after": 4)", failed);
    row("a pointer that is none is not believed", Extractor{JsonPointerExtractor{"retry_after", Unit::Seconds}}, R"({"retry_after": 4})",
        failed);
    row("a function's number", custom(2.5), "", 2.5);
    row("a function's nothing", custom({}), "", nothing);
    row("a function that fails", custom(3, "no such field"), "", failed);
    row("a function's NaN", custom(std::numeric_limits<double>::quiet_NaN()), "", failed);
    row("a function's infinity", custom(std::numeric_limits<double>::infinity()), "", failed);
    row("a function's negative number", custom(-0.5), "", failed);
}

void TestEngineClassify::extractorsAreBelievedOrNot()
{
    QFETCH(Extractor, extractor);
    QFETCH(QByteArray, body);
    QFETCH(double, seconds);
    const auto hint = extractHint(extractor, Response{.status = 429, .headers = {}, .body = body.toStdString()});
    QCOMPARE(hint.has_value(), seconds != -2);
    if (!hint) {
        QVERIFY(!hint.error().empty());
        return;
    }
    QCOMPARE(hint->has_value(), seconds != -1);
    if (*hint)
        QVERIFY((*hint)->delay == durationFromSeconds(seconds));
}

QTEST_APPLESS_MAIN(TestEngineClassify)
#include "tst_engine_classify.moc"
