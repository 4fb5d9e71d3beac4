// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_stream.h"

#include "simulator/incident/har_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
constexpr std::size_t kHeadLines = 100;
constexpr std::size_t kFaultsNamed = 5;

std::string readHead(ByteSource &bytes)
{
    std::string head(kHeadBytes, '\0');
    std::size_t size = 0;
    while (size < head.size()) {
        const std::size_t count = bytes.read(std::span{head}.subspan(size));
        if (count == 0)
            break;
        size += count;
    }
    head.resize(size);
    return head;
}

/// Up to a hundred lines that are not empty, and 64 KiB of them. The empty ones are kept for their place in the log.
std::vector<HeadLine> readHeadLines(LineSource &lines)
{
    std::vector<HeadLine> head;
    std::size_t filled = 0, size = 0;
    for (Record record; filled < kHeadLines && size < kHeadBytes && lines.next(record);) {
        head.push_back({std::string{record.text}, record.line, record.tooLong});
        filled += record.text.empty() && !record.tooLong ? 0 : 1;
        size += record.text.size() + 1;
    }
    return head;
}

} // namespace

LogStream::LogStream(std::string name, const StreamOptions &options, EntryBudget &budget)
    : m_name(std::move(name))
    , m_options(options)
    , m_window(std::make_unique<EntryWindow>(options.disorder, options.mostDisorder, budget))
{
    m_summary.file = m_name;
}

tl::expected<std::unique_ptr<LogStream>, std::string> LogStream::probe(
    const std::string &file, const StreamOptions &options, EntryBudget &budget)
{
    auto bytes = openBytes(file, options.stop);
    if (!bytes)
        return tl::unexpected(fmt::format("{}: {}", file, bytes.error()));
    std::unique_ptr<LogStream> stream{new LogStream{file, options, budget}};
    if (const auto looked = stream->look(unpacked(std::move(*bytes)), canReadAgain(file)); !looked)
        return tl::unexpected(fmt::format("{}: {}", file == "-" ? "standard input" : file, looked.error()));
    return stream;
}

tl::expected<std::unique_ptr<LogStream>, std::string> LogStream::probe(
    std::string name, std::unique_ptr<ByteSource> bytes, const StreamOptions &options, EntryBudget &budget)
{
    std::unique_ptr<LogStream> stream{new LogStream{std::move(name), options, budget}};
    if (const auto looked = stream->look(unpacked(std::move(bytes)), false); !looked)
        return tl::unexpected(fmt::format("{}: {}", stream->m_name, looked.error()));
    return stream;
}

/// `again`: it can be opened once more, so nothing of what was looked at need be kept.
tl::expected<void, std::string> LogStream::look(std::unique_ptr<ByteSource> bytes, bool again)
{
    LogHead head{.bytes = readHead(*bytes), .lines = {}};
    const bool har = HarSource::beginsAsHar(head.bytes);
    const std::string fault = bytes->fault();
    if (head.bytes.empty() && !fault.empty())
        return tl::unexpected(fault);
    auto whole = prefixed(head.bytes, std::move(bytes));
    if (har) {
        m_source = std::make_unique<HarSource>(std::move(whole));
    } else {
        auto lines = std::make_unique<LineSource>(std::move(whole));
        // In a binary file the next line end may be far away.
        if (head.bytes.find('\0') == std::string::npos)
            head.lines = readHeadLines(*lines);
        m_source = std::move(lines);
        m_looked.assign(head.lines.begin(), head.lines.end());
        std::erase_if(head.lines, [](const HeadLine &line) { return line.text.empty() && !line.tooLong; });
    }
    if (m_options.format) {
        if (std::string against = objection(*m_options.format, head, m_options.reader); !against.empty())
            return tl::unexpected(std::move(against));
        m_summary.format = *m_options.format;
    } else {
        const auto detected = detectFormat(head, m_options.reader);
        if (!detected)
            return tl::unexpected(detected.error());
        m_summary.format = *detected;
    }
    lookAtEntries(head);
    if (again)
        close();
    return {};
}

void LogStream::lookAtEntries(const LogHead &head)
{
    const auto reader = makeReader(m_summary.format, m_options.reader);
    if (!reader)
        return;
    LogEntry entry;
    const auto look = [&](std::string_view text) {
        if ((*reader)->read(text, entry) == Reading::Entry)
            m_begins = std::min(m_begins.value_or(entry.at), entry.at);
    };
    for (const HeadLine &line : head.lines)
        look(line.text);
    if (m_summary.format.format == LogFormat::Har) {
        HarSource entries{prefixed(head.bytes, nullptr)};
        for (Record record; entries.next(record);)
            look(record.text);
    }
    m_writtenOffset = (*reader)->writtenOffset();
    m_summary.zoneAssumed = m_begins && !m_writtenOffset && m_summary.format.format != LogFormat::Journal;
}

tl::expected<void, std::string> LogStream::open()
{
    if (!m_source && !m_over) {
        auto bytes = openBytes(m_name, m_options.stop);
        if (!bytes)
            return tl::unexpected(fmt::format("{}: {}", m_name, bytes.error()));
        auto whole = unpacked(std::move(*bytes));
        if (m_summary.format.format == LogFormat::Har)
            m_source = std::make_unique<HarSource>(std::move(whole));
        else
            m_source = std::make_unique<LineSource>(std::move(whole));
    }
    if (!m_reader) {
        auto reader = makeReader(m_summary.format, m_options.reader);
        if (!reader)
            return tl::unexpected(fmt::format("{}: {}", m_name, reader.error()));
        m_reader = std::move(*reader);
    }
    return {};
}

LogEntry *LogStream::front()
{
    while (!m_over && !m_window->ready())
        readOne();
    return m_window->empty() ? nullptr : &m_window->front();
}

bool LogStream::nextRecord(Record &record)
{
    if (m_looked.empty())
        return m_source->next(record);
    m_current = std::move(m_looked.front());
    m_looked.pop_front();
    record = {m_current.text, m_current.line, m_current.tooLong};
    return true;
}

void LogStream::readOne()
{
    Record record;
    if (!m_source || !nextRecord(record)) {
        if (m_source && !m_source->fault().empty())
            m_summary.ending = fmt::format("{} after line {}", m_source->fault(), m_source->lines());
        m_over = true;
        close();
        return;
    }
    ++m_summary.lines;
    if (record.tooLong) {
        complain(record, {1, "longer than what is read of a line, passed over"});
        return;
    }
    if (record.text.empty()) {
        ++m_summary.notRequests;
        return;
    }
    switch (m_reader->read(record.text, m_window->blank())) {
    case Reading::Entry:
        ++m_summary.entries;
        m_window->commit();
        m_summary.outOfOrder = m_window->outOfOrder();
        break;
    case Reading::NotARequest: ++m_summary.notRequests; break;
    case Reading::Malformed:
        if (!isOfAnotherFormat(record.text))
            complain(record, m_reader->complaint());
        break;
    }
}

void LogStream::complain(const Record &record, const Complaint &complaint)
{
    ++m_summary.malformed;
    if (m_summary.faults.size() < kFaultsNamed)
        m_summary.faults.push_back({m_name, record.line, complaint.column, std::string{complaint.what}});
}

/// Two programs that write into one file: what is no line of the one is looked at as one of the others.
bool LogStream::isOfAnotherFormat(std::string_view line)
{
    if (m_summary.format.format == LogFormat::Har)
        return false;
    if (m_others.empty()) {
        for (int i = 0; i < kLogFormats; ++i) {
            const FormatChoice format{static_cast<LogFormat>(i), m_summary.format.cri};
            const bool general = format.format == LogFormat::JsonLines || format.format == LogFormat::Har;
            auto reader = general || format == m_summary.format ? nullptr : makeReader(format, m_options.reader).value_or(nullptr);
            if (reader)
                m_others.emplace_back(format, std::move(reader));
        }
    }
    for (const auto &[format, reader] : m_others) {
        if (reader->read(line, m_unused) == Reading::Entry) {
            ++m_summary.otherFormats[static_cast<std::size_t>(format.format)];
            return true;
        }
    }
    return false;
}

void LogStream::close()
{
    m_source.reset();
    m_looked.clear();
}

} // namespace throttlescope::incident
