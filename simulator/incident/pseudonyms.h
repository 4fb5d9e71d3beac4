// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace throttlescope::incident {

/// Clients as numbers, and at the end as `c-1`, `c-2`, …: by how much they asked for, the most first. Keeps no address, only
/// what it hashes to; so the names do not depend on who came first. Who comes when there are very many shares one name.
class Pseudonyms {
public:
    static constexpr std::size_t kMost = 200'000; ///< some 15 MB

    /// The client's number, from 0; the same for the same text. Counts a request of it.
    std::uint32_t take(std::string_view client);
    std::size_t size() const { return m_requests.size(); }
    /// Requests of clients that came too late to have a number of their own.
    std::uint64_t shared() const { return m_shared; }
    std::uint64_t requests(std::uint32_t number) const { return m_requests[number]; }
    /// By number: its rank, from 1.
    std::vector<std::uint32_t> ranks() const;

private:
    std::unordered_map<std::uint64_t, std::uint32_t> m_numbers;
    std::vector<std::uint64_t> m_hashes;
    std::vector<std::uint64_t> m_requests;
    std::uint64_t m_shared = 0;
    std::uint64_t m_lastHash = 0; ///< a client often asks twice in a row
    std::uint32_t m_lastNumber = 0;
};

/// "c-7".
std::string pseudonym(std::uint32_t rank);
/// Not a secret, only short and the same on every machine.
std::uint64_t textHash(std::string_view text);

} // namespace throttlescope::incident
