// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_formats.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// The first byte chooses the format, and whether a container runtime's prefix stands before each line; the rest are lines.
/// Whatever they are: an entry that keeps its promises, or a complaint that points into the line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace throttlescope;
    using namespace throttlescope::incident;
    if (size == 0)
        return 0;
    ReaderOptions options;
    options.logFormat = "$remote_addr [$time_local] $msec \"$request\" $status $request_time us=$upstream_status \"$http_x_forwarded_for\" "
                        "$limit_req_status $sent_http_retry_after $host $request_uri";
    options.correlate = "x-request-id";
    const FormatChoice format{
        static_cast<LogFormat>(data[0] % kLogFormats), (data[0] & 0x80) != 0 && data[0] % kLogFormats != static_cast<int>(LogFormat::Har)};
    const auto reader = makeReader(format, options);
    REQUIRE(reader);
    LogEntry entry;
    for (std::string_view rest{reinterpret_cast<const char *>(data + 1), size - 1}; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        switch ((*reader)->read(line, entry)) {
        case Reading::Entry:
            REQUIRE(entry.path.empty() || entry.path.front() == '/');
            REQUIRE(entry.path.find('?') == std::string::npos && entry.path.size() <= 2100 && entry.client.size() <= 260);
            REQUIRE(!entry.status || (*entry.status >= 100 && *entry.status <= 999));
            REQUIRE(!entry.took || *entry.took >= Duration::zero());
            REQUIRE(entry.limitHeaders.size() <= 16);
            break;
        case Reading::NotARequest: break;
        case Reading::Malformed: REQUIRE(!(*reader)->complaint().what.empty() && (*reader)->complaint().column >= 1); break;
        }
    }
    return 0;
}
