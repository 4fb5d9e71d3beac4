// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/session/scenario_watch.h"
#include "session_support.h"

#include <QDir>
#include <QFile>
#include <QSaveFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

constexpr int kLongest = 60'000; // ms; only a hang takes as long

template <typename File>
bool write(const QString &path, const std::string &text)
{
    File file{path};
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0)
        return false;
    if constexpr (std::is_same_v<File, QSaveFile>)
        return file.commit(); // writes another file and renames it
    return true;
}

Duration maxWait(const ScenarioPointer &scenario)
{
    return scenario->scenario.policies.at("p")->rateLimit.maxWait;
}

} // namespace

class TestScenarioWatch : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_file;

private Q_SLOTS:
    void init()
    {
        QVERIFY(m_folder.isValid());
        m_file = m_folder.filePath("s.yaml");
        QVERIFY(write<QFile>(m_file, scenarioText("{max_wait: 10s}")));
    }

    void aFileThatIsSavedIsReloaded_data()
    {
        QTest::addColumn<bool>("renamed");
        QTest::newRow("written in place") << false;
        QTest::newRow("renamed over it, as editors do") << true;
    }
    void aFileThatIsSavedIsReloaded()
    {
        QFETCH(bool, renamed);
        ScenarioWatch watch;
        QVERIFY(watch.open(m_file));
        QCOMPARE(maxWait(watch.scenario()), Duration{10s});
        QSignalSpy reloaded{&watch, &ScenarioWatch::reloaded};
        for (const int seconds : {20, 30, 40}) { // and again: the file that is watched is another one by now
            const std::string text = scenarioText("{max_wait: " + std::to_string(seconds) + "s}");
            QVERIFY(renamed ? write<QSaveFile>(m_file, text) : write<QFile>(m_file, text));
            while (maxWait(watch.scenario()) != Duration{std::chrono::seconds{seconds}})
                QVERIFY(reloaded.wait(kLongest));
            QCOMPARE(watch.text(), text);
        }
        QVERIFY(watch.errors().empty());
    }

    void aBrokenFileKeepsTheLastGoodScenario()
    {
        ScenarioWatch watch;
        QVERIFY(watch.open(m_file));
        QSignalSpy broken{&watch, &ScenarioWatch::broken}, reloaded{&watch, &ScenarioWatch::reloaded};
        QVERIFY(write<QSaveFile>(m_file, scenarioText("{max_wait: 10}")));
        QVERIFY(broken.wait(kLongest));
        const auto errors = broken.front().front().value<LoadErrors>();
        QCOMPARE(errors, watch.errors());
        QCOMPARE(QString::fromStdString(errors.front().text), QString{"'10' needs a unit, expected a duration such as 10s"});
        QCOMPARE(errors.front().mark, (Mark{3, 26}));
        QCOMPARE(maxWait(watch.scenario()), Duration{10s});
        QVERIFY(write<QSaveFile>(m_file, scenarioText("{max_wait: 12s}")));
        QVERIFY(reloaded.wait(kLongest));
        QCOMPARE(maxWait(watch.scenario()), Duration{12s});
        QVERIFY(watch.errors().empty());
    }

    void aFileThatGoesAndComesBack()
    {
        ScenarioWatch watch;
        QVERIFY(watch.open(m_file));
        QSignalSpy broken{&watch, &ScenarioWatch::broken}, reloaded{&watch, &ScenarioWatch::reloaded};
        QVERIFY(QFile::remove(m_file));
        QVERIFY(broken.wait(kLongest));
        QVERIFY(watch.errors().front().text.find("cannot be read") == 0);
        QVERIFY(write<QFile>(m_file, scenarioText("{max_wait: 13s}")));
        QVERIFY(reloaded.wait(kLongest));
        QCOMPARE(maxWait(watch.scenario()), Duration{13s});
    }

    void aTraceBesideIt()
    {
        const QString trace = m_folder.filePath("calls.csv");
        QVERIFY(write<QFile>(trace, "at,operation\n0s,call\n"));
        QVERIFY(write<QFile>(
            m_file, "throttlescope: 1\nservers: {api: {}}\nworkload: [{operation: call, server: api, arrivals: {trace: calls.csv}}]\n"));
        ScenarioWatch watch;
        QVERIFY(watch.open(m_file));
        QSignalSpy reloaded{&watch, &ScenarioWatch::reloaded};
        QVERIFY(write<QFile>(trace, "at,operation\n0s,call\n1s,call\n"));
        QVERIFY(reloaded.wait(kLongest));
        QCOMPARE(std::get<TraceArrivals>(watch.scenario()->scenario.workload.front().arrivals).operations->size(), std::size_t{2});
    }

    void whatIsBrokenFromTheStartIsWatchedToo()
    {
        QVERIFY(write<QFile>(m_file, "throttlescope: 2\n"));
        ScenarioWatch watch;
        const auto opened = watch.open(m_file);
        QVERIFY(!opened && opened.error().front().mark == (Mark{1, 16}) && !watch.scenario());
        QSignalSpy reloaded{&watch, &ScenarioWatch::reloaded};
        QVERIFY(write<QSaveFile>(m_file, scenarioText("{}")));
        QVERIFY(reloaded.wait(kLongest));
        watch.close();
        QVERIFY(!watch.scenario() && watch.file().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestScenarioWatch)
#include "tst_scenario_watch.moc"
