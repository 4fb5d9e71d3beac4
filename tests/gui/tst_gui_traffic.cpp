// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/fetch_dialog.h"
#include "app/dashboard/window/sweep_window.h"
#include "tests/gui/gui_support.h"
#include "tests/unit/net/scripted_peer.h"

#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QMessageBox>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::testing;

namespace {

QComboBox *boxNamed(const QWidget &window, const QString &name)
{
    for (QComboBox *each : window.findChildren<QComboBox *>()) {
        if (each->accessibleName() == name)
            return each;
    }
    return nullptr;
}

QPushButton *buttonSaying(const QWidget &window, const QString &words)
{
    for (QPushButton *each : window.findChildren<QPushButton *>()) {
        if (each->isVisible() && each->text() == words)
            return each;
    }
    return nullptr;
}

QString bannerOf(const QWidget &window)
{
    for (const QLabel *each : window.findChildren<QLabel *>()) {
        if (each->property("role") == "banner" && each->isVisible())
            return each->text() + (each->property("traffic") == "real" ? " in red" : "");
    }
    return {};
}

void chooseLoopback(MainWindow &window)
{
    QComboBox *on = boxNamed(window, "Run in virtual time or on loopback sockets");
    QVERIFY(on);
    on->setCurrentIndex(1);
    Q_EMIT on->activated(1);
}

/// Four calls at once that are told at first to come back in 40 s.
constexpr auto kToldToWait = "throttlescope: 1\n"
                             "servers: {api: {script: [{when: {attempt: 1}, answer: {status: 429, headers: {Retry-After: '40'}}}]}}\n"
                             "policies: {p: {rate_limit: {max_wait: 60s}}}\n"
                             "workload:\n"
                             "  - {operation: early, server: api, policy: p, method: GET, arrivals: {batch: 4}}\n"
                             "  - {operation: late, server: api, policy: p, method: GET, start_at: 20s, arrivals: {batch: 2}}\n";

} // namespace

/// Runs over sockets: of a scenario on the loopback, and of real requests.
class TestGuiTraffic final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings.clear(); }

    void aScenarioRunsOnTheLoopbackAndIsRetunedThere()
    {
        const QString file = m_settings.file("told.yaml");
        write(file, kToldToWait);
        MainWindow window{LookChoice::Dark};
        window.resize(1280, 800);
        window.show();
        QVERIFY(window.open(file));
        QTRY_VERIFY(isFinished(window));
        QCOMPARE(bannerOf(window), QStringLiteral("SIMULATED"));
        chooseLoopback(window);
        window.workspace().setRetuneLive(true);
        QCOMPARE(window.workspace().speed(), std::optional<double>{20});
        window.workspace().run();
        QTRY_COMPARE(bannerOf(window), QStringLiteral("LOOPBACK"));
        QVERIFY(buttonSaying(window, "Stop")->isEnabled());
        QVERIFY(!buttonSaying(window, "Step")->isEnabled());
        QTRY_COMPARE(window.workspace().record().series.waits().size(), std::size_t{4});
        window.workspace().setMaxWait(std::chrono::seconds{30}, true);
        QTRY_VERIFY(says(window, "p retuned: 4 waits keep the old limit"));
        grabTo(window, "loopback-retuned-dark-1280x800");
        QTRY_VERIFY_WITH_TIMEOUT(isFinished(window), 30'000);
        QCOMPARE(figuresShown(window).succeeded, 4U);
        QCOMPARE(figuresShown(window).waitExceeded, 2U);
    }

    void stopEndsARunOnTheLoopback()
    {
        const QString file = m_settings.file("told.yaml");
        write(file, QByteArray{kToldToWait}.replace("'40'", "'4000'").replace("60s", "2h"));
        MainWindow window{LookChoice::Light};
        window.show();
        QVERIFY(window.open(file));
        QTRY_VERIFY(isFinished(window));
        chooseLoopback(window);
        window.workspace().setSpeed(1);
        window.workspace().run();
        QTRY_COMPARE(window.workspace().record().series.waits().size(), std::size_t{4});
        QTest::keyClick(&window.events().table(), Qt::Key_Space);
        QTRY_VERIFY(isFinished(window));
        QCOMPARE(figuresShown(window).succeeded, 0U);
        QVERIFY(says(window, "stopped at "));
    }

    void realRequestsAreSentOnDemandAndSaidInRed()
    {
        ScriptedPeer peer{[](const PeerRequest &request) {
            return request.target == "/3" ? respond(429, "Retry-After: 3000\r\n") : respond(200, {}, "body");
        }};
        QByteArray list;
        for (int i = 1; i <= 6; ++i)
            list += peer.url("/" + QString::number(i)).toEncoded() + '\n';
        write(m_settings.file("urls.txt"), list);
        write(m_settings.file("patient.yaml"), "rate_limit: {max_wait: 1h}\n");
        throttlescope::fetch::FetchOrder order;
        order.worklist = m_settings.file("urls.txt").toStdString();
        order.policy = m_settings.file("patient.yaml").toStdString();
        MainWindow window{LookChoice::Dark};
        window.resize(1280, 800);
        window.show();
        QVERIFY(window.fetch(order));
        QCOMPARE(bannerOf(window), QStringLiteral("REAL TRAFFIC in red"));
        QTRY_COMPARE(figuresShown(window).succeeded, 5U);
        const QPushButton *mode = buttonSaying(window, "Retune live");
        QVERIFY(mode && !mode->isEnabled()); // there is no what-if of real requests
        window.workspace().setMaxWait(std::chrono::seconds{30}, true);
        QTRY_VERIFY(says(window, "patient retuned: 1 wait keeps the old limit"));
        QCOMPARE(window.workspace().commandLine(), QStringLiteral("--set rate_limit.max_wait=30s"));
        grabTo(window, "real-dark-1280x800");
        buttonSaying(window, "Stop")->click();
        QTRY_VERIFY(isFinished(window));
        QVERIFY(says(window, "5 of 6 settled with 6 requests"));
        const auto sent = peer.requests().size();
        window.workspace().setMaxWait(std::chrono::seconds{20}, true);
        QCoreApplication::processEvents();
        QVERIFY(isFinished(window)); // an edit alone sends nothing
        QCOMPARE(peer.requests().size(), sent);
    }

    void realRequestsAreNotStoppedUnasked_data()
    {
        QTest::addColumn<bool>("closes");
        QTest::newRow("by closing the window") << true;
        QTest::newRow("by what is opened next") << false;
    }

    void realRequestsAreNotStoppedUnasked()
    {
        QFETCH(bool, closes);
        ScriptedPeer peer{[](const PeerRequest &) { return respond(429, "Retry-After: 3000\r\n"); }};
        write(m_settings.file("urls.txt"), peer.url("/1").toEncoded() + '\n');
        write(m_settings.file("patient.yaml"), "rate_limit: {max_wait: 1h}\n");
        throttlescope::fetch::FetchOrder order;
        order.worklist = m_settings.file("urls.txt").toStdString();
        order.policy = m_settings.file("patient.yaml").toStdString();
        MainWindow window{LookChoice::Light};
        window.show();
        QVERIFY(window.fetch(order));
        QTRY_COMPARE(window.workspace().record().series.waits().size(), std::size_t{1});
        const auto leave = [&] {
            if (closes)
                window.close();
            else
                Q_EMIT window.sweepWindow().runAsked(scenarioFile("minute-window.yaml"), {});
        };
        const auto answer = [&](const QString &words) {
            auto *question = window.findChild<QMessageBox *>();
            QVERIFY(question && question->isVisible());
            QVERIFY(question->text().contains("Requests are under way"));
            buttonSaying(*question, words)->click();
            QTRY_VERIFY(!window.findChild<QMessageBox *>());
        };
        leave();
        leave(); // asked once
        QCOMPARE(window.findChildren<QMessageBox *>().size(), 1);
        grabTo(*window.findChild<QMessageBox *>(), closes ? "stop-and-close-light" : "stop-and-open-light");
        answer("Keep running");
        QVERIFY(window.isVisible());
        QCOMPARE(bannerOf(window), QStringLiteral("REAL TRAFFIC in red"));
        QVERIFY(window.workspace().state() == Workspace::State::Running);
        leave();
        QTest::keyClick(window.findChild<QMessageBox *>(), Qt::Key_Escape);
        QTRY_VERIFY(!window.findChild<QMessageBox *>());
        QVERIFY(window.workspace().state() == Workspace::State::Running);
        leave();
        answer(closes ? "Stop and close" : "Stop and open");
        if (closes)
            QTRY_VERIFY(!window.isVisible());
        else
            QTRY_COMPARE(window.workspace().name(), QStringLiteral("minute-window"));
        QVERIFY(!window.findChild<QMessageBox *>());
    }

    void whatIsWrongWithAFetchIsSaid()
    {
        MainWindow window{LookChoice::Light};
        window.show();
        throttlescope::fetch::FetchOrder order;
        order.worklist = "/nowhere";
        order.policy = "prvider";
        QVERIFY(!window.fetch(order));
        QVERIFY(says(window, "did you mean 'provider'"));
        order.policy = "provider";
        QVERIFY(!window.fetch(order));
        QVERIFY(says(window, "nowhere: cannot be read"));
    }

    void theDialogAsksForWhatTheCommandLineTakes()
    {
        MainWindow window{LookChoice::Dark};
        window.resize(1280, 800);
        window.show();
        FetchDialog dialog{&window};
        dialog.show();
        QPushButton *start = buttonSaying(dialog, "Send real requests");
        QVERIFY(start && !start->isEnabled());
        for (QLineEdit *each : dialog.findChildren<QLineEdit *>()) {
            if (each->accessibleName() == "Worklist")
                each->setText("urls.txt");
            if (each->accessibleName() == "Checkpoint")
                each->setText("urls.db");
            if (each->accessibleName() == "Most requests")
                QTest::keyClicks(each, "25");
        }
        QVERIFY(start->isEnabled());
        grabTo(dialog, "fetch-dialog-dark");
        throttlescope::fetch::FetchOrder ordered;
        connect(&dialog, &FetchDialog::ordered, this, [&](const throttlescope::fetch::FetchOrder &order) { ordered = order; });
        start->click();
        QCOMPARE(ordered.worklist, std::string{"urls.txt"});
        QCOMPARE(ordered.policy, std::string{"provider"});
        QCOMPARE(ordered.checkpoint, std::string{"urls.db"});
        QVERIFY(ordered.unsettledOnly);
        QCOMPARE(ordered.maxRequests, std::optional<std::uint64_t>{25});
        QCOMPARE(ordered.concurrency, std::size_t{4});
    }

private:
    static void grabTo(QWidget &widget, const QString &name)
    {
        const QString folder = QStringLiteral(THROTTLESCOPE_BINARY_DIR "/screenshots");
        QVERIFY(QDir{}.mkpath(folder));
        QVERIFY(widget.grab().save(folder + '/' + name + ".png"));
    }

    OwnSettings m_settings;
};

QTEST_MAIN(TestGuiTraffic)
#include "tst_gui_traffic.moc"
