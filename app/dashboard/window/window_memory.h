// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>
#include <QStringList>
#include <vector>

class QMainWindow;
class QHeaderView;
class QSplitter;

namespace throttlescope::dashboard {

/// What is remembered from one start to the next. The keys carry a version: what another one wrote is left alone.
class WindowMemory {
public:
    static constexpr int kMostRecent = 6;

    /// Sizes as they were; a window that would be off every screen is brought back. False: nothing was remembered.
    bool restore(QMainWindow &window, QHeaderView &columns);
    void restore(const std::vector<QSplitter *> &splitters);
    void save(const QMainWindow &window, const std::vector<QSplitter *> &splitters, const QHeaderView &columns);
    void forgetLayout();

    QStringList recent() const { return m_settings.value(key("recent")).toStringList(); }
    void addRecent(const QString &file);
    QVariant value(const QString &name, const QVariant &otherwise) const { return m_settings.value(key(name), otherwise); }
    void setValue(const QString &name, const QVariant &value) { m_settings.setValue(key(name), value); }

private:
    static QString key(const QString &name) { return QStringLiteral("v1/") + name; }

    QSettings m_settings;
};

} // namespace throttlescope::dashboard
