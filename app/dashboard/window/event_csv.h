// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_table_model.h"

#include <QByteArray>

namespace throttlescope::dashboard {

/// The rows of a table as it shows them, RFC 4180.
QByteArray eventCsv(const EventTableModel &model);

} // namespace throttlescope::dashboard
