// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/session/inspector.h"
#include "app/dashboard/session/spoken.h"
#include "session_support.h"
#include "simulator/run/simulation.h"

#include <QRegularExpression>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

/// One server with a script, one policy `p`, one row `call`.
struct Text {
    std::string policy;
    std::string script;
    std::string row = "arrivals: {batch: 1}";
    std::string server;
    std::string head;
    std::string text() const
    {
        return "throttlescope: 1\n" + head + "servers: {api: {" + server + "script: [" + script + "]}}\npolicies: {p: {" + policy
            + "}}\nworkload: [{operation: call, server: api, method: GET, policy: p, " + row
            + "}, {operation: backup, server: api, method: GET, on_demand: true}]\n";
    }
};

const std::string kThrottled47 = R"({when: {operation: call}, times: 1, answer: {status: 429, headers: {Retry-After: "47"}}})";

Inspection inspect(const PolicyDraft &draft, journal::OperationId op = 1)
{
    Inspector inspector{op, &draft};
    Simulation{draft.scenario()->scenario, &inspector}.run();
    return inspector.inspection();
}

QString text(const std::string &utf8)
{
    return QString::fromStdString(utf8);
}

} // namespace

class TestInspector : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void durationsAreSpoken_data()
    {
        QTest::addColumn<qint64>("microseconds");
        QTest::addColumn<QString>("about");
        QTest::addColumn<QString>("exactly");
        QTest::newRow("nothing") << qint64{0} << "0 s"
                                 << "0 s";
        QTest::newRow("microseconds") << qint64{250} << "250 µs"
                                      << "250 µs";
        QTest::newRow("milliseconds") << qint64{120'000} << "120 ms"
                                      << "120 ms";
        QTest::newRow("a few and a bit") << qint64{1'234} << "1.23 ms"
                                         << "0.001234 s";
        QTest::newRow("seconds") << qint64{47'000'000} << "47 s"
                                 << "47 s";
        QTest::newRow("one decimal from ten on") << qint64{48'612'345} << "48.6 s"
                                                 << "48.612345 s";
        QTest::newRow("two below") << qint64{1'926'000} << "1.93 s"
                                   << "1.926 s";
        QTest::newRow("minutes") << qint64{351'812'000} << "5 min 51.8 s"
                                 << "5 min 51.812 s";
        QTest::newRow("whole minutes") << qint64{300'000'000} << "5 min"
                                       << "5 min";
        QTest::newRow("no sixty seconds") << qint64{179'990'000} << "3 min"
                                          << "2 min 59.99 s";
        QTest::newRow("hours") << qint64{7'530'000'000} << "2 h 6 min"
                               << "2 h 5 min 30 s";
    }
    void durationsAreSpoken()
    {
        QFETCH(qint64, microseconds);
        QTEST(text(spoken(Duration{microseconds})), "about");
        QTEST(text(spokenExactly(Duration{microseconds})), "exactly");
    }

    void headlines_data()
    {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<int>("op");
        QTest::addColumn<QString>("headline");
        const auto row = [](const char *name, const Text &scenario, int op, const char *headline) {
            QTest::newRow(name) << text(scenario.text()) << op << headline;
        };
        const std::string twice = R"({times: 1, answer: {status: 429, headers: {Retry-After: "1"}}}, )"
                                  R"({times: 1, answer: {status: 503, headers: {Retry-After: "2"}}})";
        row("at once", {"", ""}, 1, "Succeeded at the first attempt");
        row("one wait", {"", kThrottled47}, 1, "Waited 47 s, then succeeded");
        row("two waits", {"", twice}, 1, "Waited 2 times, 3 s together, then succeeded");
        row("no wait", {"", R"({times: 1, answer: {status: 429, headers: {Retry-After: "0"}}})"}, 1, "Tried again at once, then succeeded");
        row("over max_wait", {"max_wait: 30s", kThrottled47}, 1, "Given up after attempt 1: the wait of 47 s was over max_wait 30 s");
        row("just over it", {"max_wait: 46.999999s", kThrottled47}, 1,
            "Given up after attempt 1: the wait of 47 s was over max_wait 46.999999 s");
        row("after a second attempt", {"max_wait: 1s", twice}, 1, "Given up after attempt 2: the wait of 2 s was over max_wait 1 s");
        row("no attempts left", {"max_attempts: 2", "{answer: {status: 503, headers: {Retry-After: \"1\"}}}"}, 1,
            "Given up after attempt 2: all 2 attempts were used");
        row("a permanent answer", {"", "{answer: {status: 404}}"}, 1,
            "Given up after attempt 1: a permanent answer (404) is not tried again");
        row("no time", {"total_timeout: 40s", kThrottled47}, 1,
            "Given up after attempt 1: total_timeout left 40 s, too little for the wait of 47 s");
        row("a fallback", {"max_wait: 30s", kThrottled47, "fallback: backup, arrivals: {batch: 1}"}, 1,
            "Given up after attempt 1, then served by backup");
        row("an open breaker",
            {"max_wait: 30s, breaker: {trip: first_throttle, open_for: rest_of_run}", kThrottled47, "arrivals: {workers: 1, count: 2}"}, 2,
            "Turned away before its first attempt: the breaker was open");
        row("cancelled in a wait", {"", kThrottled47, "cancel_after: 10s, arrivals: {batch: 1}"}, 1, "Cancelled 10 s into a wait");
        row("stopped", {"", kThrottled47, "arrivals: {batch: 1}", "", "stop_after: 10s\n"}, 1, "Not finished when the run was stopped");
    }
    void headlines()
    {
        QFETCH(QString, scenario);
        QFETCH(int, op);
        QTEST(text(inspect(draftOf(scenario.toStdString()), static_cast<journal::OperationId>(op)).headline), "headline");
    }

    void theValueThatWouldHaveChangedIt_data()
    {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<int>("op");
        QTest::addColumn<QString>("set");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const Text &scenario, int op, const char *set, const char *sentence) {
            QTest::newRow(name) << text(scenario.text()) << op << set << sentence;
        };
        row("max_wait", {"max_wait: 30s", kThrottled47}, 1, "policies.p.rate_limit.max_wait=47s", "would have waited at max_wait ≥ 47 s");
        row("max_attempts", {"max_attempts: 1", "{times: 1, answer: {status: 503}}"}, 1, "policies.p.max_attempts=2",
            "would have gone on at max_attempts ≥ 2");
        row("retry", {"retry: off", "{times: 1, answer: {status: 503}}"}, 1, "policies.p.retry=on",
            "would have been judged with retry: on");
        row("retry_on", {"retry_on: [transport]", "{times: 1, answer: {status: 503}}"}, 1, "policies.p.retry_on=[ambiguous, transport]",
            "would have been judged with ambiguous in retry_on");
        row("zero_hint", {"rate_limit: {zero_hint: refuse}", R"({times: 1, answer: {status: 429, headers: {Retry-After: "0"}}})"}, 1,
            "policies.p.rate_limit.zero_hint=retry_now", "would have retried with zero_hint: retry_now");
        row("no_hint", {"rate_limit: {no_hint: refuse}", "{times: 1, answer: {status: 429}}"}, 1, "policies.p.rate_limit.no_hint=backoff",
            "would have retried with no_hint: backoff, or more blind retries");
        row("hinted retries", {"rate_limit: {max_hinted_retries: 0}", kThrottled47}, 1, "policies.p.rate_limit.max_hinted_retries=1",
            "would have waited with a larger max_hinted_retries");
        row("a window with nothing left",
            {"rate_limit: {refuse_when_exhausted: [hour, day]}", "", "arrivals: {batch: 1}",
                "limits: [{name: day, quota: 1, per: 1d, used: 1}], on_limit: {headers: [saia]}, "},
            1, "policies.p.rate_limit.refuse_when_exhausted=[hour]",
            "the window 'day' has nothing left; would have waited without it in refuse_when_exhausted");
        row("total_timeout", {"total_timeout: 40s", kThrottled47}, 1, "policies.p.total_timeout=47s",
            "would have waited with 7 s more of total_timeout");
        row("max_units", {"pacer: {max_units: 5}", "", "units: 8, arrivals: {batch: 1}"}, 1, "policies.p.pacer.max_units=8",
            "would have been sent with a larger max_units");
        row("max_waiting", {"pacer: {concurrency: 1, max_waiting: 0}", "", "arrivals: {batch: 2}", "latency: {fixed: 1s}, "}, 2,
            "policies.p.pacer.max_waiting=1", "would have queued with a larger max_waiting");
    }
    void theValueThatWouldHaveChangedIt()
    {
        QFETCH(QString, scenario);
        QFETCH(int, op);
        QFETCH(QString, set);
        PolicyDraft draft = draftOf(scenario.toStdString());
        const auto id = static_cast<journal::OperationId>(op);
        const Inspection before = inspect(draft, id);
        QVERIFY(before.remedy);
        QCOMPARE(text(before.remedy->set), set);
        QTEST(text(before.remedy->text), "sentence");
        QVERIFY(before.remedy->place && before.remedy->place->file == "s.yaml");

        QVERIFY(draft.set(set.section('=', 0, 0).toStdString(), set.section('=', 1).toStdString()));
        const Inspection after = inspect(draft, id); // and so it does
        const auto refusal = [](const Inspection &inspection) {
            return inspection.decisions.empty() ? std::optional<RefusalReason>{} : inspection.decisions.front().refusal;
        };
        QVERIFY(before.decisions.empty() ? !after.remedy : refusal(after) != refusal(before));
    }

    void theTableOfADecision()
    {
        PolicyDraft draft = minuteWindow();
        const Inspection waited = inspect(draft, 31);
        QVERIFY2(QRegularExpression{"^Waited (48|49|50)(\\.\\d)? s, then succeeded$"}.match(text(waited.headline)).hasMatch(),
            waited.headline.c_str());
        QCOMPARE(waited.sentences.size(), std::size_t{2});
        QVERIFY2(text(waited.sentences.front()).startsWith("Attempt 1 met a rate limit (429), and the server asked for 47 s; "),
            waited.sentences.front().c_str());
        QCOMPARE(text(waited.sentences.back()), QString{"47 s was within max_wait 60 s; attempt 2 came back 200 after 120 ms, success."});
        QCOMPARE(waited.exchanges.size(), std::size_t{2});
        QCOMPARE(text(waited.exchanges.front().cameBack), QString{"429 after 120 ms, rate_limited"});
        QCOMPARE(text(waited.exchanges.back().cameBack), QString{"200 after 120 ms, success"});
        const DecisionStory *decision = waited.decisionAfter(1);
        QVERIFY(decision && !waited.decisionAfter(2));
        QCOMPARE(text(decision->header).toLower(), QString{"retry-after: 47"});
        QCOMPARE(text(decision->reading), QString{"read as delay-seconds: 47 s"});
        QVERIFY(text(decision->rule).contains("taken as it is"));
        QCOMPARE(decision->candidates.front().delay, Duration{47s});
        QVERIFY(decision->candidates.front().chosen);
        QCOMPARE(decision->candidates.back().name, std::string{"padding"});
        QVERIFY(decision->candidates.back().delay >= 1s && decision->candidates.back().delay <= 3s);
        const HeldAgainst maxWait{"max_wait", "47 s", "60 s", true};
        QVERIFY(std::find(decision->limits.begin(), decision->limits.end(), maxWait) != decision->limits.end());

        QVERIFY(draft.set("policies.batch.rate_limit.max_wait", "30s"));
        const Inspection refused = inspect(draft, 31);
        const HeldAgainst tooLong{"max_wait", "47 s", "30 s", false};
        const DecisionStory *given = refused.decisionAfter(1);
        QVERIFY(given && std::find(given->limits.begin(), given->limits.end(), tooLong) != given->limits.end());
        QCOMPARE(text(refused.sentences.back()), QString{"The wait of 47 s was over max_wait 30 s, so there was no further attempt."});
        const std::string line = "  batch: {preset: saia, rate_limit: {max_wait: 60s}}";
        const QStringList lines = text(draft.text()).split('\n');
        QCOMPARE(refused.remedy->place,
            (Place{kMinuteWindow, {static_cast<int>(lines.indexOf(text(line))) + 1, static_cast<int>(line.find("60s")) + 1}, true}));
    }

    void whatIsNotWrittenHasThePlaceOfItsRow()
    {
        const PolicyDraft draft = draftOf(Text{"max_attempts: 1", "{answer: {status: 503}}"}.text());
        QVERIFY(placeOf(draft, "p", "max_attempts")->exact);
        const auto place = placeOf(draft, "p", "rate_limit.max_wait");
        QVERIFY(place && !place->exact && place->mark.line == 4);
    }

    void aHeaderThatCannotBeReadIsTold()
    {
        const PolicyDraft draft = draftOf(Text{
            "backoff: {kind: constant, base: 2s, jitter: none}", R"({times: 1, answer: {status: 429, headers: {Retry-After: "soon"}}})"}
                                              .text());
        const Inspection inspection = inspect(draft);
        QCOMPARE(text(inspection.headline), QString{"Waited 2 s, then succeeded"});
        const DecisionStory &decision = inspection.decisions.front();
        QVERIFY(decision.header.empty());
        QCOMPARE(decision.unreadable.size(), std::size_t{1});
        QVERIFY(text(decision.unreadable.front()).startsWith("Retry-After: soon — "));
        QCOMPARE(decision.candidates.size(), std::size_t{1});
        QCOMPARE(text(decision.candidates.front().name), QString{"own backoff"});
        QCOMPARE(decision.candidates.front().delay, Duration{2s});
        QVERIFY(decision.candidates.front().chosen);
    }

    void onTheFinalAttemptTheHeaderIsShownAndNotJudged()
    {
        const Inspection inspection = inspect(draftOf(Text{"max_attempts: 1", kThrottled47}.text()));
        QCOMPARE(text(inspection.decisions.front().header), QString{"Retry-After: 47"});
        QCOMPARE(text(inspection.decisions.front().reading), QString{"not judged on the final attempt"});
    }

    void aJournalFromElsewhereHasNoPlaces()
    {
        const PolicyDraft draft = draftOf(Text{"max_wait: 30s", kThrottled47}.text());
        Inspector inspector{1};
        Simulation{draft.scenario()->scenario, &inspector}.run();
        const Inspection inspection = inspector.inspection();
        QCOMPARE(text(inspection.remedy->set), QString{"policies.p.rate_limit.max_wait=47s"});
        QVERIFY(!inspection.remedy->place);
        QVERIFY(!Inspector{7}.inspection().found());
    }

    void whatHasNotEndedSaysSo()
    {
        const PolicyDraft draft = draftOf(Text{"", kThrottled47}.text());
        Inspector inspector{1, &draft};
        Simulation simulation{draft.scenario()->scenario, &inspector};
        simulation.advance(MonotonicTime{1s});
        QCOMPARE(text(inspector.inspection().headline), QString{"Was told to wait 47 s, and has not ended"});
    }

    void everyShippedScenarioHasAStoryForEachOperation_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *name : {"breaker-half-open", "retry-budget", "extraction-failed", "streaming-opening-429", "write-limited",
                 "over-max-wait-to-fallback", "provider-shared-pacer", "action-never-replayed"})
            QTest::newRow(name) << QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/%1.yaml").arg(name);
    }
    void everyShippedScenarioHasAStoryForEachOperation()
    {
        QFETCH(QString, file);
        const PolicyDraft draft = draftOf(fileText(file.toStdString()), file.toStdString());
        for (journal::OperationId op = 1; op <= 40; ++op) {
            const Inspection inspection = inspect(draft, op);
            if (!inspection.found())
                break;
            QVERIFY(!inspection.headline.empty() && !inspection.headline.ends_with(' '));
            for (const DecisionStory &decision : inspection.decisions)
                QVERIFY(decision.refusal.has_value() != decision.remedy.text.empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestInspector)
#include "tst_inspector.moc"
