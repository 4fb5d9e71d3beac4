// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/redacted_event.h"
#include "app/cli/fetch/redactor.h"
#include "core/journal/event_writer.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::fetch;

namespace {

QJsonObject jsonOf(const journal::Event &event, const Redactor &secrets)
{
    std::string line;
    journal::appendJson(line, RedactedEvent{event, secrets}.event());
    return QJsonDocument::fromJson(QByteArray::fromStdString(line)).object();
}

} // namespace

class TestFetchRedactor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void secretsAreTakenOutOfAText_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("kept");
        const auto row
            = [](const char *name, const char *text, const char *kept) { QTest::newRow(name) << QByteArray{text} << QByteArray{kept}; };
        row("whole", "a sk-0123456789 b", "a *** b");
        row("within a word", "xsk-0123456789x", "x***x");
        row("twice", "sk-0123456789,sk-0123456789", "***,***");
        row("the longer one of two that begin alike", "sk-0123456789-long", "***");
        row("cut at the end of a text", "xx sk-01234", "xx ***");
        row("only its beginning, in another word", "sk-01234 and more", "sk-01234 and more");
        row("with a quote and a backslash", "a quote\"d\\secret b", "a *** b");
        row("a short one by itself", "min1", "***");
        row("a short one between signs", "limit;k=\"min1\", min1", "limit;k=\"***\", ***");
        row("a short one within other words", "admin10 amin1 min1- _min1 \xc3\xa4min1", "admin10 amin1 min1- _min1 \xc3\xa4min1");
        row("the beginning of a short one", "x min", "x min");
        row("nothing", "nothing", "nothing");
        row("no text", "", "");
    }
    void secretsAreTakenOutOfAText()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, kept);
        const Redactor redactor{{"sk-0123456789", "sk-0123456789-long", "quote\"d\\secret", "min1", ""}};
        QCOMPARE(QByteArray::fromStdString(redactor.redacted(text.toStdString())), kept);
        QCOMPARE(redactor.finds(text.toStdString()), text != kept);
    }

    void queriesAreCut_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("kept");
        const auto row
            = [](const char *name, const char *text, const char *kept) { QTest::newRow(name) << QByteArray{text} << QByteArray{kept}; };
        row("a URL", "http://a/b?token=1", "http://a/b");
        row("signs that may stand in a query", "/b?sig=a,b;c'd(e)&f=/g?h", "/b");
        row("links", "<http://a/?t=1>; rel=\"next\", </b?t=2>; rel=last", "<http://a/>; rel=\"next\", </b>; rel=last");
        row("words behind it", "see http://a/?t=1 for more", "see http://a/ for more");
        row("within quotes", "{\"url\":\"http://a/?t=1\"}", "{\"url\":\"http://a/\"}");
        row("a boolean", "?1", "?1");
        row("booleans within", "u=1, i=?0;a=?1", "u=1, i=?0;a=?1");
        row("a query that looks like one", "/b?1&t=2 /b?1", "/b /b");
        row("none", "a b", "a b");
    }
    void queriesAreCut()
    {
        QFETCH(QByteArray, text);
        QTEST(QByteArray::fromStdString(withoutQueries(text.toStdString())), "kept");
    }

    // The values of every other key stay as they are, whatever the secrets: also where one is a key, a number or a word of
    // the journal's own.
    void anEventStaysReadableWithoutItsSecrets()
    {
        const Redactor secrets{{"operation", "status", "429", "retry.refused", "quote\"d\\x"}};
        Decision decision;
        decision.family = Family::RateLimited;
        decision.status = 429;
        decision.refusal = RefusalReason::WaitExceeded;
        decision.hint = signals::Hint{3s, "X-Reset", signals::HintForm::DelaySeconds, "quote\"d\\x /a?t=hidden", "quote\"d\\x is 3 s"};
        decision.windowExhausted = "operation";
        decision.extractionError = "/b?hidden";
        const QJsonObject json = jsonOf({1, {}, 7, "quote\"d\\x", "h", 1, journal::RetryRefused{&decision}}, secrets);
        QCOMPARE(json["event"].toString(), QString{"retry.refused"});
        QCOMPARE(json["operation"].toString(), QString{"***"});
        QCOMPARE(json["status"].toInt(), 429);
        QCOMPARE(json["hint"].toObject(), (QJsonObject{{"delay", 3}, {"header", "X-Reset"}, {"form", "delay-seconds"}, {"raw", "*** /a"}}));
        QCOMPARE(json["window_exhausted"].toString(), QString{"***"});
        QCOMPARE(json["extraction_error"].toString(), QString{"/b"});
    }
    void whatAResponseSaidIsRedacted()
    {
        const Redactor secrets{{"sk-0123456789"}};
        signals::RateLimitState state;
        state.windows.push_back({"sk-0123456789", {}, 5, {}, {}});
        state.unreadable.push_back({"X-sk-0123456789", "http://a/?hidden", "sk-0123456789 is no number"});
        const QJsonObject attempt = jsonOf({1, {}, 7, "x", "h", 1, journal::AttemptFinished{.status = 200, .state = &state}}, secrets);
        QCOMPARE(attempt["windows"].toArray(), (QJsonArray{QJsonObject{{"name", "***"}, {"limit", 5}}}));
        QCOMPARE(attempt["unreadable"].toArray(),
            (QJsonArray{QJsonObject{{"header", "X-***"}, {"raw", "http://a/"}, {"why", "*** is no number"}}}));
        const signals::Hint hint{3s, "Retry-After", signals::HintForm::DelaySeconds, "sk-0123456789", {}};
        const QJsonObject detected = jsonOf({2, {}, 7, "x", "h", 1, journal::RateLimitDetected{429, &hint}}, secrets);
        QCOMPARE(detected["hint"].toObject()["raw"].toString(), QString{"***"});
        const QJsonObject ended = jsonOf({3, {}, 7, "x", "h", 0, journal::OperationFinished{.retryAfter = "sk-0123456789"}}, secrets);
        QCOMPARE(ended["retry_after"].toString(), QString{"***"});
    }
};

QTEST_GUILESS_MAIN(TestFetchRedactor)
#include "tst_fetch_redactor.moc"
