// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/byte_source.h"
#include "simulator/incident/log_formats.h"
#include "simulator/incident/log_reader.h"

#include <QString>
#include <QStringList>
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>
#include <zstd.h>

/// Logs from memory, and their values as texts.
namespace throttlescope::testing {

using namespace std::chrono_literals;
using incident::LogEntry;

/// Bytes in pieces of a given size, so that their boundaries fall anywhere.
class MemoryBytes final : public incident::ByteSource {
public:
    explicit MemoryBytes(std::string text, std::size_t piece = 65'536)
        : m_text(std::move(text))
        , m_piece(piece)
    {
    }
    std::size_t read(std::span<char> into) override
    {
        const std::size_t count = m_text.copy(into.data(), std::min(into.size(), m_piece), m_at);
        m_at += count;
        return count;
    }

private:
    std::string m_text;
    std::size_t m_piece;
    std::size_t m_at = 0;
};

inline std::string gzipped(const std::string &text)
{
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef *>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    const std::size_t size = stream.total_out;
    deflateEnd(&stream);
    return packed.substr(0, size);
}

inline std::string zstandard(const std::string &text)
{
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    return packed.substr(0, ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
}

/// JSON with ' for ": moc of Qt 6.4 does not get over raw strings within a class.
inline std::string json(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

/// Of civil fields in UTC.
inline WallTime utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0, int second = 0, Duration rest = {})
{
    const std::chrono::sys_days date{std::chrono::year{year} / std::chrono::month{month} / std::chrono::day{day}};
    return WallTime{date.time_since_epoch()} + std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second}
    + rest;
}

inline const char *word(incident::RefusedBy by)
{
    switch (by) {
    case incident::RefusedBy::Nobody: return "nobody";
    case incident::RefusedBy::Upstream: return "upstream";
    case incident::RefusedBy::ThisProxy: return "this proxy";
    case incident::RefusedBy::Unknown: return "unknown";
    }
    return "";
}

/// "GET host/path client status took size | who (how) | headers": all but the time.
inline QString shown(const LogEntry &entry)
{
    QString text = QString::fromStdString(entry.method + ' ' + entry.host + entry.path + ' ' + (entry.client.empty() ? "?" : entry.client));
    text += ' ' + (entry.status ? QString::number(*entry.status) : QStringLiteral("-"));
    text += ' ' + (entry.took ? QString::number(entry.took->count()) + "us" : QStringLiteral("-"));
    text += ' ' + (entry.requestSize ? QString::number(*entry.requestSize) : QStringLiteral("-"));
    text += QStringLiteral(" | ") + word(entry.refusedBy);
    if (!entry.refusedHow.empty())
        text += QString::fromStdString(" (" + entry.refusedHow + ')');
    text += entry.delayed ? " delayed" : "";
    text += entry.sideNote ? " note" : "";
    for (const auto &[name, value] : entry.limitHeaders)
        text += QString::fromStdString(" | " + name + ": " + value);
    return text;
}

struct ReadLine {
    incident::Reading reading{};
    LogEntry entry;
    std::size_t column = 0;
    QString what;
};

/// One line by the format of that name.
inline ReadLine readLine(std::string_view format, std::string_view line, const incident::ReaderOptions &options = {})
{
    const auto choice = incident::formatNamed(format);
    auto reader = choice ? incident::makeReader(*choice, options) : tl::unexpected(choice.error());
    if (!reader)
        return {incident::Reading::Malformed, {}, 0, QString::fromStdString(reader.error())};
    ReadLine result;
    result.reading = (*reader)->read(line, result.entry);
    result.column = (*reader)->complaint().column;
    result.what = QString::fromUtf8((*reader)->complaint().what.data(), static_cast<qsizetype>((*reader)->complaint().what.size()));
    return result;
}

struct ReadLog {
    QString error;
    incident::LogSummary summary;
    std::vector<LogEntry> entries;
};

/// Several logs from memory, in that order; nothing of them touches the disk.
inline ReadLog readTexts(const std::vector<std::string> &texts, const incident::LogReadOptions &options = {}, std::size_t piece = 65'536)
{
    ReadLog result;
    incident::EntryBudget budget;
    std::vector<std::unique_ptr<incident::LogStream>> streams;
    for (const std::string &text : texts) {
        auto stream = incident::LogStream::probe(QStringLiteral("log%1").arg(streams.size() + 1).toStdString(),
            std::make_unique<MemoryBytes>(text, piece), options.stream, budget);
        if (!stream) {
            result.error = QString::fromStdString(stream.error());
            return result;
        }
        streams.push_back(std::move(*stream));
    }
    auto summary = incident::readStreams(std::move(streams), options, [&result](LogEntry &entry) { result.entries.push_back(entry); });
    if (summary)
        result.summary = std::move(*summary);
    else
        result.error = QString::fromStdString(summary.error());
    return result;
}

} // namespace throttlescope::testing
