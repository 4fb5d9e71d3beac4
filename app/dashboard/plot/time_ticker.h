// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/time.h"

#include "app/dashboard/plot/qcp.h"
#include <optional>

namespace throttlescope::dashboard {

/// Scenario time as 5:51 or 1:05:51, or the wall clock's; steps that a clock has.
class TimeTicker final : public QCPAxisTicker {
public:
    /// Wall time at scenario time 0, to show wall time.
    void setWallZero(std::optional<WallTime> zero) { m_wallZero = zero; }

    /// "5:51.8"; as many decimals as the step needs.
    static QString text(double seconds, double step);

protected:
    double getTickStep(const QCPRange &range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale &locale, QChar format, int precision) override;

private:
    std::optional<WallTime> m_wallZero;
    double m_step = 1;
};

} // namespace throttlescope::dashboard
