// SPDX-License-Identifier: Apache-2.0
#include "core/journal/event_reader.h"
#include "core/journal/event_writer.h"
#include "core/journal/metrics.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

/// Whatever the bytes are: events, or the number of the line that is broken. What was read can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace throttlescope::journal;
    std::istringstream stream{std::string{reinterpret_cast<const char *>(data), size}};
    EventReader reader, again;
    RunMetrics metrics;
    reader.readAll(stream, [&](const Event &event) {
        metrics.accept(event);
        std::string line;
        appendJson(line, event);
        if (!again.parse(line))
            std::abort();
    });
    return 0;
}
