// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/digest.h"
#include "app/cli/fetch/report.h"
#include "app/cli/fetch/verdict.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::fetch;

namespace {

using End = throttlescope::Result;

net::Result answered(int status, const std::string &body = "new", bool whole = true)
{
    net::Result result;
    result.end = status < 400 && whole ? End::Succeeded : End::Failed;
    result.response = Response{status, {}, body, whole};
    if (result.end == End::Failed)
        result.error = net::OperationError{RefusalReason::NotSelected, {}, {}, {}};
    return result;
}

net::Result refused(
    std::optional<int> status, RefusalReason reason, std::optional<TransportFailureKind> transport = {}, std::optional<Duration> hint = {})
{
    net::Result result;
    result.end = status ? End::Failed : End::Rejected;
    if (status)
        result.response = Response{*status, {}, {}};
    result.error = net::OperationError{reason, transport, {}, {}};
    result.lastFailure.retryAfter = hint;
    return result;
}

Settled earlier(int status, const std::string &body)
{
    const Answer answer{status, sha256(body)};
    return {Verdict::Agreed, answer, answer};
}

} // namespace

class TestFetchVerdict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anAnswerSettlesOrDoesNot_data()
    {
        QTest::addColumn<net::Result>("result");
        QTest::addColumn<std::optional<Settled>>("before");
        QTest::addColumn<Verdict>("verdict");
        QTest::addColumn<QString>("reason");
        const auto settles = [](const char *name, const net::Result &result, std::optional<Settled> before, Verdict verdict) {
            QTest::newRow(name) << result << before << verdict << QString{};
        };
        const auto stays = [](const char *name, const net::Result &result, const char *reason) {
            QTest::newRow(name) << result << std::optional<Settled>{earlier(200, "old")} << Verdict::Unchecked << QString{reason};
        };
        settles("the first answer", answered(200), {}, Verdict::Agreed);
        settles("the same body", answered(200), earlier(200, "new"), Verdict::Agreed);
        settles("another body", answered(200), earlier(200, "old"), Verdict::Changed);
        settles("another status", answered(203), earlier(200, "new"), Verdict::Changed);
        settles("404", answered(404), {}, Verdict::NoSuch);
        settles("410 where there was something", answered(410), earlier(200, "new"), Verdict::NoSuch);
        settles("something where there was a 404", answered(200), earlier(404, "new"), Verdict::Changed);
        settles("not modified", answered(304, ""), earlier(200, "new"), Verdict::Agreed);
        settles("not modified at the first time", answered(304, ""), {}, Verdict::Agreed);
        settles("not modified where there was a 404", answered(304, ""), earlier(404, ""), Verdict::Changed);
        stays("a redirect", answered(302), "redirect");
        stays("a body that broke off", answered(200, "ne", false), "interrupted");
        stays("a 404 that broke off", answered(404, "ne", false), "interrupted");
        stays("403", answered(403), "not_selected");
        stays("a wait that is too long", refused(429, RefusalReason::WaitExceeded), "wait_exceeded");
        stays("an open breaker", refused({}, RefusalReason::BreakerOpen), "breaker_open");
        stays("no connection, which the policy does not repeat",
            refused({}, RefusalReason::NotReplayable, TransportFailureKind::ConnectionRefused), "connection_refused");
        stays("no connection, as often as may be", refused({}, RefusalReason::AttemptsExhausted, TransportFailureKind::Tls), "tls");
        stays("no time left in an attempt", refused({}, RefusalReason::Deadline, TransportFailureKind::AttemptTimeout), "deadline");
        net::Result stopped;
        stopped.end = End::Unfinished;
        stays("stopped", stopped, "cancelled");
        stopped.response = Response{404, {}, {}};
        stays("stopped after an answer", stopped, "cancelled");
        net::Result unusable;
        unusable.end = End::Rejected;
        unusable.error = net::OperationError{};
        stays("a request that cannot be sent", unusable, "unusable_request");
    }
    void anAnswerSettlesOrDoesNot()
    {
        QFETCH(net::Result, result);
        QFETCH(std::optional<Settled>, before);
        QFETCH(Verdict, verdict);
        QFETCH(QString, reason);
        const Judgement judgement = judge(result, before ? &*before : nullptr, false);
        QCOMPARE(QString::fromUtf8(word(judgement.verdict).data()), QString::fromUtf8(word(verdict).data()));
        QCOMPARE(QString::fromStdString(judgement.reason), reason);
        QCOMPARE(judgement.settled.has_value(), reason.isEmpty());
    }

    void aHintIsHandedOn()
    {
        QCOMPARE(judge(refused(429, RefusalReason::WaitExceeded, {}, 120s), nullptr, false).hint, std::optional<Duration>{120s});
        net::Result last = refused(429, RefusalReason::AttemptsExhausted); // on a final attempt there is no delay, but a state
        last.state.hint = signals::Hint{7s};
        QCOMPARE(judge(last, nullptr, false).hint, std::optional<Duration>{7s});
    }

    void aChangeIsToldUntilItIsAcknowledged()
    {
        const Settled first = *judge(answered(200, "a"), nullptr, false).settled;
        const Settled second = *judge(answered(200, "b"), &first, false).settled;
        QVERIFY(second.verdict == Verdict::Changed && second.answer.digest == sha256("b") && second.baseline == first.answer);
        const Settled third = *judge(answered(200, "b"), &second, true).settled;
        QVERIFY(third.verdict == Verdict::Changed && third.baseline == third.answer);
        QVERIFY(judge(answered(200, "b"), &third, false).verdict == Verdict::Agreed);
        QVERIFY(judge(answered(200, "a"), &second, false).verdict == Verdict::Agreed); // back to what it was
    }

    void theTableListsTwentyAndCountsTheRest()
    {
        std::vector<Item> items(23);
        std::vector<ItemReport> reports;
        for (std::size_t i = items.size(); i-- > 0;) { // asked in another order
            items[i].id = "item " + std::to_string(i);
            reports.push_back(
                {i, judge(i == 0 ? answered(404) : refused(429, RefusalReason::WaitExceeded, {}, 90s), nullptr, false), i == 0});
        }
        const QStringList lines = QString::fromStdString(reportTable(items, reports, {5, 1, 30, 9, false})).split('\n');
        QCOMPARE(lines.size(), 4 + 20 + 1 + 1 + 1);
        QCOMPARE(lines[2], QString{"no_such          0   and 1 acknowledged"});
        QCOMPARE(lines[3], QString{"unchecked       22"});
        QCOMPARE(lines[4], QString{"  item 1  wait_exceeded, status 429, come back in 90s"});
        QCOMPARE(lines[24], QString{"  and 2 more; --json lists all"});
        QCOMPARE(lines[25], QString{"23 items, 5 settled before, 1 line skipped, 30 requests, seed 9"});
        const QJsonObject json
            = QJsonDocument::fromJson(QByteArray::fromStdString(reportJson(items, reports, {5, 1, 30, 9, false}))).object();
        QCOMPARE(json["items"].toArray().size(), 23);
        QCOMPARE(json["unchecked"].toInt(), 22);
        QCOMPARE(json["items"].toArray()[22].toObject(),
            (QJsonObject{{"id", "item 22"}, {"line", 0}, {"url", ""}, {"result", "unchecked"}, {"status", 429}, {"reason", "wait_exceeded"},
                {"hint_seconds", 90}}));
    }
};

QTEST_GUILESS_MAIN(TestFetchVerdict)
#include "tst_fetch_verdict.moc"
