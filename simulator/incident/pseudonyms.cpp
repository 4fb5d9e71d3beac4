// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/pseudonyms.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace throttlescope::incident {

std::uint64_t textHash(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a, and a finish that spreads it
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15;
    return hash ^ (hash >> 29);
}

std::uint32_t Pseudonyms::take(std::string_view client)
{
    const std::uint64_t hash = textHash(client);
    if (hash != m_lastHash || m_requests.empty()) {
        m_lastHash = hash;
        if (m_requests.size() < kMost) {
            const auto [found, isNew] = m_numbers.try_emplace(hash, static_cast<std::uint32_t>(m_requests.size()));
            if (isNew) {
                m_hashes.push_back(hash);
                m_requests.push_back(0);
            }
            m_lastNumber = found->second;
        } else {
            const auto found = m_numbers.find(hash);
            m_lastNumber = found == m_numbers.end() ? static_cast<std::uint32_t>(kMost - 1) : found->second;
        }
    }
    m_shared += m_lastNumber == kMost - 1 && m_hashes[m_lastNumber] != hash;
    ++m_requests[m_lastNumber];
    return m_lastNumber;
}

std::vector<std::uint32_t> Pseudonyms::ranks() const
{
    std::vector<std::uint32_t> inOrder(m_requests.size());
    std::iota(inOrder.begin(), inOrder.end(), 0);
    std::sort(inOrder.begin(), inOrder.end(), [this](std::uint32_t a, std::uint32_t b) {
        return std::pair{m_requests[b], m_hashes[a]} < std::pair{m_requests[a], m_hashes[b]};
    });
    std::vector<std::uint32_t> ranks(inOrder.size());
    for (std::size_t i = 0; i < inOrder.size(); ++i)
        ranks[inOrder[i]] = static_cast<std::uint32_t>(i + 1);
    return ranks;
}

std::string pseudonym(std::uint32_t rank)
{
    return fmt::format("c-{}", rank);
}

} // namespace throttlescope::incident
