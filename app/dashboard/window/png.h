// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

class QImage;

namespace throttlescope::dashboard {

QByteArray pngOf(const QImage &picture);

} // namespace throttlescope::dashboard
