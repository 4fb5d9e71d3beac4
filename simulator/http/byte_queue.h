// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace throttlescope::http {

/// Bytes that come at the end and go at the front. What is left is moved only once half of it has gone, so that taking
/// much in small parts costs no more than taking it at once. One thread.
class ByteQueue {
public:
    bool empty() const { return size() == 0; }
    std::size_t size() const { return m_bytes.size() - m_taken; }
    std::string_view view() const { return std::string_view{m_bytes}.substr(m_taken); }
    /// To append to, and no more than that.
    std::string &end() { return m_bytes; }
    void take(std::size_t count)
    {
        m_taken += count;
        if (empty())
            return clear();
        if (m_taken <= m_bytes.size() / 2)
            return;
        m_bytes.erase(0, m_taken);
        m_taken = 0;
    }
    void clear()
    {
        constexpr std::size_t kept = 4 * 1024; // an idle connection keeps no more than this
        if (m_bytes.capacity() > kept)
            std::string{}.swap(m_bytes);
        else
            m_bytes.clear();
        m_taken = 0;
    }

private:
    std::string m_bytes;
    std::size_t m_taken = 0; ///< at the front
};

} // namespace throttlescope::http
