// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;

} // namespace

LineReader::LineReader(int descriptor, std::function<void()> beforeReading)
    : m_descriptor(descriptor)
    , m_beforeReading(std::move(beforeReading))
    , m_buffer(kBlock + kPadding)
{
}

bool LineReader::next(Line &line)
{
    while (true) {
        const char *from = m_buffer.data() + m_searched;
        if (const void *newline = m_end > m_searched ? std::memchr(from, '\n', m_end - m_searched) : nullptr) {
            const auto end = static_cast<std::size_t>(static_cast<const char *>(newline) - m_buffer.data());
            return emit(end, end + 1, line);
        }
        m_searched = m_end;
        if (m_atEnd)
            return (m_begin < m_end || m_skipping) && emit(m_end, m_end, line);
        if (m_end - m_begin > kLongestLine || m_skipping) {
            m_skipping = true;
            m_begin = m_searched = m_end = 0;
        }
        fill();
    }
}

bool LineReader::emit(std::size_t end, std::size_t next, Line &line)
{
    std::size_t size = end - m_begin;
    line.tooLong = m_skipping || size > kLongestLine;
    if (size > 0 && m_buffer[end - 1] == '\r')
        --size;
    line.text = line.tooLong ? std::string_view{} : std::string_view{m_buffer.data() + m_begin, size};
    m_skipping = false;
    m_begin = m_searched = next;
    return true;
}

void LineReader::fill()
{
    if (m_begin > 0) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
        m_searched -= m_begin;
        m_end -= m_begin;
        m_begin = 0;
    }
    if (m_end + kBlock + kPadding > m_buffer.size())
        m_buffer.resize(std::min(m_buffer.size() * 2, kLongestLine + 2 * kBlock + kPadding));
    m_beforeReading();
    ssize_t got = 0;
    do {
        got = ::read(m_descriptor, m_buffer.data() + m_end, std::min(kBlock, m_buffer.size() - kPadding - m_end));
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        m_error = got < 0 ? errno : 0;
        m_atEnd = true;
    } else {
        m_end += static_cast<std::size_t>(got);
    }
}

} // namespace throttlescope::cli
