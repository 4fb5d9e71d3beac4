// SPDX-License-Identifier: Apache-2.0
#include "core/engine/replay.h"

#include <QTest>

using namespace throttlescope;

namespace {

/// DESIGN.md section 4, rule 4, read aloud: the table under test is data, this is the sentence.
ReplayRule told(const ReplayFacts &facts)
{
    if (facts.operationClass == OperationClass::Action || facts.operationClass == OperationClass::Probe)
        return ReplayRule::Never;
    if (facts.callReplay)
        return *facts.callReplay;
    if (facts.idempotent == false)
        return ReplayRule::Never;
    if (facts.policyReplay)
        return *facts.policyReplay;
    if (facts.idempotent == true)
        return ReplayRule::Safe;
    if (facts.operationClass == OperationClass::Write)
        return facts.policyWrites;
    if (facts.operationClass == OperationClass::Read || facts.method == "GET" || facts.method == "HEAD" || facts.method == "OPTIONS")
        return ReplayRule::Safe;
    return ReplayRule::Never;
}

bool raises(const ReplayFacts &facts)
{
    const bool fixed = facts.operationClass == OperationClass::Action || facts.operationClass == OperationClass::Probe;
    return fixed && facts.callReplay && *facts.callReplay != ReplayRule::Never;
}

} // namespace

class TestReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCombinationFollowsTheSentence()
    {
        using Class = std::optional<OperationClass>;
        using Rule = std::optional<ReplayRule>;
        int seen = 0;
        for (const Class operationClass : {Class{}, Class{OperationClass::Read}, Class{OperationClass::Write},
                 Class{OperationClass::Action}, Class{OperationClass::Probe}})
            for (const Rule call : {Rule{}, Rule{ReplayRule::Safe}, Rule{ReplayRule::Limited}, Rule{ReplayRule::Never}})
                for (const std::optional<bool> idempotent : {std::optional<bool>{}, std::optional<bool>{false}, std::optional<bool>{true}})
                    for (const Rule policy : {Rule{}, Rule{ReplayRule::Safe}, Rule{ReplayRule::Limited}, Rule{ReplayRule::Never}})
                        for (const ReplayRule writes : {ReplayRule::Safe, ReplayRule::Limited, ReplayRule::Never})
                            for (const char *method : {"", "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE"}) {
                                const ReplayFacts facts{operationClass, idempotent, method, call, policy, writes};
                                const auto derived = deriveReplay(facts);
                                ++seen;
                                QCOMPARE(derived.has_value(), !raises(facts));
                                if (derived)
                                    QVERIFY(derived->rule == told(facts));
                            }
        QCOMPARE(seen, 5 * 4 * 3 * 4 * 3 * 7);
    }

    void theRowThatMatchedIsNamed_data()
    {
        QTest::addColumn<ReplayFacts>("facts");
        QTest::addColumn<QString>("because");
        const auto row
            = [](const char *name, const ReplayFacts &facts, const char *because) { QTest::newRow(name) << facts << QString{because}; };
        row("an action, whatever the policy says", {.operationClass = OperationClass::Action, .policyReplay = ReplayRule::Safe},
            "class action or probe");
        row("the call's own word beats idempotent: false", {.idempotent = false, .callReplay = ReplayRule::Safe}, "the call's own replay");
        row("idempotent: false beats the policy", {.idempotent = false, .policyReplay = ReplayRule::Safe}, "idempotent: false");
        row("the policy beats idempotent: true", {.idempotent = true, .policyReplay = ReplayRule::Limited}, "the policy's replay");
        row("a write that is idempotent", {.operationClass = OperationClass::Write, .idempotent = true}, "idempotent: true");
        row("a write", {.operationClass = OperationClass::Write, .method = "GET"}, "class write: the policy's writes");
        row("a GET that declares nothing", {.method = "GET"}, "class read, GET, HEAD or OPTIONS");
        row("a POST that declares nothing", {.method = "POST"}, "nothing declared");
    }
    void theRowThatMatchedIsNamed()
    {
        QFETCH(ReplayFacts, facts);
        QFETCH(QString, because);
        const auto derived = deriveReplay(facts);
        QVERIFY(derived);
        QCOMPARE(QString::fromUtf8(derived->because.data(), static_cast<int>(derived->because.size())), because);
    }
};

QTEST_GUILESS_MAIN(TestReplay)
#include "tst_replay.moc"
