// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace throttlescope::fetch {

/// Holds a run to `most` requests, retries included, without ever taking one back.
///
/// While retries are on, an open operation may start an attempt and decide on another one before anybody can step in (one
/// turn of the client), so each attempt is counted as two to come. When that no longer fits, retries are switched off; from
/// then on an open operation has at most one attempt to come.
class Allowance {
public:
    explicit Allowance(std::optional<std::uint64_t> most)
        : m_most(most)
    {
    }

    /// Requests that one attempt may become. Qt repeats a HEAD up to three times where the connection ends before or within
    /// the answer's header, and cannot be kept from it: a HEAD has no body that could refuse to go back to its beginning.
    static std::size_t mostOf(std::string_view method) { return method == "HEAD" ? 4 : 1; }

    /// May another operation be handed over, an attempt of which is up to `next` requests? `open`: the sum of that over those
    /// that are open.
    bool admits(std::uint64_t sent, std::size_t open, bool retriesOn, std::size_t next = 1) const
    {
        return !m_most || sent + (open + next) * (retriesOn ? 2 : 1) <= *m_most;
    }
    /// Must retries be switched off before anything else happens? With nothing open, so that what is left can be used.
    bool endsRetries(std::uint64_t sent, std::size_t open, std::size_t next = 1) const
    {
        return m_most && (sent + 2 * open > *m_most || (open == 0 && sent + 2 * next > *m_most));
    }
    bool usedUp(std::uint64_t sent) const { return m_most && sent >= *m_most; }
    bool limited() const { return m_most.has_value(); }

private:
    std::optional<std::uint64_t> m_most;
};

} // namespace throttlescope::fetch
