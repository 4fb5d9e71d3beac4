// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/time_ticker.h"

#include <array>
#include <cmath>

namespace throttlescope::dashboard {

namespace {

double secondsOfDay(WallTime moment)
{
    return static_cast<double>((moment - std::chrono::floor<std::chrono::days>(moment)).count()) / 1e6;
}

} // namespace

double TimeTicker::getTickStep(const QCPRange &range)
{
    constexpr std::array<double, 24> steps{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
        172800, 604800, 1209600, 2592000, 7776000, 31536000};
    const double wanted = range.size() / 7;
    m_step = steps.back();
    for (const double step : steps) {
        if (step >= wanted) {
            m_step = step;
            break;
        }
    }
    if (wanted < 0.5)
        m_step = std::max(1e-6, cleanMantissa(wanted));
    setTickOrigin(m_wallZero ? -std::fmod(secondsOfDay(*m_wallZero), m_step) : 0); // on the full minute of the clock that is read
    return m_step;
}

QString TimeTicker::text(double seconds, double step)
{
    const int decimals = step >= 1 ? 0 : std::min(6, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    const double power = std::pow(10.0, decimals);
    const double rounded = std::round(std::abs(seconds) * power) / power;
    const auto whole = static_cast<qint64>(rounded);
    const double rest = static_cast<double>(whole % 60) + (rounded - static_cast<double>(whole));
    const QString padded = QStringLiteral("%1").arg(rest, decimals == 0 ? 2 : 3 + decimals, 'f', decimals, QLatin1Char{'0'});
    const QString sign = seconds < 0 ? QStringLiteral("−") : QString{};
    if (whole >= 3600)
        return QStringLiteral("%1%2:%3:%4").arg(sign).arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QLatin1Char{'0'}).arg(padded);
    return QStringLiteral("%1%2:%3").arg(sign).arg(whole / 60).arg(padded);
}

QString TimeTicker::getTickLabel(double tick, const QLocale &, QChar, int)
{
    if (!m_wallZero)
        return text(tick, m_step);
    const auto moment = *m_wallZero + durationFromMicroseconds(tick * 1e6);
    const double ofDay = secondsOfDay(moment);
    const QString time = text(ofDay + 3600 * 24, m_step).mid(3); // two digits of hours: 24:05:00 of a day that begins at 24
    const int hours = static_cast<int>(ofDay) / 3600;
    return QStringLiteral("%1:%2").arg(hours, 2, 10, QLatin1Char{'0'}).arg(time);
}

} // namespace throttlescope::dashboard
