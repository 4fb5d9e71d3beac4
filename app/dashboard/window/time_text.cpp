// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/time_text.h"

namespace throttlescope::dashboard {

QString timeText(Duration sinceStart)
{
    const qint64 tenths = (sinceStart.count() + 50'000) / 100'000;
    const qint64 seconds = tenths / 10;
    const QString end = QStringLiteral("%1.%2").arg(seconds % 60, 2, 10, QLatin1Char{'0'}).arg(tenths % 10);
    if (seconds < 3600)
        return QStringLiteral("%1:%2").arg(seconds / 60).arg(end);
    return QStringLiteral("%1:%2:%3").arg(seconds / 3600).arg(seconds / 60 % 60, 2, 10, QLatin1Char{'0'}).arg(end);
}

QString wallText(WallTime time)
{
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const qint64 seconds = std::chrono::floor<std::chrono::seconds>(time - day).count();
    const auto two = [](qint64 number) { return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char{'0'}); };
    return two(seconds / 3600) + ':' + two(seconds / 60 % 60) + ':' + two(seconds % 60) + " UTC";
}

} // namespace throttlescope::dashboard
