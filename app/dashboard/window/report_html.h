// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>

namespace throttlescope::dashboard {

class Workspace;

/// One run: figures, plots, failed expectations, the story of the first call that was given up.
QByteArray htmlSection(const Workspace &workspace, const QImage &plots);
/// One file around them that opens offline.
QByteArray htmlPage(const QByteArray &sections);

} // namespace throttlescope::dashboard
