// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Whatever the bytes are: a scenario, or errors that name a place; no crash, no hang.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const auto loaded = throttlescope::loadScenarioText({reinterpret_cast<const char *>(data), size}, "fuzz.yaml");
    if (!loaded && loaded.error().empty())
        std::abort();
    return 0;
}
