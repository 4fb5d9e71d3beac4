// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace throttlescope {

/// Numbered slots that never move. A freed one is taken again, the last freed first, and keeps its buffers meanwhile.
template <typename T>
class Slots {
public:
    std::uint32_t take()
    {
        if (m_free.empty()) {
            if (m_size % kChunk == 0)
                m_chunks.push_back(std::make_unique<T[]>(kChunk));
            return m_size++;
        }
        const std::uint32_t slot = m_free.back();
        m_free.pop_back();
        return slot;
    }
    void free(std::uint32_t slot) { m_free.push_back(slot); }

    T &operator[](std::uint32_t slot) { return m_chunks[slot / kChunk][slot % kChunk]; }
    const T &operator[](std::uint32_t slot) const { return m_chunks[slot / kChunk][slot % kChunk]; }
    /// Slots ever taken; some of them may be free.
    std::uint32_t size() const { return m_size; }

private:
    static constexpr std::uint32_t kChunk = 64;

    std::vector<std::unique_ptr<T[]>> m_chunks;
    std::vector<std::uint32_t> m_free;
    std::uint32_t m_size = 0;
};

} // namespace throttlescope
