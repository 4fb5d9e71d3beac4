// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"

#include <string>
#include <string_view>

namespace throttlescope::model {

/// Writes a response's headers over those of the response before it, so that their strings are used again.
class HeaderSink {
public:
    explicit HeaderSink(Headers &headers)
        : m_headers(headers)
    {
    }
    HeaderSink(const HeaderSink &) = delete;
    HeaderSink &operator=(const HeaderSink &) = delete;
    /// What is left of the response before goes.
    ~HeaderSink() { cut(); }
    void cut() { m_headers.resize(m_size); }

    std::size_t size() const { return m_size; }

    /// Is it among the first `count` of what this response has written?
    bool has(std::string_view name, std::size_t count) const
    {
        for (std::size_t i = 0; i < count; ++i)
            if (sameHeaderName(m_headers[i].name, name))
                return true;
        return false;
    }

    bool has(std::string_view name) const { return has(name, m_size); }

    /// An empty value to write into.
    std::string &add(std::string_view name)
    {
        if (m_size == m_headers.size())
            m_headers.emplace_back();
        auto &field = m_headers[m_size++];
        field.name.assign(name);
        field.value.clear();
        return field.value;
    }

private:
    Headers &m_headers;
    std::size_t m_size = 0;
};

} // namespace throttlescope::model
