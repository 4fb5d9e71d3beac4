// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/problem.h"

#include <QSslConfiguration>

#include <string>

namespace throttlescope::fetch {

/// The system's trust and the certificates of this PEM file.
OrProblem<QSslConfiguration> trusting(const std::string &caFile);

} // namespace throttlescope::fetch
