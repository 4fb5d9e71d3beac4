// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/qcp.h"

#include <algorithm>
#include <cmath>

namespace throttlescope::dashboard {

/// 1 s, 3 s, 10 s, 30 s, …
class WaitTicker final : public QCPAxisTicker {
protected:
    QVector<double> createTickVector(double, const QCPRange &range) override
    {
        QVector<double> ticks;
        const bool isShort = range.upper / range.lower < 200 && tickCount() > 3; // else decades alone
        for (double decade = 0.01; decade < 1e7; decade *= 10) {
            for (const double tick : {decade, decade * 3}) {
                if (range.contains(tick) && (tick == decade || isShort))
                    ticks << tick;
            }
        }
        const qsizetype most = tickCount() + 1;
        const qsizetype stride = (ticks.size() + most - 1) / most;
        QVector<double> apart;
        for (qsizetype each = 0; each < ticks.size(); each += stride)
            apart << ticks[each];
        return isShort ? ticks : apart;
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale &, QChar, int) override { return QString::number(tick, 'g', 6) + " s"; }
};

/// Whole numbers: of operations, which begin with 1, or of attempts a second.
class CountTicker final : public QCPAxisTicker {
public:
    void setLeast(double least) { m_least = least; }

protected:
    double getTickStep(const QCPRange &range) override
    {
        const double wanted = range.size() / tickCount();
        const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
        for (const double step : {decade, 2 * decade, 5 * decade}) {
            if (step >= wanted)
                return std::max(1.0, step);
        }
        return std::max(1.0, 10 * decade);
    }
    QVector<double> createTickVector(double step, const QCPRange &range) override
    {
        QVector<double> ticks = QCPAxisTicker::createTickVector(step, range);
        ticks.removeIf([this](double tick) { return tick < m_least; });
        return ticks;
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale &, QChar, int) override { return QString::number(tick, 'f', 0); }

private:
    double m_least = 0;
};

/// 0 %, 50 %, 100 %, and on in wider steps.
class PercentTicker final : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange &range) override
    {
        return tickCount() < 3 ? 100 : range.size() < 220 ? 50 : cleanMantissa(range.size() / 4);
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale &, QChar, int) override { return QString::number(tick, 'f', 0) + " %"; }
};

} // namespace throttlescope::dashboard
