// SPDX-License-Identifier: Apache-2.0
#include "core/engine/philox_draw.h"

#include <Random123/philox.h>

namespace throttlescope {

double PhiloxDraw::operator()(const DrawKey &key) const
{
    using Generator = r123::Philox4x32;
    const Generator::ctr_type counter{{static_cast<std::uint32_t>(key.operation), static_cast<std::uint32_t>(key.operation >> 32),
        key.attempt, static_cast<std::uint32_t>(key.stream)}};
    const Generator::key_type seed{{static_cast<std::uint32_t>(m_seed), static_cast<std::uint32_t>(m_seed >> 32)}};
    const Generator::ctr_type random = Generator{}(counter, seed);
    const std::uint64_t bits = (std::uint64_t{random[0]} << 32) | random[1];
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

std::uint64_t operationDrawKey(std::string_view row, std::uint32_t client, std::uint64_t index)
{
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (const char c : row)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    for (std::uint64_t part : {std::uint64_t{client}, index}) { // splitmix64's finaliser after each part
        hash += part + 0x9e3779b97f4a7c15;
        hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
        hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
        hash ^= hash >> 31;
    }
    return hash;
}

} // namespace throttlescope
