// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_reader.h"

#include "simulator/incident/log_span.h"
#include "simulator/incident/side_notes.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kMostOpen = 256;
constexpr std::uint64_t kAskEvery = 4096;

/// Puts the streams together by time. A stream is opened when the time has come at which it begins.
class Merge {
public:
    Merge(std::vector<std::unique_ptr<LogStream>> &streams, Duration disorder)
    {
        for (const auto &stream : streams) {
            // What the first lines tell may be out of order.
            const WallTime due = stream->begins() ? *stream->begins() - disorder : WallTime::min();
            m_heap.push_back({due, m_heap.size(), stream.get(), false});
        }
        std::make_heap(m_heap.begin(), m_heap.end());
    }

    tl::expected<bool, std::string> each(const std::function<bool(LogEntry &)> &onEntry)
    {
        while (!m_heap.empty()) {
            std::pop_heap(m_heap.begin(), m_heap.end());
            Item &item = m_heap.back();
            if (!item.open) {
                if (++m_open > kMostOpen)
                    return tl::unexpected(fmt::format("more than {} files are of the same time, expected fewer at once", kMostOpen));
                if (const auto opened = item.stream->open(); !opened)
                    return tl::unexpected(opened.error());
                item.open = true;
            } else {
                if (!onEntry(*item.stream->front()))
                    return false;
                item.stream->pop();
            }
            settle();
        }
        return true;
    }

private:
    struct Item {
        WallTime at{};
        std::size_t number = 0; ///< breaks ties: in the order in which they were named
        LogStream *stream = nullptr;
        bool open = false;
        bool operator<(const Item &other) const { return at != other.at ? at > other.at : number > other.number; }
    };

    /// The last one of the heap's vector goes back to its place, or away.
    void settle()
    {
        if (const LogEntry *next = m_heap.back().stream->front()) {
            m_heap.back().at = next->at;
            std::push_heap(m_heap.begin(), m_heap.end());
        } else {
            m_heap.pop_back();
            --m_open;
        }
    }

    std::vector<Item> m_heap;
    std::size_t m_open = 0;
};

struct Frame {
    LogSpan span;
    Duration offset{};
};

/// Where the logs begin, and on whose clock.
tl::expected<Frame, std::string> frameOf(const std::vector<std::unique_ptr<LogStream>> &streams, const LogReadOptions &options)
{
    const LogStream *first = nullptr;
    for (const auto &stream : streams) {
        if (stream->begins() && (!first || *stream->begins() < *first->begins()))
            first = stream.get();
    }
    LogTimeZone zone = options.stream.reader.zone;
    if (first && first->writtenOffset() && !options.zoneNamed)
        zone = LogTimeZone::fixed(*first->writtenOffset());
    const WallTime begins = first ? *first->begins() : WallTime{};
    const auto span = logSpan(options.since, options.until, begins, zone);
    if (!span)
        return tl::unexpected(span.error());
    return Frame{*span, zone.offsetAt(begins)};
}

bool needsMatching(const std::vector<std::unique_ptr<LogStream>> &streams)
{
    const auto errors = std::count_if(
        streams.begin(), streams.end(), [](const auto &stream) { return stream->format().format == LogFormat::NginxError; });
    return errors > 0 && errors < static_cast<std::ptrdiff_t>(streams.size());
}

void sumUp(LogSummary &summary, const std::vector<std::unique_ptr<LogStream>> &streams)
{
    for (const auto &stream : streams) {
        const FileSummary &file = stream->summary();
        summary.lines += file.lines;
        summary.notRequests += file.notRequests;
        summary.malformed += file.malformed;
        summary.otherFormats += std::accumulate(file.otherFormats.begin(), file.otherFormats.end(), std::uint64_t{0});
        summary.outOfOrder += file.outOfOrder;
        summary.files.push_back(file);
    }
}

} // namespace

tl::expected<LogSummary, std::string> readLogs(const std::vector<std::string> &files, const LogReadOptions &options, const EntrySink &sink)
{
    if (std::count(files.begin(), files.end(), "-") > 1)
        return tl::unexpected(std::string{"-: the standard input can be read once only"});
    EntryBudget budget;
    std::vector<std::unique_ptr<LogStream>> streams;
    for (const std::string &file : files) {
        auto stream = LogStream::probe(file, options.stream, budget);
        if (!stream)
            return tl::unexpected(stream.error());
        streams.push_back(std::move(*stream));
    }
    return readStreams(std::move(streams), options, sink);
}

tl::expected<LogSummary, std::string> readStreams(
    std::vector<std::unique_ptr<LogStream>> streams, const LogReadOptions &options, const EntrySink &sink)
{
    const auto frame = frameOf(streams, options);
    if (!frame)
        return tl::unexpected(frame.error());
    const LogSpan &span = frame->span;
    LogSummary summary;
    summary.since = span.since;
    summary.until = span.until;
    summary.offset = frame->offset;
    const auto give = [&](LogEntry &entry) {
        if (!span.holds(entry.at)) {
            ++summary.outside;
            return;
        }
        ++summary.entries;
        summary.first = std::min(summary.first.value_or(entry.at), entry.at);
        summary.last = std::max(summary.last.value_or(entry.at), entry.at);
        sink(entry);
    };
    SideNotes notes{give};
    const bool matching = needsMatching(streams);
    std::uint64_t count = 0;
    const auto read = Merge{streams, options.stream.disorder}.each([&](LogEntry &entry) {
        matching ? notes.accept(entry) : give(entry);
        return ++count % kAskEvery != 0 || !options.goOn || options.goOn();
    });
    if (!read)
        return tl::unexpected(read.error());
    notes.finish();
    summary.stopped = !*read;
    summary.notesMatched = notes.matched();
    sumUp(summary, streams);
    return summary;
}

} // namespace throttlescope::incident
