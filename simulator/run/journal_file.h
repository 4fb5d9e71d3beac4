// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event_writer.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace throttlescope {

/// "out.jsonl: the journal cannot be written (No space left on device)", for a code of errno.
std::string journalError(const std::filesystem::path &path, int code);

/// The file that a run's journal is written to, if it is to be written at all.
class JournalFile {
public:
    /// An empty path: none.
    explicit JournalFile(const std::filesystem::path &path);

    /// Null where none is to be written, or none can be.
    journal::EventSink *sink() { return m_writer ? &*m_writer : nullptr; }
    /// Writes out what is left. What was in the way, now or when it was opened, in one line; empty: nothing.
    std::string finish();
    bool open() const { return m_path.empty() || m_file; }

private:
    struct Close {
        void operator()(std::FILE *file) const { std::fclose(file); }
    };

    const std::filesystem::path m_path;
    std::unique_ptr<std::FILE, Close> m_file;
    int m_error = 0;
    std::optional<journal::JsonLinesWriter> m_writer;
};

} // namespace throttlescope
