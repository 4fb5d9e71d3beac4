// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/line_reader.h"

#include <memory>

/// Logs of JSON, one object a request.
namespace throttlescope::incident {

std::unique_ptr<LineReader> envoyJsonReader(const ReaderOptions &options);
std::unique_ptr<LineReader> caddyReader(const ReaderOptions &options);
std::unique_ptr<LineReader> traefikJsonReader(const ReaderOptions &options);
/// Anybody's, by `ReaderOptions::fields` and common names.
std::unique_ptr<LineReader> jsonLinesReader(const ReaderOptions &options);
/// Our own journal: one entry an attempt.
std::unique_ptr<LineReader> journalReader(const ReaderOptions &options);
/// One of the `log.entries` of a HAR.
std::unique_ptr<LineReader> harEntryReader(const ReaderOptions &options);

} // namespace throttlescope::incident
