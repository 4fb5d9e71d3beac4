// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/sweep/knob_sweep.h"
#include "app/dashboard/sweep/sweep_session.h"
#include "tests/unit/dashboard_session/session_support.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

const std::string kMaxWait = "policies.batch.rate_limit.max_wait";

PolicyKnob knobOf(const PolicyDraft &draft, const std::string &path)
{
    for (const PolicyKnob &knob : draft.knobs("batch")) {
        if (knob.row.path == path)
            return knob;
    }
    qFatal("no knob");
}

SweepHeader maxWaitSweep(const PolicyDraft &draft, const char *from, const char *to, int steps, std::uint64_t seeds = 1)
{
    KnobSweep knob = knobSweep(knobOf(draft, "rate_limit.max_wait"));
    knob.from = from;
    knob.to = to;
    knob.steps = steps;
    const auto header = sweepHeader(draft, {knob}, seeds);
    if (!header)
        qFatal("%s", header.error().c_str());
    return *header;
}

} // namespace

class TestSweepSession final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aKnobIsSweptAsTheScaleOfSweepsHasIt_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<int>("steps");
        QTest::addColumn<QString>("vary");
        using Kind = Schema::Kind;
        const auto row = [](const char *name, Kind kind, const char *from, const char *to, int steps, const char *vary) {
            QTest::newRow(name) << static_cast<int>(kind) << QString{from} << QString{to} << steps << QString{vary};
        };
        row("durations are a range", Kind::Duration, "5s", "2m", 24, "p=5s..2m:24");
        row("numbers are a range", Kind::Number, "1", "3", 5, "p=1..3:5");
        row("whole numbers are listed once each", Kind::Whole, "1", "4", 24, "p=1,2,3,4");
        row("rates are listed", Kind::Rate, "1/s", "3/s", 3, "p=1/s,2/s,3/s");
        row("percentages are listed", Kind::Percent, "0%", "100%", 3, "p=0%,50%,100%");
        row("what is no amount is said", Kind::Duration, "5", "2m", 3, "'5': expected a duration such as 30s");
        row("ends that do not ascend are said", Kind::Duration, "2m", "5s", 3, "from 2m to 5s: expected ends that ascend");
    }
    void aKnobIsSweptAsTheScaleOfSweepsHasIt()
    {
        QFETCH(int, kind);
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(int, steps);
        QFETCH(QString, vary);
        const auto made = varyOf({"p", static_cast<Schema::Kind>(kind), from.toStdString(), to.toStdString(), steps, false, {}});
        QCOMPARE(QString::fromStdString(made ? *made : made.error()), vary);
    }

    void aKnobOfWordsIsSweptOverAllOfThem()
    {
        const PolicyKnob hint = knobOf(minuteWindow(), "rate_limit.zero_hint");
        QVERIFY(canBeSwept(hint));
        QCOMPARE(*varyOf(knobSweep(hint)), std::string{"policies.batch.rate_limit.zero_hint=retry_now,refuse,as_no_hint"});
    }

    void theEditsOfTheWindowAreSweptWithIt()
    {
        PolicyDraft draft = minuteWindow();
        QVERIFY(draft.set("policies.batch.max_attempts", "2"));
        const SweepHeader header = maxWaitSweep(draft, "30s", "60s", 2);
        QCOMPARE(header.set, std::vector<std::string>{"policies.batch.max_attempts=2"});
        QCOMPARE(header.vary, std::vector<std::string>{kMaxWait + "=30s..60s:2"});
        QCOMPARE(header.firstSeed, 7U);
    }

    void moreThanCanBeDrawnIsNotBegun()
    {
        const PolicyDraft draft = minuteWindow();
        KnobSweep wait = knobSweep(knobOf(draft, "rate_limit.max_wait")), base = knobSweep(knobOf(draft, "backoff.max"));
        wait.steps = 101;
        base.steps = 100;
        const auto header = sweepHeader(draft, {wait, base}, 1);
        QVERIFY(!header);
        QCOMPARE(header.error(), std::string{"10100 points, expected at most 10000 in a window"});
    }

    /// DESIGN.md section 7: 30 at 30 s, 200 from 57 s on.
    void aSweepOfTheWindowComesToTheFiguresOfTheDesign()
    {
        const PolicyDraft draft = minuteWindow();
        SweepSession session;
        const QSignalSpy changes{&session, &SweepSession::changed};
        session.start(maxWaitSweep(draft, "30s", "60s", 2), draft);
        QVERIFY(session.isRunning());
        QTRY_VERIFY(!session.isRunning());
        QVERIFY(changes.size() >= 2);
        const SweepResult &result = *session.result();
        QCOMPARE(result.points.size(), 2U);
        QCOMPARE(result.points[0].metrics[0].median, 30.0);
        QCOMPARE(result.points[1].metrics[0].median, 200.0);
        QCOMPARE(result.axes[0].present, std::string{"60s"});
        QCOMPARE(result.tips().size(), 1U);
        const double above = *result.axes[0].placeOf(result.tips()[0].above);
        QVERIFY(above > 56 && above <= 57.6); // 57 s is the largest hint; a fiftieth of the step is 0.6 s
    }

    void whatIsCancelledGoesOnToTheSame()
    {
        const PolicyDraft draft = minuteWindow();
        SweepSession session;
        session.start(maxWaitSweep(draft, "5s", "120s", 400, 50), draft);
        QTRY_VERIFY(!session.result()->points.empty());
        session.cancel();
        QTRY_VERIFY(!session.isRunning());
        const auto done = session.result()->file.rows;
        QVERIFY(!done.empty() && done.size() < 20'000);
        QVERIFY(session.canGoOn());
        session.goOn();
        QTRY_VERIFY(session.result()->file.rows.size() > done.size());
        QVERIFY(std::equal(done.begin(), done.end(), session.result()->file.rows.begin()));
    } // and is thrown away while it runs

    void whatIsSavedIsOpenedAgain()
    {
        const PolicyDraft draft = minuteWindow();
        const QString file = m_folder.filePath("saved.sweep");
        SweepSession session;
        session.start(maxWaitSweep(draft, "30s", "60s", 2), draft);
        session.finish();
        QCOMPARE(session.saveTo(file), QString{});
        QVERIFY(session.saveTo("/nowhere/x").contains("x: "));
        SweepSession other;
        QCOMPARE(other.open(file), QString{});
        QVERIFY(!other.isRunning()); // its tipping points came along
        QCOMPARE(other.result()->file.rows, session.result()->file.rows);
        QCOMPARE(other.result()->file.tips, session.result()->file.tips);
        QCOMPARE(other.scenarioRemark(), QString{});
        QCOMPARE(other.result()->axes[0].present, std::string{"60s"});
    }

    void aScenarioThatChangedOrIsGoneIsSaid()
    {
        const QString scenario = m_folder.filePath("mine.yaml"), file = m_folder.filePath("mine.sweep");
        write(scenario, fileText(kMinuteWindow));
        const PolicyDraft draft = draftOf(fileText(kMinuteWindow), scenario.toStdString());
        SweepSession session;
        session.start(maxWaitSweep(draft, "30s", "60s", 2), draft);
        session.finish();
        QCOMPARE(session.saveTo(file), QString{});
        write(scenario, fileText(kMinuteWindow) + "# later\n");
        QCOMPARE(session.open(file), QString{});
        QVERIFY(session.scenarioRemark().contains("mine.yaml has changed since"));
        QCOMPARE(session.scenarioFile(), scenario);
        QVERIFY(!session.canGoOn());
        QVERIFY(QFile::remove(scenario));
        QCOMPARE(session.open(file), QString{});
        QVERIFY(session.scenarioRemark().contains("is not to be found"));
        QVERIFY(session.scenarioFile().isEmpty());
    }

    void whatIsNoSweepIsSaid()
    {
        SweepSession session;
        QVERIFY(session.open(QString::fromStdString(kMinuteWindow)).contains("expected the first line of a sweep"));
        QVERIFY(!session.result());
    }

private:
    static void write(const QString &file, const std::string &text)
    {
        QFile out{file};
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(QByteArray::fromStdString(text));
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestSweepSession)
#include "tst_sweep_session.moc"
