// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::journal {

/// Reads a journal line by line. Keys it does not know are ignored, a cut last line is survived, a broken one is named by
/// its number. An event's text and the values it points to live until the next line is read.
class EventReader {
public:
    EventReader();
    ~EventReader();

    /// Parses one line. None: not a journal event; `error()` says why.
    const Event *parse(std::string_view line);
    const std::string &error() const;

    struct Outcome {
        std::uint64_t events = 0;
        bool cutLastLine = false;
        std::uint64_t brokenLine = 0; ///< from 1; 0: none
        std::string error;
    };
    /// Calls back for every event of a stream; a line may be at most 16 MiB. Stops at the first broken line that is not
    /// the last, and where a second run begins, lines are out of order, or a newer schema wrote them.
    Outcome readAll(std::istream &stream, const std::function<void(const Event &)> &onEvent);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace throttlescope::journal
