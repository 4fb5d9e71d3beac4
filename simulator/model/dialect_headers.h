// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"
#include "simulator/model/limits.h"

namespace throttlescope {

/// Adds header lines to a response whose buffers are reused: lines beyond `size` are spare, their text is overwritten.
class HeaderWriter {
public:
    explicit HeaderWriter(Headers &headers) : m_headers(headers) {}
    /// The value of a new line of that name, empty and ready to be appended to.
    std::string &add(std::string_view name)
    {
        if (m_size == m_headers.size())
            m_headers.emplace_back();
        HeaderField &field = m_headers[m_size++];
        field.name = name;
        field.value.clear();
        return field.value;
    }
    bool has(std::string_view name) const;
    void finish() { m_headers.resize(m_size); }

private:
    Headers &m_headers;
    std::size_t m_size = 0;
};

/// The server's state in the words of one dialect, as its headers stand after a request that arrived at `now`. Delta
/// seconds and epochs round up. Concurrency limits have no window and appear in none.
void writeDialect(Dialect dialect, const Limits &limits, MonotonicTime now, const ServerClock &clock, HeaderWriter &headers);

} // namespace throttlescope
