// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/cliff.h"

#include <QWidget>
#include <optional>

namespace throttlescope::dashboard {

/// Succeeded and wait-exceeded over max_wait, the present value marked.
class CliffView final : public QWidget {
    Q_OBJECT

public:
    explicit CliffView(QWidget *parent = nullptr);

    void show(const CurvePointer &curve, std::optional<Duration> present);
    QSize sizeHint() const override { return {230, 150}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QRectF area() const;
    QPolygonF steps(std::uint64_t CliffPoint::*count) const;
    double xOf(double seconds) const;
    double yOf(double count) const;

    CurvePointer m_curve;
    std::optional<Duration> m_present;
    double m_mostSeconds = 1, m_mostCount = 1;
};

/// "9500", "12.5k", "1.25M"
QString shortNumber(double number);
/// "57 s is enough: nothing is given up from there on."
QString cliffSentence(const CliffCurve &curve);

} // namespace throttlescope::dashboard
