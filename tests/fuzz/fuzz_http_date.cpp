// SPDX-License-Identifier: Apache-2.0
#include "core/signals/http_date.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/slow_http_date.h"

using namespace throttlescope;
using signals::DateMode;

/// Differential: the library's strict reader and the slow one agree on every text, at moments around the fifty-year line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);
    for (const std::int64_t now :
        {std::int64_t{0}, std::int64_t{784111777}, std::int64_t{1709164799}, std::int64_t{1772323200}, std::int64_t{4102444799}}) {
        const WallTime wall{std::chrono::seconds{now}};
        const auto strict = signals::readHttpDate(text, wall, DateMode::Strict);
        const auto expected = slow::httpDate(text, now);
        REQUIRE(strict.has_value() == expected.has_value());
        if (strict)
            REQUIRE(strict->time == WallTime{std::chrono::seconds{*expected}});
        // Tolerance adds texts; it changes no moment.
        const auto tolerant = signals::readHttpDate(text, wall, DateMode::Tolerant);
        if (strict)
            REQUIRE(tolerant == strict);
    }
    return 0;
}
