// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace throttlescope::fetch {

/// Holds a run to `most` requests, retries included, without ever taking one back.
///
/// While retries are on, an open operation may start an attempt and decide on another one before anybody can step in (one
/// turn of the client), so each is counted as two requests to come. When that no longer fits, retries are switched off;
/// from then on an open operation has at most one request to come.
class Allowance {
public:
    explicit Allowance(std::optional<std::uint64_t> most)
        : m_most(most)
    {
    }

    /// May another operation be handed over?
    bool admits(std::uint64_t sent, std::size_t open, bool retriesOn) const
    {
        return !m_most || sent + (open + 1) * (retriesOn ? 2 : 1) <= *m_most;
    }
    /// Must retries be switched off before anything else happens? With nothing open, so that what is left can be used.
    bool endsRetries(std::uint64_t sent, std::size_t open) const
    {
        return m_most && (sent + 2 * open > *m_most || (open == 0 && sent + 2 > *m_most));
    }
    bool usedUp(std::uint64_t sent) const { return m_most && sent >= *m_most; }
    bool limited() const { return m_most.has_value(); }

private:
    std::optional<std::uint64_t> m_most;
};

} // namespace throttlescope::fetch
