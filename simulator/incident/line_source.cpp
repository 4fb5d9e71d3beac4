// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/line_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kFirstBuffer = std::size_t{64} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

} // namespace

LineSource::LineSource(std::unique_ptr<ByteSource> bytes)
    : m_bytes(std::move(bytes))
    , m_buffer(kFirstBuffer)
{
}

bool LineSource::next(Record &record)
{
    for (;;) {
        const void *found = std::memchr(m_buffer.data() + m_scanned, '\n', m_end - m_scanned);
        if (!found && !m_over) {
            m_scanned = m_end;
            if (m_end - m_begin > kLongestLine)
                return skipLine(record);
            fill();
            continue;
        }
        const std::size_t end = found ? static_cast<std::size_t>(static_cast<const char *>(found) - m_buffer.data()) : m_end;
        if (!found && m_begin == m_end) {
            m_fault = m_bytes->fault();
            return false;
        }
        record.text = {m_buffer.data() + m_begin, end - m_begin};
        record.line = ++m_lines;
        record.tooLong = record.text.size() > kLongestLine;
        m_begin = m_scanned = found ? end + 1 : m_end;
        // A line that the fault cut is none.
        if (!found && !m_bytes->fault().empty()) {
            --m_lines;
            m_fault = m_bytes->fault();
            return false;
        }
        if (m_lines == 1 && record.text.starts_with(kByteOrderMark))
            record.text.remove_prefix(kByteOrderMark.size());
        if (record.text.ends_with('\r'))
            record.text.remove_suffix(1);
        if (record.tooLong)
            record.text = {};
        return true;
    }
}

/// More bytes behind those that are there; the buffer grows up to the longest line and a read.
bool LineSource::fill()
{
    if (m_begin > 0) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
        m_end -= m_begin;
        m_scanned -= m_begin;
        m_begin = 0;
    }
    if (m_end == m_buffer.size())
        m_buffer.resize(std::min(m_buffer.size() * 2, kLongestLine + kFirstBuffer));
    const std::size_t count = m_bytes->read(std::span{m_buffer}.subspan(m_end));
    m_end += count;
    m_over = count == 0;
    return count > 0;
}

/// Nothing of the line is kept; what follows its end is.
bool LineSource::skipLine(Record &record)
{
    const void *found = nullptr;
    while (!found && !m_over) {
        m_begin = m_scanned = m_end = 0;
        if (fill())
            found = std::memchr(m_buffer.data(), '\n', m_end);
    }
    m_begin = m_scanned = found ? static_cast<std::size_t>(static_cast<const char *>(found) - m_buffer.data()) + 1 : m_end;
    record = {{}, ++m_lines, true};
    return true;
}

} // namespace throttlescope::incident
