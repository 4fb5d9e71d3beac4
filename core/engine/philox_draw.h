// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/draw.h"

#include <cstdint>
#include <string_view>

namespace throttlescope {

/// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a counter-based generator, so a
/// draw depends on the seed and its key alone, never on what was drawn before.
class PhiloxDraw final : public Draw {
public:
    explicit PhiloxDraw(std::uint64_t seed)
        : m_seed(seed)
    {
    }
    double operator()(const DrawKey &key) const override;

private:
    std::uint64_t m_seed;
};

/// The stable key of an operation: the `index`-th (from 0) that `client` starts of the workload row `row`. Adding a row,
/// a client or a policy moves nobody else's key.
std::uint64_t operationDrawKey(std::string_view row, std::uint32_t client, std::uint64_t index);

} // namespace throttlescope
