// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/png.h"

#include <QBuffer>
#include <QImage>

namespace throttlescope::dashboard {

QByteArray pngOf(const QImage &picture)
{
    QByteArray bytes;
    QBuffer buffer{&bytes};
    buffer.open(QIODevice::WriteOnly);
    picture.save(&buffer, "PNG");
    return bytes;
}

} // namespace throttlescope::dashboard
