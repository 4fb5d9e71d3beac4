// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_format.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// A `log_format` up to the first NUL, then a line for it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace throttlescope::incident;
    const std::string_view text{reinterpret_cast<const char *>(data), size};
    const std::size_t end = std::min(text.find('\0'), text.size());
    ReaderOptions options;
    options.logFormat = text.substr(0, end);
    const auto reader = logFormatReader(options);
    if (!reader) {
        REQUIRE(reader.error().starts_with("log_format: "));
        return 0;
    }
    LogEntry entry;
    if ((*reader)->read(text.substr(std::min(end + 1, text.size())), entry) == Reading::Malformed)
        REQUIRE(!(*reader)->complaint().what.empty());
    return 0;
}
