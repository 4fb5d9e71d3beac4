// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/hidden_names.h"
#include "app/dashboard/window/top_bar.h"
#include "tests/gui/gui_support.h"

#include <QComboBox>
#include <QLineEdit>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

/// Every name in it may be a customer's.
constexpr auto kCustomers = "throttlescope: 1\n"
                            "name: acme night\n"
                            "servers:\n"
                            "  initech:\n"
                            "    limits: [{name: minute, quota: 2, per: 1m, window: fixed, key: header:X-Api-Key}]\n"
                            "    on_limit: {retry_after: seconds}\n"
                            "  hooli: {}\n"
                            "timeline: [{at: 1s, for: 5s, label: umbrella outage, server: initech, faults: {503: 10%}}]\n"
                            "policies:\n"
                            "  wonka: {rate_limit: {max_wait: 5s}}\n"
                            "  stark: {max_attempts: 2}\n"
                            "workload:\n"
                            "  - {operation: cyberdyne, server: initech, policy: wonka, method: GET, fallback: tyrell, headers: "
                            "{X-Api-Key: soylent}, arrivals: {rate: 1/s, count: 8}}\n"
                            "  - {operation: tyrell, server: hooli, policy: stark, method: GET, on_demand: true}\n"
                            "expect: {by_operation: {cyberdyne: {operations: {succeeded: 99}}}}\n";
const QStringList kNames{"acme", "initech", "hooli", "umbrella", "wonka", "stark", "cyberdyne", "tyrell", "soylent", "customers"};

/// What somebody in the room may read, tooltips included.
QStringList wordsIn(const QWidget &window)
{
    QStringList words{window.windowTitle()};
    for (const QWidget *each : window.findChildren<QWidget *>()) {
        if (!each->isVisibleTo(&window))
            continue;
        words << each->toolTip() << each->accessibleDescription();
        if (const auto *label = qobject_cast<const QLabel *>(each))
            words << label->text();
        if (const auto *button = qobject_cast<const QAbstractButton *>(each))
            words << button->text();
        if (const auto *box = qobject_cast<const QLineEdit *>(each))
            words << box->text();
        if (const auto *choice = qobject_cast<const QComboBox *>(each)) {
            for (int item = 0; item < choice->count(); ++item)
                words << choice->itemText(item);
        }
    }
    return words;
}

QString nameIn(const QStringList &words)
{
    for (const QString &name : kNames) {
        for (const QString &each : words) {
            if (each.contains(name, Qt::CaseInsensitive))
                return name + " in: " + each;
        }
    }
    return {};
}

} // namespace

/// Hide names: for projectors.
class TestGuiNames final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.clear();
        m_window = shownWindow();
        write(m_settings.file("customers.yaml"), kCustomers);
        QVERIFY(m_window->open(m_settings.file("customers.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
    }
    void cleanup() { m_window.reset(); }

    void noNameIsLeftAnywhere()
    {
        QVERIFY(!nameIn(wordsIn(*m_window)).isEmpty());
        QVERIFY(says(*m_window, "expectations failed"));
        m_window->setHideNames(true);
        QVERIFY(says(*m_window, "expectations failed"));
        const EventStore &store = m_window->workspace().record().store;
        QStringList told;
        for (Row row = 0; row < store.rowCount(); ++row) {
            m_window->choose(row);
            const QString found = nameIn(wordsIn(*m_window));
            QVERIFY2(found.isEmpty(), qPrintable(found));
        }
        QVERIFY(says(*m_window, "another call") || store.rowCount() > 0);
        m_window->workspace().policy()->showPolicy("stark");
        QCOMPARE(nameIn(wordsIn(*m_window)), QString{});
        QTest::keyClick(m_window.get(), Qt::Key_0);
        const EventTableModel &model = m_window->events().model();
        for (int row = 0; row < model.rowCount(); ++row) {
            for (int column = 0; column < EventTableModel::ColumnCount; ++column) {
                const QString words = model.index(row, column).data().toString();
                QVERIFY2(nameIn({words}).isEmpty(), qPrintable(words));
            }
        }
    }

    void noNameIsExported_data()
    {
        QTest::addColumn<QString>("ending");
        QTest::newRow("events") << "csv";
        QTest::newRow("plots") << "svg";
    }

    void noNameIsExported()
    {
        QFETCH(QString, ending);
        const QString file = m_settings.file("hidden." + ending);
        QCOMPARE(m_window->exportTo(file), QString{});
        QVERIFY(!nameIn({QString::fromUtf8(contentOf(file))}).isEmpty()); // so that this test can find them
        m_window->setHideNames(true);
        QCOMPARE(m_window->exportTo(file), QString{});
        const QString left = nameIn({QString::fromUtf8(contentOf(file))});
        QVERIFY2(left.isEmpty(), qPrintable(left.left(200)));
    }

    void whatIsSaidOfAPolicyNamesNone()
    {
        m_window->setHideNames(true);
        m_window->workspace().setRetuneLive(true);
        m_window->workspace().setSpeed(1);
        m_window->workspace().run();
        QTRY_VERIFY(m_window->workspace().record().store.rowCount() > 0);
        m_window->workspace().setMaxWait(30s, true);
        QTRY_VERIFY(says(*m_window, "a policy retuned"));
        QCOMPARE(nameIn(wordsIn(*m_window)), QString{});
    }

    void onlyWholeWordsAreNames()
    {
        const HiddenNames names{{"read", "a call"}, {"a+b", "a server"}};
        QCOMPARE(withoutNames("read already on a+b, read-only", names), QStringLiteral("a call already on a server, read-only"));
    }

private:
    OwnSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestGuiNames)
#include "tst_gui_names.moc"
