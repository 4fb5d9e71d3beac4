// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/window/event_panel.h"
#include "app/dashboard/window/main_window.h"

#include "simulator/run/runner.h"
#include "simulator/scenario/loader.h"

#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

namespace throttlescope::dashboard {

inline QString scenarioFile(const QString &name)
{
    return QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/") + name;
}

/// Settings of a test's own, away from whoever runs it.
class OwnSettings {
public:
    OwnSettings()
    {
        QCoreApplication::setOrganizationName("throttlescope-test");
        QCoreApplication::setApplicationName("dashboard");
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    }
    void clear() { QSettings{}.clear(); }
    QString file(const QString &name) const { return m_folder.filePath(name); }

private:
    QTemporaryDir m_folder;
};

/// A window of the small size, as it comes up for somebody new.
inline std::unique_ptr<MainWindow> shownWindow()
{
    auto window = std::make_unique<MainWindow>(LookChoice::Light);
    window->resize(1280, 800);
    window->show();
    if (!QTest::qWaitForWindowExposed(window.get()))
        qFatal("the window is not shown");
    return window;
}

/// The same, with the keyboard.
inline std::unique_ptr<MainWindow> activeWindow()
{
    auto window = shownWindow();
    window->activateWindow();
    if (!QTest::qWaitForWindowActive(window.get()))
        qFatal("the window is not active");
    return window;
}

inline bool isFinished(MainWindow &window)
{
    return window.workspace().state() == Workspace::State::Finished;
}

inline Figures figuresShown(MainWindow &window)
{
    return window.workspace().record().figures.figures();
}

/// Some label of the window says exactly that.
inline bool says(const QWidget &window, const QString &words)
{
    for (const QLabel *each : window.findChildren<QLabel *>()) {
        if (each->isVisible() && each->text().contains(words))
            return true;
    }
    return false;
}

inline void write(const QString &file, const QByteArray &content, QIODevice::OpenMode mode = QIODevice::WriteOnly)
{
    QFile out{file};
    QVERIFY(out.open(mode));
    QCOMPARE(out.write(content), content.size());
}

inline QByteArray contentOf(const QString &file)
{
    QFile in{file};
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray{};
}

/// What `throttlescope run --journal` would write.
inline void writeJournal(const QString &scenario, const QString &file, const LoadOptions &options = {})
{
    const auto loaded = loadScenario(scenarioFile(scenario).toStdString(), options);
    QVERIFY(loaded.has_value());
    QCOMPARE(runScenario(loaded->scenario, {.journal = file.toStdString()}).error, std::string{});
}

} // namespace throttlescope::dashboard
