// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/access_lines.h"
#include "simulator/incident/entry_fields.h"
#include "simulator/incident/line_cursor.h"

#include "core/signals/numbers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace throttlescope::incident {

namespace {

constexpr std::array<std::string_view, 8> kLevels{"debug", "info", "notice", "warn", "error", "crit", "alert", "emerg"};

/// The value of `name: "…"` or `name: …,` in what nginx adds to every message about a request.
std::string_view valueOf(std::string_view text, std::string_view name, std::size_t from)
{
    std::size_t at = text.find(name, from);
    if (at == std::string_view::npos)
        return {};
    at += name.size();
    LineCursor cursor{text, at};
    if (const auto quoted = cursor.quoted())
        return *quoted;
    return text.substr(at, std::min(text.find(',', at), text.size()) - at);
}

/// Where the request ends that begins there: the error log escapes nothing, a quote may be the request's own.
std::size_t requestEnd(std::string_view line, std::size_t begin)
{
    constexpr std::string_view kProtocol = " HTTP/1.1\"";
    for (std::size_t at = line.find(" HTTP/", begin); at != std::string_view::npos; at = line.find(" HTTP/", at + 1)) {
        if (at + kProtocol.size() <= line.size() && line[at + kProtocol.size() - 1] == '"')
            return at + kProtocol.size() - 1;
    }
    return std::min(line.find('"', begin), line.size());
}

/// `2021/12/02 11:53:15 [error] 4065777#4065777: *42952950 limiting requests, excess: 5.428 by zone "one", client: ::1, server:
/// , request: "GET / HTTP/1.1", host: "la03.d.sb"`.
class NginxErrorReader final : public LineReader {
public:
    explicit NginxErrorReader(const ReaderOptions &options)
        : m_zone(options.zone)
    {
    }

    Reading read(std::string_view line, LogEntry &entry) override
    {
        const auto time = readErrorLogTime(line);
        if (!time)
            return malformed(1, "expected a time as 2021/12/02 11:53:15");
        LineCursor cursor{line, 19};
        const std::size_t end = line.find(']', 19);
        if (!cursor.take(" [") || end == std::string_view::npos
            || std::find(kLevels.begin(), kLevels.end(), line.substr(21, end - 21)) == kLevels.end())
            return malformed(cursor.column(), "expected a level as [error]");
        cursor = LineCursor{line, std::min(end + 2, line.size())};
        const std::string_view process = cursor.word();
        if (process.find('#') == std::string_view::npos || process.back() != ':')
            return malformed(end + 3, "expected process and thread as 12#12:");
        if (cursor.peek() == '*')
            cursor.word();
        return message(line, cursor, *time, entry);
    }

private:
    Reading message(std::string_view line, LineCursor cursor, const LogTime &time, LogEntry &entry)
    {
        const std::string_view text = cursor.rest();
        const bool requests = text.starts_with("limiting requests, ");
        const bool connections = text.starts_with("limiting connections by zone");
        const bool delaying = text.starts_with("delaying request, ");
        // Also "limiting requests, dry run, …": nobody was refused. What went wrong upstream has its status in the access log.
        const std::size_t zoneAt = line.find("by zone \"", cursor.at());
        const std::size_t clientAt = line.find(", client: ", cursor.at());
        if ((!requests && !connections && !delaying) || text.find(", dry run,") < text.find("by zone"))
            return Reading::NotARequest;
        if (zoneAt == std::string_view::npos || clientAt == std::string_view::npos || zoneAt > clientAt)
            return malformed(cursor.column(), "expected 'by zone \"…\", client: …', the line is cut");
        clear(entry);
        setTime(entry, time, m_zone, Duration::zero());
        entry.sideNote = true;
        // The request is a stranger's text: what stands behind its beginning could look like a field of nginx' own.
        setClient(entry, valueOf(line, ", client: ", clientAt));
        const std::size_t requestAt = line.find(", request: \"", clientAt);
        if (requestAt != std::string_view::npos) {
            const std::size_t begin = requestAt + 12;
            const std::size_t end = requestEnd(line, begin);
            setRequestLine(entry, line.substr(begin, end - begin));
            if (const std::string_view host = valueOf(line, ", host: ", end); !host.empty())
                setHost(entry, host);
        }
        entry.delayed = delaying;
        if (!delaying) {
            entry.refusedBy = RefusedBy::ThisProxy;
            const std::string_view zone = valueOf(line, "by zone ", zoneAt);
            entry.refusedHow = fmt::format("{} zone \"{}\"", connections ? "limit_conn" : "limit_req", zone.substr(0, 100));
        }
        return Reading::Entry;
    }

    const LogTimeZone m_zone;
};

} // namespace

std::unique_ptr<LineReader> nginxErrorReader(const ReaderOptions &options)
{
    return std::make_unique<NginxErrorReader>(options);
}

} // namespace throttlescope::incident
