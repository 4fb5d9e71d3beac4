// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/output_folder.h"

#include "app/cli/fetch/digest.h"
#include "app/cli/fetch/lines.h"
#include "core/journal/json_line.h"

#include <QDir>
#include <QSaveFile>

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace throttlescope::fetch {

namespace {

constexpr std::size_t kLongestReadable = 60;
constexpr std::size_t kDigits = 32; ///< of the id's digest: what makes the name its own

/// Cookies, credentials and what only means something to who holds some.
constexpr std::array<std::string_view, 8> kLeftOut{"Set-Cookie", "Set-Cookie2", "Authorization", "Proxy-Authorization", "WWW-Authenticate",
    "Proxy-Authenticate", "Authentication-Info", "Proxy-Authentication-Info"};
/// They end with a URL, whatever stands in it.
constexpr std::array<std::string_view, 3> kOneUrl{"Location", "Content-Location", "Refresh"};

std::string shownValue(const HeaderField &header)
{
    return isOneOf(kOneUrl, header.name) ? header.value.substr(0, header.value.find_first_of("?#")) : withoutQueries(header.value);
}

char safe(char c)
{
    if (c >= 'A' && c <= 'Z')
        return static_cast<char>(c + ('a' - 'A'));
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ? c : '_';
}

} // namespace

std::string fileName(std::string_view id)
{
    std::string name;
    for (const char c : id.substr(0, kLongestReadable)) {
        const char next = safe(c);
        if (next != '_' || (!name.empty() && name.back() != '_'))
            name += next;
    }
    name.erase(0, std::min(name.find_first_not_of("._"), name.size())); // no hidden file
    return name + (name.empty() ? "" : "-") + sha256(id).substr(0, kDigits);
}

OrProblem<OutputFolder> OutputFolder::open(const std::string &folder, Redactor secrets)
{
    const QString path = QString::fromStdString(folder);
    if (!QDir{}.mkpath(path))
        return couldNotRun(fmt::format("{}: the folder cannot be made, expected one that can be written to", folder));
    return OutputFolder{path, std::move(secrets)};
}

OrProblem<void> OutputFolder::write(const Item &item, const Judgement &judgement, const net::Result &result, WallTime at) const
{
    const std::string name = fileName(item.id);
    if (result.response->status != kNotModified) { // which leaves the body that is there
        if (auto written = write(name + ".body", result.response->body); !written)
            return written;
    }
    return write(name + ".json", meta(item, judgement, result, at));
}

std::string OutputFolder::meta(const Item &item, const Judgement &judgement, const net::Result &result, WallTime at) const
{
    std::string out, time;
    journal::appendRfc3339(time, at);
    journal::JsonLine json{out};
    json.member("id", item.id);
    json.member("line", item.line);
    json.member("method", item.method);
    json.member("url", shownUrl(item.url));
    json.member("status", result.response->status);
    json.open("headers", '[');
    for (const HeaderField &header : result.response->headers) {
        if (isOneOf(kLeftOut, header.name) || m_secrets.finds(header.value))
            continue;
        json.openItem();
        json.member("name", header.name);
        json.member("value", shownValue(header));
        json.close('}');
    }
    json.close(']');
    json.member("result", word(judgement.verdict));
    json.member("attempts", result.attempts);
    json.member("digest", judgement.settled->answer.digest);
    json.member("time", time);
    json.end();
    out += '\n';
    return out;
}

OrProblem<void> OutputFolder::write(const std::string &name, std::string_view bytes) const
{
    QSaveFile file{m_folder + '/' + QString::fromStdString(name)};
    const auto size = static_cast<qint64>(bytes.size());
    // Flushed first, for commit() of Qt 6.4 does not look at what becomes of its buffer.
    if (file.open(QIODevice::WriteOnly) && file.write(bytes.data(), size) == size && file.flush() && file.commit())
        return {};
    return couldNotRun(fmt::format("{}: cannot be written ({})", file.fileName().toStdString(), file.errorString().toStdString()));
}

} // namespace throttlescope::fetch
