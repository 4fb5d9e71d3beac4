// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/header_index.h"
#include "core/signals/rate_limit_state.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::signals {

inline constexpr std::size_t kMostLines = 128;

/// A header of the response that the dialect table has.
struct FoundLine {
    const HeaderField *field;
    const HeaderEntry *entry;
    const DialectRow *row; ///< to read it with
    std::string_view wildcard; ///< the window's name, where the header's name holds it
};

/// Detection: each header leaves those dialects that have it. One that fits none of them says nothing.
class Detection {
public:
    void narrow(DialectSet dialects) { m_dialects = (m_dialects & dialects) != 0 ? m_dialects & dialects : m_dialects; }
    /// A value's form narrows further: x-ratelimit-reset is GitHub's with an epoch, Envoy's with a delay.
    void narrow(const HeaderEntry &entry, Form form);
    /// The preferred one of those that are left; none where no header told anything.
    std::optional<Dialect> dialect() const;

private:
    DialectSet m_dialects = ~DialectSet{0};
};

/// The lines of a response that matter, in order of arrival; at most kMostLines beside Retry-After, Date and Age.
struct FoundLines {
    const HeaderField *date = nullptr;
    const HeaderField *age = nullptr;
    const HeaderField *retryAfter = nullptr; ///< the first one
    const DialectRow *retryAfterRow = nullptr;
    bool severalRetryAfter = false;
    std::vector<FoundLine> lines; ///< the rest

    void collect(const Headers &headers, const Dialect *named, Detection &detection);
    bool any() const { return retryAfter || !lines.empty(); }
    /// "30" in Retry-After and nothing else: mostly so.
    bool needNoClock() const;
    bool isFirst(const FoundLine &line) const;
    /// RFC 9651 4.2: the lines of one field are one value. It stands in `buffer` where there are several.
    std::string_view combined(const FoundLine &first, std::string &buffer) const;
    /// The drafts: counters of a cached response are of the past.
    bool fromCache() const;

private:
    void take(const HeaderField &field, const HeaderMatch &match, const DialectRow &row, Detection &detection);
};

} // namespace throttlescope::signals
