// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace throttlescope::dashboard {

/// All of it, or the file stays as it was. Why not; empty: it is written.
QString writeWhole(const QString &file, const QByteArray &content);

} // namespace throttlescope::dashboard
