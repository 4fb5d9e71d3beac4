// SPDX-License-Identifier: Apache-2.0
#include "core/signals/dialects.h"
#include "core/signals/rate_limit_state.h"

#include <QTest>

#include <algorithm>

#include "model_support.h"

using namespace throttlescope;
using namespace throttlescope::test;

namespace {

using signals::Form;
using signals::Role;
using signals::Window;

bool has(Dialect dialect, std::initializer_list<Role> roles)
{
    const auto rows = signals::dialectRows();
    return std::any_of(rows.begin(), rows.end(), [&](const signals::DialectRow &row) {
        return row.dialect == dialect && std::find(roles.begin(), roles.end(), row.role) != roles.end();
    });
}

/// A minute, an hour and a day on the calendar, asked at 30.25 s past 09:00 UTC: the resets are 29.75 s, 59 min 29.75 s and
/// 14 h 59 min 29.75 s away, and rounded up to the second they are 30, 3570 and 53,970 s.
struct Truth {
    std::uint64_t limit;
    std::uint64_t remaining;
    Duration length, reset;
};

bool agrees(const Window &read, const Truth &truth)
{
    const auto same = [](const auto &told, const auto &is) { return !told || *told == is; };
    // A moment counts from the response's Date, which is 0.25 s older than the arrival.
    const bool reset = !read.reset || (*read.reset >= truth.reset && *read.reset < truth.reset + 2s);
    return same(read.limit, truth.limit) && same(read.remaining, truth.remaining) && same(read.length, truth.length) && reset;
}

Server threeWindows(Dialect dialect, std::uint64_t minute)
{
    auto server = serverWith({calendarLimit("minute", minute, 60s), calendarLimit("hour", 500, 1h), calendarLimit("day", 4000, 24h)});
    server.onLimit.headers = {dialect};
    server.onLimit.retryAfter = RetryAfterForm::None;
    return server;
}

signals::RateLimitState readBack(const Bench &bench, Dialect dialect, Duration after)
{
    signals::ReadOptions options;
    options.dialect = dialect;
    return signals::read(bench.answer.response, wall("2026-06-02T09:00:00Z") + after, options);
}

} // namespace

/// Every dialect of the table: the state that the server wrote is the state that a client reads.
class TestModelDialectRoundTrip : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsLeftIsReadBack_data() { everyDialect(); }
    void whatIsLeftIsReadBack()
    {
        const Dialect dialect = fetched();
        Bench bench{threeWindows(dialect, 30)};
        for (int i = 0; i < 7; ++i)
            bench.visit(30s + 250ms);
        const std::vector<Truth> truth{
            {30, 23, 60s, 29s + 750ms}, {500, 493, 1h, 59min + 29s + 750ms}, {4000, 3993, 24h, 14h + 59min + 29s + 750ms}};
        const auto state = readBack(bench, dialect, 30s + 250ms);
        QVERIFY2(state.unreadable.empty(), state.unreadable.empty() ? "" : state.unreadable.front().header.c_str());
        for (const Window &window : state.windows) {
            const bool known = std::any_of(truth.begin(), truth.end(), [&](const Truth &each) { return agrees(window, each); });
            QVERIFY2(known, qPrintable(text(bench.answer.response.headers)));
        }
        QCOMPARE(
            state.windows.empty(), !has(dialect, {Role::Limit, Role::Remaining, Role::Used, Role::Reset, Role::State}) && !counts(dialect));
        if (tellsAll(dialect))
            QVERIFY2(state.windows.size() >= truth.size(), qPrintable(text(bench.answer.response.headers)));
        QVERIFY(!state.hint); // something is left of all
    }

    void aRefusalsDelayIsReadBack_data() { everyDialect(); }
    void aRefusalsDelayIsReadBack()
    {
        const Dialect dialect = fetched();
        Bench bench{threeWindows(dialect, 1)};
        QVERIFY(bench.visit(30s + 250ms).admitted);
        QVERIFY(!bench.visit(30s + 250ms).admitted);
        const auto state = readBack(bench, dialect, 30s + 250ms);
        QVERIFY2(state.unreadable.empty(), state.unreadable.empty() ? "" : state.unreadable.front().header.c_str());
        const bool tells = has(dialect, {Role::RetryAfter, Role::Reset, Role::SharedReset, Role::State}) || counts(dialect, true);
        QVERIFY2(state.hint.has_value() == tells, qPrintable(text(bench.answer.response.headers)));
        QCOMPARE(bench.answer.due.has_value(), tells);
        if (!tells)
            return;
        QVERIFY2(state.hint->delay >= 29s + 750ms && state.hint->delay <= 30s + 250ms, qPrintable(text(bench.answer.response.headers)));
        QCOMPARE(bench.answer.due->time_since_epoch(), 30s + 250ms + state.hint->delay);
    }

    void aPlainRetryAfterBesideADialectIsReadBack_data() { everyDialect(); }
    void aPlainRetryAfterBesideADialectIsReadBack()
    {
        const Dialect dialect = fetched();
        auto server = threeWindows(dialect, 1);
        server.onLimit.retryAfter = RetryAfterForm::Seconds;
        Bench bench{server};
        bench.visit(30s + 250ms);
        bench.visit(30s + 250ms);
        const auto state = readBack(bench, dialect, 30s + 250ms);
        QVERIFY(state.hint);
        QVERIFY2(state.hint->delay >= 29s + 750ms && state.hint->delay <= 30s + 250ms, qPrintable(text(bench.answer.response.headers)));
    }

private:
    static void everyDialect()
    {
        QTest::addColumn<int>("dialect");
        for (const signals::DialectInfo &each : signals::dialects())
            QTest::newRow(std::string{each.name}.c_str()) << static_cast<int>(each.id);
    }
    static Dialect fetched()
    {
        QFETCH(int, dialect);
        return static_cast<Dialect>(dialect);
    }

    /// Fields that count several things at once; `delay`: those that also say until when.
    static bool counts(Dialect dialect, bool delay = false)
    {
        const auto rows = signals::dialectRows();
        return std::any_of(rows.begin(), rows.end(), [&](const signals::DialectRow &row) {
            const bool resets = row.form == Form::TotalRemainingResets || row.form == Form::SecondsScopes;
            const bool always = row.form != Form::SecondsScopes; // which speaks of refusals only
            return row.dialect == dialect && row.role == Role::Counters && (delay ? resets : always);
        });
    }

    /// Dialects with room for every window, whatever it is called.
    static bool tellsAll(Dialect dialect)
    {
        const auto rows = signals::dialectRows();
        return std::any_of(rows.begin(), rows.end(), [&](const signals::DialectRow &row) {
            const bool list = (row.role == Role::State && row.form == Form::List) || row.form == Form::NamedCounts
                || row.form == Form::NamedUsedOfLimit;
            return row.dialect == dialect && (row.window == "*" || list);
        });
    }

    static QString text(const Headers &headers)
    {
        QString all;
        for (const HeaderField &each : headers)
            all += QString::fromStdString(each.name + ": " + each.value + "\n");
        return all;
    }
};

QTEST_APPLESS_MAIN(TestModelDialectRoundTrip)
#include "tst_model_dialect_round_trip.moc"
