// SPDX-License-Identifier: Apache-2.0
#include "core/signals/ratelimit_fields.h"
#include "core/signals/structured_fields.h"
#include "tests/fuzz/require.h"

using namespace throttlescope::signals;

namespace {

/// What was parsed can be written, and what is written reads back to the same value.
template <typename Value, typename Parse>
void roundTrip(const tl::expected<Value, sf::ParseError> &parsed, Parse parse)
{
    if (!parsed)
        return;
    const auto text = sf::serialised(*parsed);
    REQUIRE(text.has_value());
    const auto again = parse(*text);
    REQUIRE(again.has_value());
    REQUIRE(*again == *parsed);
    REQUIRE(sf::serialised(*again) == text);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    roundTrip(sf::parseItem(text), sf::parseItem);
    roundTrip(sf::parseList(text), sf::parseList);
    roundTrip(sf::parseDictionary(text), sf::parseDictionary);
    (void)readStateField(text);
    (void)readPolicyField(text);
    (void)readLimitField(text);
    return 0;
}
