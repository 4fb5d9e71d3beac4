// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/run/runner.h"

#include <functional>

namespace throttlescope::live {

class LiveRun;

struct LiveOptions {
    std::int64_t scale = 1; ///< scenario seconds in a real one; ≥ 1
    /// Real time by which a duration may miss what is expected of it: requests and timers take theirs, and a hint in whole
    /// seconds is another when a request is late.
    Duration tolerance = std::chrono::milliseconds{100};
    journal::EventSink *watcher = nullptr; ///< gets every event as well, in the calling thread
    std::function<void(LiveRun &)> begins; ///< told of the run before its first event; it lives until runLive() returns
};

/// runScenario() through sockets: see LiveRun. Needs a QCoreApplication, and to be called in a thread of Qt's;
/// `options.mostOpen` is not looked at.
RunReport runLive(const Scenario &scenario, const RunOptions &options, const LiveOptions &live);

} // namespace throttlescope::live
