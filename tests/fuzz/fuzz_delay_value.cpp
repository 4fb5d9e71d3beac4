// SPDX-License-Identifier: Apache-2.0
#include "core/signals/delay_value.h"
#include "core/signals/numbers.h"
#include "core/signals/retry_after_lines.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <string>

using namespace throttlescope;

namespace {

void check(const std::optional<signals::Told> &told)
{
    if (told)
        REQUIRE(told->delay >= Duration::zero());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);
    const WallTime now{std::chrono::seconds{1'772'323'200}};
    const signals::Clock clock{now, std::nullopt};
    for (int form = 0; form <= static_cast<int>(signals::Form::Word); ++form)
        check(signals::valueOfForm(static_cast<signals::Form>(form), text, clock));
    check(signals::resetValue(text, clock));
    const auto strict = signals::strictRetryAfter(text, now);
    const auto loose = signals::readRetryAfterValue(text, signals::Form::SecondsOrDate, clock);
    check(strict);
    check(loose);
    if (strict)
        REQUIRE(loose.has_value());
    const auto value = signals::trimmed(text);
    const bool allDigits = !value.empty() && std::all_of(value.begin(), value.end(), signals::isDigit);
    REQUIRE(allDigits == signals::digits(value).has_value());
    // A small number is what its digits say, by a second way to read it.
    if (allDigits && value.size() <= 9)
        REQUIRE(loose->delay == std::chrono::seconds{std::stol(std::string{value})});
    return 0;
}
