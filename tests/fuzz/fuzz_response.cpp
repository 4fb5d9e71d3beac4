// SPDX-License-Identifier: Apache-2.0
#include "core/signals/dialects.h"
#include "core/signals/verdict.h"
#include "tests/fuzz/require.h"

#include <algorithm>

using namespace throttlescope;

namespace {

std::string_view line(std::string_view &rest)
{
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view found = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    return found;
}

/// Status, "name: value" lines, an empty line, the body.
Response responseOf(std::string_view text)
{
    Response response;
    for (const char c : line(text).substr(0, 3))
        response.status = response.status * 10 + (c - '0');
    for (std::string_view each = line(text); !each.empty(); each = line(text)) {
        const std::size_t colon = std::min(each.find(": "), each.size());
        response.headers.push_back({std::string{each.substr(0, colon)}, std::string{each.substr(std::min(each.size(), colon + 2))}});
    }
    response.body = text;
    return response;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Response response = responseOf({reinterpret_cast<const char *>(data), size});
    const WallTime now{std::chrono::seconds{1'772'323'200}};
    for (const bool strict : {false, true}) {
        for (const std::optional<signals::Dialect> dialect :
            {std::optional<signals::Dialect>{}, std::optional{signals::Dialect::DiscordV6}, std::optional{signals::Dialect::Saia}}) {
            const signals::Verdict verdict = signals::explain(response, now, {strict, dialect, false});
            REQUIRE(verdict.valid == verdict.delay.has_value());
            REQUIRE(!verdict.delay || *verdict.delay >= Duration::zero());
            REQUIRE(!verdict.why.empty());
            REQUIRE(verdict.windows.size() <= 64);
            REQUIRE(std::all_of(verdict.windows.begin(), verdict.windows.end(),
                [](const signals::Window &window) { return window.reset.value_or(Duration::zero()) >= Duration::zero(); }));
        }
    }
    return 0;
}
