// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/session/knob_values.h"
#include "session_support.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

PolicyKnob knobAt(const PolicyDraft &draft, const std::string &policy, const std::string &path)
{
    for (const PolicyKnob &knob : draft.knobs(policy)) {
        if (knob.row.path == path)
            return knob;
    }
    return {};
}

const std::string kMaxWait = "policies.p.rate_limit.max_wait";

} // namespace

class TestPolicyDraft : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachValueNamesItsOrigin_data()
    {
        using Kind = ValueOrigin::Kind;
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("origin");
        const auto row = [](const char *name, const char *policy, const char *path, const char *value, Kind kind, const char *origin) {
            QTest::newRow(name) << policy << path << value << static_cast<int>(kind) << origin;
        };
        row("nothing written is the default", "{}", "rate_limit.max_wait", "60s", Kind::Default, "default");
        row("a preset names itself", "{preset: luria}", "rate_limit.max_wait", "10s", Kind::Preset, "preset luria");
        row("a file's value has its place", "{preset: luria, rate_limit: {max_wait: 11s}}", "rate_limit.max_wait", "11s", Kind::File,
            "s.yaml:3:54");
        row("what is not set has no value", "{}", "total_timeout", "", Kind::Default, "default");
    }
    void eachValueNamesItsOrigin()
    {
        QFETCH(QString, policy);
        QFETCH(QString, path);
        const PolicyKnob knob = knobAt(draftOf(scenarioText(policy.toStdString())), "p", path.toStdString());
        QTEST(QString::fromStdString(knob.value), "value");
        QTEST(static_cast<int>(knob.origin.kind), "kind");
        QTEST(QString::fromStdString(knob.origin.text), "origin");
        QVERIFY(!knob.differs());
    }

    void aPolicySaysWhichPresetItIsBuiltOnAndCanBeBuiltOnAnother()
    {
        PolicyDraft draft = minuteWindow();
        QCOMPARE(draft.presetOf("batch").name, std::string{"saia"});
        QCOMPARE(draft.presetOf("batch").origin.mark.line, 16);
        QVERIFY(draft.presetOf("batch").isWritten);
        QVERIFY(draft.set("policies.batch.preset", "relprim"));
        QCOMPARE(draft.presetOf("batch").name, std::string{"relprim"});
        QVERIFY(draft.presetOf("batch").origin.kind == ValueOrigin::Kind::Edited);
        QCOMPARE(knobAt(draft, "batch", "max_attempts").origin.text, std::string{"preset relprim"});
        QVERIFY(!draft.set("policies.batch.preset", "nonesuch"));
        QCOMPARE(draft.presetOf("batch").name, std::string{"relprim"});
        draft.undo();
        QCOMPARE(draft.presetOf("batch").name, std::string{"saia"});

        const PolicyDraft onNothing = draftOf(scenarioText("{max_attempts: 2}"));
        QVERIFY(onNothing.presetOf("p").name.empty());
        QVERIFY(!onNothing.presetOf("p").isWritten);
        QVERIFY(onNothing.presetOf("luria").setPath.empty());
    }

    void aValueIsSaidWithoutItsBrackets_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("said");
        QTest::newRow("one") << "60s"
                             << "60 s";
        QTest::newRow("a rate") << "20/min"
                                << "20/min";
        QTest::newRow("times") << "{fixed: 31s, times: 2}"
                               << "fixed 31 s × 2";
        QTest::newRow("map") << "{uniform: [1s, 2s]}"
                             << "uniform 1 s, 2 s";
        QTest::newRow("list") << "[429, 503]"
                              << "429, 503";
        QTest::newRow("empty") << "[]"
                               << "none";
    }
    void aValueIsSaidWithoutItsBrackets()
    {
        QFETCH(QString, value);
        QTEST(QString::fromStdString(saidValue(value.toStdString())), "said");
    }

    void anEditIsWhatTheCommandLineMakesOfIt()
    {
        PolicyDraft draft = minuteWindow();
        const std::string set = "policies.batch.rate_limit.max_wait=30s";
        QVERIFY(draft.set("policies.batch.rate_limit.max_wait", "30s"));
        const auto loaded = loadScenario(kMinuteWindow, {{set}, {}});
        QVERIFY(loaded);
        QVERIFY(*draft.scenario()->scenario.policies.at("batch") == *loaded->scenario.policies.at("batch"));
        QCOMPARE(draft.scenario()->scenario.hash, loaded->scenario.hash);
        const PolicyKnob knob = knobAt(draft, "batch", "rate_limit.max_wait");
        QCOMPARE(knob.value, std::string{"30s"});
        QCOMPARE(knob.baseline, std::string{"60s"});
        QVERIFY(knob.differs() && knob.origin.kind == ValueOrigin::Kind::Edited);
        QCOMPARE(draft.commandLine(), "--set " + set);
        draft.undo();
        QCOMPARE(knobAt(draft, "batch", "rate_limit.max_wait").value, std::string{"60s"});
        QVERIFY(draft.edits().empty());
    }

    void refusedEdits_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("message");
        QTest::newRow("a number without its unit") << "policies.p.rate_limit.max_wait"
                                                   << "45"
                                                   << "'45' needs a unit, expected a duration such as 45s";
        QTest::newRow("a word that is none") << "policies.p.rate_limit.zero_hint"
                                             << "refus"
                                             << "unknown word 'refus', did you mean 'refuse'?";
        QTest::newRow("a breaker that nothing trips") << "policies.p.breaker.counts"
                                                      << "attempts"
                                                      << "'trip' is missing, expected one of first_throttle, {consecutive: …}, {ratio: …}";
        QTest::newRow("a policy that is not there") << "policies.q.max_attempts"
                                                    << "3"
                                                    << "unknown policy 'q'";
    }
    void refusedEdits()
    {
        QFETCH(QString, path);
        QFETCH(QString, value);
        QFETCH(QString, message);
        PolicyDraft draft = draftOf(scenarioText("{}"));
        QVERIFY(draft.set(kMaxWait, "10s"));
        const Edits before = draft.edits();
        const ScenarioPointer scenario = draft.scenario();
        const auto done = draft.set(path.toStdString(), value.toStdString());
        QVERIFY(!done);
        QVERIFY2(QString::fromStdString(done.error().text).startsWith(message), done.error().text.c_str());
        QVERIFY(draft.edits() == before && draft.scenario() == scenario && !draft.canRedo());
    }

    void eachGestureIsAStepOfItsOwn()
    {
        using Gesture = PolicyDraft::Gesture;
        PolicyDraft draft = draftOf(scenarioText("{rate_limit: {max_wait: 60s}}"));
        const auto maxWait = [&draft] { return draft.scenario()->scenario.policies.at("p")->rateLimit.maxWait; };
        for (const char *value : {"50s", "40s"})
            QVERIFY(draft.set(kMaxWait, value, Gesture::Dragged));
        draft.endDrag();
        for (const char *value : {"30s", "20s"})
            QVERIFY(draft.set(kMaxWait, value, Gesture::Dragged));
        draft.endDrag();
        draft.undo();
        QCOMPARE(maxWait(), Duration{40s});
        draft.undo();
        QCOMPARE(maxWait(), Duration{60s});
        QVERIFY(!draft.canUndo());
    }

    void dragsOfOneKnobAreOneStep()
    {
        using Gesture = PolicyDraft::Gesture;
        PolicyDraft draft = draftOf(scenarioText("{}"));
        for (const char *value : {"50s", "40s", "30s"})
            QVERIFY(draft.set(kMaxWait, value, Gesture::Dragged));
        QVERIFY(draft.set("policies.p.max_attempts", "3", Gesture::Dragged));
        QVERIFY(draft.set(kMaxWait, "20s", Gesture::Dragged));
        QVERIFY(draft.set(kMaxWait, "10s")); // typed: a step of its own
        const auto maxWait = [&draft] { return knobAt(draft, "p", "rate_limit.max_wait").value; };
        QStringList seen;
        while (draft.canUndo()) {
            draft.undo();
            seen << QString::fromStdString(maxWait());
        }
        QCOMPARE(seen, (QStringList{"20s", "30s", "30s", "60s"}));
        while (draft.canRedo())
            draft.redo();
        QCOMPARE(maxWait(), std::string{"10s"});
    }

    void aNewStepLeavesNothingToRedo()
    {
        PolicyDraft draft = draftOf(scenarioText("{}"));
        QVERIFY(draft.set(kMaxWait, "10s", PolicyDraft::Gesture::Dragged));
        draft.undo();
        QVERIFY(draft.canRedo());
        QVERIFY(draft.set(kMaxWait, "20s", PolicyDraft::Gesture::Dragged));
        QVERIFY(!draft.canRedo());
        draft.undo();
        QCOMPARE(knobAt(draft, "p", "rate_limit.max_wait").value, std::string{"60s"});
    }

    void editsThatSayTheSameThingReplaceEachOther_data()
    {
        QTest::addColumn<QStringList>("edits");
        QTest::addColumn<QString>("line");
        QTest::newRow("the same path") << QStringList{"policies.p.max_attempts=3", "policies.p.max_attempts=5"}
                                       << "--set policies.p.max_attempts=5";
        QTest::newRow("a map replaces what was set in it")
            << QStringList{"policies.p.pacer.requests_per_second=2/s", "policies.p.pacer=null"} << "--set policies.p.pacer=null";
        QTest::newRow("a kind ends a sequence") << QStringList{"policies.p.backoff.sequence=[1s, 2s]", "policies.p.backoff.kind=linear"}
                                                << "--set policies.p.backoff.kind=linear";
        QTest::newRow("a sequence ends a kind") << QStringList{"policies.p.backoff.kind=linear", "policies.p.backoff.sequence=[1s, 2s]"}
                                                << "--set 'policies.p.backoff.sequence=[1s, 2s]'";
        QTest::newRow("a name with a dot") << QStringList{"policies.v1.2.max_attempts=3"} << "--set policies.v1.2.max_attempts=3";
        QTest::newRow("a quote in a shell's quotes") << QStringList{"name=it's"} << R"(--set 'name=it'\''s')";
    }
    void editsThatSayTheSameThingReplaceEachOther()
    {
        QFETCH(QStringList, edits);
        PolicyDraft draft = draftOf(scenarioText("{}"));
        for (const QString &edit : edits) {
            const auto done = draft.set(edit.section('=', 0, 0).toStdString(), edit.section('=', 1).toStdString());
            QVERIFY2(done, done ? "" : done.error().format().c_str());
        }
        QTEST(QString::fromStdString(draft.commandLine()), "line");
    }

    void aRowsOwnKeysMakeAPolicyOfItsOwn()
    {
        PolicyDraft draft = draftOf(scenarioText("{}", "max_wait: 12s"));
        QCOMPARE(draft.policies(), (std::vector<std::string>{"p", "v1.2", "p/call"}));
        const PolicyKnob knob = knobAt(draft, "p/call", "rate_limit.max_wait");
        QCOMPARE(knob.value, std::string{"12s"});
        QCOMPARE(knob.setPath, kMaxWait);
        QVERIFY(draft.set(kMaxWait, "13s")); // stands above the row, as --set does
        QCOMPARE(knobAt(draft, "p/call", "rate_limit.max_wait").value, std::string{"13s"});
    }

    void optionsAreTheFirstEdits()
    {
        const auto draft = PolicyDraft::open(scenarioText("{}"), "s.yaml", {{kMaxWait + "=13s"}, 5});
        QVERIFY(draft);
        QCOMPARE(draft->scenario()->scenario.seed, std::uint64_t{5});
        QVERIFY(!draft->canUndo());
        QCOMPARE(draft->commandLine(), "--set " + kMaxWait + "=13s");
        QVERIFY(!PolicyDraft::open(scenarioText("{}"), "s.yaml", {{"nonsense"}, {}}));
    }

    void aReloadKeepsTheEditsThatStillApply()
    {
        PolicyDraft draft = draftOf(scenarioText("{}"));
        QVERIFY(draft.set("policies.v1.2.max_attempts", "3"));
        QVERIFY(draft.set(kMaxWait, "10s"));
        QVERIFY(!draft.reload("throttlescope: 1\nservers: 3\n"));
        QCOMPARE(draft.edits().size(), std::size_t{2});
        std::string text = scenarioText("{max_attempts: 7}");
        text.replace(text.find("v1.2"), 4, "v2");
        const auto dropped = draft.reload(text);
        QVERIFY(dropped);
        QCOMPARE(*dropped, (Edits{{"policies.v1.2.max_attempts", "3"}}));
        QCOMPARE(knobAt(draft, "p", "max_attempts").value, std::string{"7"});
        QCOMPARE(knobAt(draft, "p", "rate_limit.max_wait").value, std::string{"10s"});
        QVERIFY(!draft.canUndo());
    }

    void amounts_data()
    {
        using Kind = Schema::Kind;
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("amount");
        QTest::addColumn<QString>("text");
        QTest::newRow("seconds") << static_cast<int>(Kind::Duration) << 47.0 << "47s";
        QTest::newRow("nobody drags to a microsecond") << static_cast<int>(Kind::Duration) << 47.318296 << "47.3s";
        QTest::newRow("below a second") << static_cast<int>(Kind::Duration) << 0.1004 << "100ms";
        QTest::newRow("minutes") << static_cast<int>(Kind::Duration) << 300.0 << "5m";
        QTest::newRow("a rate") << static_cast<int>(Kind::Rate) << 2.5 << "2.5/s";
        QTest::newRow("a slow rate by the minute") << static_cast<int>(Kind::Rate) << 20.0 / 60 << "20/min";
        QTest::newRow("a share") << static_cast<int>(Kind::Percent) << 0.25 << "25%";
        QTest::newRow("a whole number") << static_cast<int>(Kind::Whole) << 3.6 << "4";
    }
    void amounts()
    {
        QFETCH(int, kind);
        QFETCH(double, amount);
        QFETCH(QString, text);
        const auto of = static_cast<Schema::Kind>(kind);
        QCOMPARE(QString::fromStdString(amountText(of, amount)), text);
        const auto back = amountOf(of, text.toStdString());
        QVERIFY(back);
        QVERIFY(std::abs(*back - amount) <= std::max(0.01 * amount, of == Schema::Kind::Whole ? 0.5 : 0.0));
    }

    void aSliderGoesAboutTwiceAsFar()
    {
        const PolicyDraft draft = draftOf(scenarioText("{preset: provider}"));
        QCOMPARE(sliderRange(knobAt(draft, "p", "rate_limit.max_wait")), (SliderRange{0, 120})); // default 60 s, here 30 s
        QCOMPARE(sliderRange(knobAt(draft, "p", "max_attempts")), (SliderRange{1, 10})); // default 4, here 3
        QCOMPARE(knobAt(draft, "p", "max_attempts").amountKind, Schema::Kind::Whole);
        QCOMPARE(sliderRange(knobAt(draft, "p", "pacer.requests_per_second")), (SliderRange{0, 5})); // 2/s
    }
};

QTEST_GUILESS_MAIN(TestPolicyDraft)
#include "tst_policy_draft.moc"
