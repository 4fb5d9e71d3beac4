// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/entry_window.h"
#include "simulator/incident/line_source.h"
#include "simulator/incident/log_formats.h"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::incident {

/// A line that could not be read: "access.log.1:88201 no status".
struct LineFault {
    std::string file;
    std::uint64_t line = 0;
    std::size_t column = 0;
    std::string text;

    bool operator==(const LineFault &) const = default;
};

/// What became of one file.
struct FileSummary {
    std::string file;
    FormatChoice format;
    std::uint64_t lines = 0; ///< of a HAR: its entries
    std::uint64_t entries = 0;
    std::uint64_t notRequests = 0; ///< of its format, and about something else; empty lines too
    std::uint64_t malformed = 0;
    std::array<std::uint64_t, kLogFormats> otherFormats{}; ///< lines that another format reads: left out
    std::uint64_t outOfOrder = 0; ///< given all the same
    std::vector<LineFault> faults; ///< the first five
    std::string ending; ///< why it ended early: "ends in the middle of the gzip stream after line 17"; empty: it did not
    bool zoneAssumed = false; ///< its times have no zone

    bool operator==(const FileSummary &) const = default;
};

struct StreamOptions {
    std::optional<FormatChoice> format; ///< as somebody named it
    ReaderOptions reader;
    Duration disorder = std::chrono::seconds{10};
    std::size_t mostDisorder = 65'536;
    const std::atomic<bool> *stop = nullptr; ///< once true, files end where they are
};

/// The entries of one log, by time. A file is looked at when it is probed, and opened again when its time has come: a
/// thousand of them are not open at once.
class LogStream {
public:
    /// Reads the first lines. The error is one sentence that begins with the file's name.
    static tl::expected<std::unique_ptr<LogStream>, std::string> probe(
        const std::string &file, const StreamOptions &options, EntryBudget &budget);
    /// From memory or anywhere else, under that name.
    static tl::expected<std::unique_ptr<LogStream>, std::string> probe(
        std::string name, std::unique_ptr<ByteSource> bytes, const StreamOptions &options, EntryBudget &budget);

    /// The earliest that its first lines tell of; none where they tell of no request.
    std::optional<WallTime> begins() const { return m_begins; }
    /// The offset that it writes with its times.
    std::optional<Duration> writtenOffset() const { return m_writtenOffset; }
    FormatChoice format() const { return m_summary.format; }

    /// Opens it where it is not open.
    tl::expected<void, std::string> open();
    /// Reads on until it is known which one comes next; null at the end, when everything is closed. May be moved from.
    LogEntry *front();
    void pop() { m_window->pop(); }

    const FileSummary &summary() const { return m_summary; }

private:
    LogStream(std::string name, const StreamOptions &options, EntryBudget &budget);
    tl::expected<void, std::string> look(std::unique_ptr<ByteSource> bytes, bool again);
    void lookAtEntries(const LogHead &head);
    bool nextRecord(Record &record);
    void readOne();
    void complain(const Record &record, const Complaint &complaint);
    bool isOfAnotherFormat(std::string_view line);
    void close();

    std::string m_name;
    const StreamOptions m_options;
    FileSummary m_summary;
    std::optional<WallTime> m_begins;
    std::optional<Duration> m_writtenOffset;
    std::unique_ptr<RecordSource> m_source;
    std::deque<HeadLine> m_looked; ///< lines that were read for a look and come first; a pipe gives them once
    HeadLine m_current;
    std::unique_ptr<LineReader> m_reader;
    std::vector<std::pair<FormatChoice, std::unique_ptr<LineReader>>> m_others;
    LogEntry m_unused; ///< what another format's reader fills
    std::unique_ptr<EntryWindow> m_window;
    bool m_over = false;
};

} // namespace throttlescope::incident
