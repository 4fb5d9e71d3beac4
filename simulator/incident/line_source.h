// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/byte_source.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace throttlescope::incident {

/// What a reader is given: a line, or one entry of a HAR.
struct Record {
    std::string_view text; ///< lives until the next one is asked for
    std::uint64_t line = 0; ///< where it begins, from 1
    bool tooLong = false; ///< and thus left out: the text is empty
};

/// The longest line that is read; a longer one is passed over without being kept.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

class RecordSource {
public:
    virtual ~RecordSource() = default;
    /// False at the end; then fault() may say why it came early.
    virtual bool next(Record &record) = 0;
    const std::string &fault() const { return m_fault; }
    /// How many lines were seen whole.
    std::uint64_t lines() const { return m_lines; }

protected:
    std::string m_fault;
    std::uint64_t m_lines = 0;
};

/// Lines ended by LF or CRLF; the last one needs no end. A byte order mark at the beginning is passed over.
class LineSource final : public RecordSource {
public:
    explicit LineSource(std::unique_ptr<ByteSource> bytes);
    bool next(Record &record) override;

private:
    bool fill();
    bool skipLine(Record &record);

    std::unique_ptr<ByteSource> m_bytes;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0; ///< of what was not given yet
    std::size_t m_end = 0;
    std::size_t m_scanned = 0; ///< no line end before it
    bool m_over = false;
};

} // namespace throttlescope::incident
