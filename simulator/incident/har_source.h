// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/line_source.h"

#include <string>

namespace throttlescope::incident {

/// The objects of a HAR's `log.entries`, one by one and without the texts that make it large: of a text longer than 8 KiB
/// only the beginning is kept, so that an entry of a gigabyte is as good as any. One that is too long all the same is passed over.
class HarSource final : public RecordSource {
public:
    explicit HarSource(std::unique_ptr<ByteSource> bytes);
    bool next(Record &record) override;

    /// Whether a text that may be cut anywhere begins as a HAR does: an object whose `log` is an object.
    static bool beginsAsHar(std::string_view head);

private:
    enum class State { Outside, Entry, Over };

    int read();
    bool accept(char c);
    void acceptInText(char c);
    void openOrClose(char c);
    void keep(char c);
    void end(std::string fault);

    std::unique_ptr<ByteSource> m_bytes;
    std::vector<char> m_buffer;
    std::size_t m_at = 0;
    std::size_t m_size = 0;
    bool m_ended = false;

    State m_state = State::Outside;
    std::string m_open; ///< the brackets that are open, the outermost first
    std::string m_key; ///< the last text outside an entry, as far as it may matter
    bool m_inText = false;
    bool m_escaped = false; ///< the next character of a text
    int m_hexLeft = 0; ///< of a \uXXXX
    std::size_t m_textSize = 0;
    bool m_dropping = false; ///< the rest of this text
    bool m_inLog = false;
    bool m_inEntries = false;
    bool m_sawLog = false;
    bool m_begun = false;
    std::string m_entry;
    bool m_tooLong = false;
    std::uint64_t m_entryLine = 0;
    std::uint64_t m_line = 1;
    std::uint64_t m_entries = 0;
};

} // namespace throttlescope::incident
