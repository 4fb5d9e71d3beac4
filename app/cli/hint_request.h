// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/signals/rate_limit_state.h"

#include <memory>
#include <string>
#include <string_view>

namespace throttlescope::cli {

/// What is asked about a response: by the command line, or by one line of `hint --stdin`.
struct HintRequest {
    WallTime now{};
    Response response;
    signals::ReadOptions options;
};

/// Reads `{"now", "status", "headers": [[name, value], …], "body"?, "dialect"?, "strict"?}`, line after line, with the
/// same buffers. Keys it does not know are ignored, null counts as absent; `now` and `status` have defaults.
class HintRequestReader {
public:
    explicit HintRequestReader(HintRequest defaults);
    ~HintRequestReader();

    /// Behind `line` stand at least 64 readable bytes. Null where it is no such object: `error` says why, in words of ours.
    const HintRequest *read(std::string_view line);
    const std::string &error() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace throttlescope::cli
