// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/line_reader.h"

#include <memory>

/// Logs of plain text, one line a request.
namespace throttlescope::incident {

/// The status that nginx writes where the client had gone: it got nothing.
inline constexpr int kNginxClientGone = 499;

/// Apache's and nginx's `combined` and `common`, with a virtual host before them or more fields behind: `"$http_x_forwarded_for"`,
/// `$request_time`, `rt=0.1`.
std::unique_ptr<LineReader> combinedReader(const ReaderOptions &options);
/// Traefik's `common` access log: combined, a count, router, service URL and milliseconds.
std::unique_ptr<LineReader> traefikClfReader(const ReaderOptions &options);
std::unique_ptr<LineReader> nginxErrorReader(const ReaderOptions &options);
/// Envoy's default text format.
std::unique_ptr<LineReader> envoyTextReader(const ReaderOptions &options);
std::unique_ptr<LineReader> awsAlbReader(const ReaderOptions &options);

} // namespace throttlescope::incident
