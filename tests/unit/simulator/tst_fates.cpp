// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/fates.h"

#include <QTest>

using namespace throttlescope;

namespace {

/// One operation after another, each with its name and end.
class Story {
public:
    Story &ends(const char *name, Result result, std::optional<RefusalReason> reason = std::nullopt)
    {
        start(name);
        journal::OperationFinished finished;
        finished.result = result;
        finished.reason = reason;
        fates.accept({0, {}, m_op, name, "api", 0, finished});
        return *this;
    }
    Story &start(const char *name)
    {
        fates.accept({0, {}, ++m_op, name, "api", 0, journal::OperationStarted{}});
        return *this;
    }

    Fates fates;

private:
    journal::OperationId m_op = 0;
};

constexpr auto kExceeded = RefusalReason::WaitExceeded;

} // namespace

class TestFates : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSameRunChangesNothing()
    {
        Story story;
        story.ends("read", Result::Succeeded).ends("write", Result::Failed, kExceeded).start("read");
        QVERIFY(fateChanges(story.fates, story.fates).empty());
    }

    void changesAreCountedByKindTheMostFrequentFirst()
    {
        Story before, after;
        before.ends("read", Result::Succeeded)
            .ends("read", Result::Succeeded)
            .ends("read", Result::Failed, kExceeded)
            .ends("write", Result::Succeeded);
        after.ends("read", Result::Failed, kExceeded)
            .ends("read", Result::Succeeded)
            .ends("read", Result::Succeeded)
            .ends("write", Result::Failed, kExceeded);
        const auto changes = fateChanges(before.fates, after.fates);
        QCOMPARE(changes.size(), std::size_t{2});
        QCOMPARE(changes[0].count, std::uint64_t{2});
        QCOMPARE(fateText(*changes[0].before), std::string{"succeeded"});
        QCOMPARE(fateText(*changes[0].after), std::string{"failed (wait_exceeded)"});
        QCOMPARE(changes[0].operation, std::string{"read"});
        QCOMPARE(changes[0].nth, std::uint64_t{1});
        QCOMPARE(changes[1].count, std::uint64_t{1});
        QCOMPARE(changes[1].nth, std::uint64_t{3});
    }

    /// Numbers depend on who starts first; the place among those of a name does not.
    void operationsAreToldByNameAndPlaceNotByNumber()
    {
        Story before, after;
        before.ends("read", Result::Succeeded).ends("write", Result::Failed, kExceeded);
        after.ends("write", Result::Failed, kExceeded).ends("read", Result::Failed, kExceeded);
        const auto changes = fateChanges(before.fates, after.fates);
        QCOMPARE(changes.size(), std::size_t{1});
        QCOMPARE(changes[0].operation, std::string{"read"});
        QCOMPARE(changes[0].firstId, journal::OperationId{1});
        QCOMPARE(changes[0].secondId, journal::OperationId{2});
    }

    void whatIsOpenIsUnfinishedAndWhatIsMissingIsNotThere()
    {
        Story before, after;
        before.ends("read", Result::Succeeded).ends("read", Result::Succeeded);
        after.start("read");
        const auto changes = fateChanges(before.fates, after.fates);
        QCOMPARE(changes.size(), std::size_t{2});
        QCOMPARE(fateText(*changes[0].after), std::string{"unfinished"});
        QVERIFY(!changes[1].after);
        QCOMPARE(changes[1].secondId, journal::OperationId{0});
    }
};

QTEST_APPLESS_MAIN(TestFates)

#include "tst_fates.moc"
