// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/whole_file.h"

#include <QFileInfo>
#include <QObject>
#include <QSaveFile>

namespace throttlescope::dashboard {

QString writeWhole(const QString &file, const QByteArray &content)
{
    if (QFileInfo{file}.isDir())
        return QObject::tr("%1: is a folder, expected a file").arg(file);
    QSaveFile out{file};
    // Flushed first, for commit() of Qt 6.4 does not look at what becomes of its buffer.
    const bool written = out.open(QIODevice::WriteOnly) && out.write(content) == content.size() && out.flush() && out.commit();
    return written ? QString{} : QObject::tr("%1: could not be written (%2)").arg(file, out.errorString());
}

} // namespace throttlescope::dashboard
