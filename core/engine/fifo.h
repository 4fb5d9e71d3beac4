// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace throttlescope {

/// A queue in one piece of memory that takes none while it is empty from the start: a std::deque takes half a kilobyte, and
/// ten thousand scopes have four each. Appending and popping are amortised constant.
template <typename T>
class Fifo {
public:
    bool empty() const { return m_begin == m_values.size(); }
    std::size_t size() const { return m_values.size() - m_begin; }
    T &front() { return m_values[m_begin]; }
    const T &front() const { return m_values[m_begin]; }
    T &operator[](std::size_t index) { return m_values[m_begin + index]; }
    auto begin() { return m_values.begin() + static_cast<std::ptrdiff_t>(m_begin); }
    auto end() { return m_values.end(); }
    auto begin() const { return m_values.begin() + static_cast<std::ptrdiff_t>(m_begin); }
    auto end() const { return m_values.end(); }

    void append(T value) { m_values.push_back(std::move(value)); }
    void dropFront()
    {
        ++m_begin;
        // What is gone is dropped once it is half of all: each value moves once at most, on average.
        if (m_begin * 2 > m_values.size()) {
            m_values.erase(m_values.begin(), begin());
            m_begin = 0;
        }
    }
    void erase(typename std::vector<T>::iterator at) { m_values.erase(at); }
    void clear()
    {
        m_values.clear();
        m_begin = 0;
    }

private:
    std::vector<T> m_values;
    std::size_t m_begin = 0; ///< what stands before was popped
};

} // namespace throttlescope
