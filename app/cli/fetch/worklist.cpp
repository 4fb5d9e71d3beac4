// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/worklist.h"

#include "app/cli/fetch/digest.h"
#include "app/cli/fetch/lines.h"
#include "app/cli/fetch/worklist_line.h"
#include "simulator/scenario/file_text.h"

#include <fmt/format.h>
#include <set>

namespace throttlescope::fetch {

namespace {

constexpr std::uintmax_t kLargestWorklist = std::uintmax_t{1} << 30;

constexpr std::string_view kDigestBegin = "?sha256:";
constexpr std::size_t kQueryDigits = 16;

std::string queryDigest(std::string_view url)
{
    return std::string{kDigestBegin} + sha256(url).substr(0, kQueryDigits);
}

class Reader {
public:
    explicit Reader(const std::string &file)
        : m_file(file)
    {
    }

    void take(int number, std::string_view line)
    {
        m_line = number;
        if (line.size() > kLongestLine)
            return skip({1, fmt::format("a line of {} bytes, expected at most {}", line.size(), kLongestLine)});
        const std::string_view content = trimmed(line);
        if (content.empty() || content.front() == '#')
            return;
        const int indent = static_cast<int>(content.data() - line.data());
        auto item = content.front() == '{' ? itemFromJson(content) : itemFromUrl(content);
        if (!item)
            return skip({item.error().column + indent, std::move(item.error().text)});
        if (!m_ids.insert(item->id).second)
            return skip({1 + indent, fmt::format("the id '{}' is there twice, expected one of its own", shown(item->id))});
        item->line = m_line;
        m_worklist.items.push_back(std::move(*item));
    }
    Worklist done() { return std::move(m_worklist); }

private:
    void skip(LineProblem problem) { m_worklist.skipped.push_back({m_file, {m_line, problem.column}, std::move(problem.text)}); }

    const std::string &m_file;
    int m_line = 0;
    std::set<std::string> m_ids;
    Worklist m_worklist;
};

/// A part of the fingerprint: its length goes first, so that two lists of parts never read the same.
void add(QCryptographicHash &hash, std::string_view part)
{
    hash.addData(QByteArray::number(static_cast<qulonglong>(part.size())) + ':');
    hash.addData(QByteArray::fromRawData(part.data(), static_cast<qsizetype>(part.size())));
}

} // namespace

Worklist parseWorklist(std::string_view text, const std::string &file)
{
    constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
    if (text.substr(0, byteOrderMark.size()) == byteOrderMark)
        text.remove_prefix(byteOrderMark.size());
    Reader reader{file};
    eachLine(text, [&reader](int number, std::string_view line) { reader.take(number, line); });
    return reader.done();
}

OrProblem<Worklist> readWorklist(const std::filesystem::path &file)
{
    const auto text = readFile(file, kLargestWorklist);
    if (!text)
        return usage(fmt::format("{}:1:1: {}", shownId(file.string()), text.error())); // a URL, given by mistake
    return parseWorklist(*text, file.string());
}

std::string fingerprint(const std::vector<Item> &items)
{
    QCryptographicHash hash{QCryptographicHash::Sha256};
    for (const Item &item : items) {
        add(hash, item.id);
        add(hash, item.method);
        add(hash, item.url.toEncoded().toStdString());
        add(hash, std::to_string(item.headers.size()));
        for (const HeaderField &header : item.headers)
            add(hash, header.name);
        add(hash, item.body ? sha256({item.body->constData(), static_cast<std::size_t>(item.body->size())}) : std::string{});
    }
    return hash.result().toHex().toStdString();
}

std::string shownUrl(const QUrl &url)
{
    return url.toEncoded(QUrl::RemoveUserInfo | QUrl::RemoveQuery | QUrl::RemoveFragment).toStdString();
}

std::string defaultId(const QUrl &url)
{
    return shownUrl(url) + (url.hasQuery() ? queryDigest(url.toEncoded().toStdString()) : std::string{});
}

std::string shownId(const std::string &id)
{
    const std::size_t query = id.find('?');
    const bool isUrl = id.find("://") != std::string::npos || id.starts_with('/');
    const bool isShown = query != std::string::npos && id.compare(query, kDigestBegin.size(), kDigestBegin) == 0
        && id.size() == query + kDigestBegin.size() + kQueryDigits;
    if (!isUrl || isShown)
        return id;
    const QUrl url{QString::fromStdString(id)};
    if (url.isValid() && (url.hasQuery() || !url.userInfo().isEmpty()))
        return defaultId(url);
    return query == std::string::npos ? id : id.substr(0, query) + queryDigest(id);
}

net::Request requestOf(const Item &item)
{
    net::Request request;
    request.url = item.url;
    request.headers = item.headers;
    request.method = item.method;
    if (item.body)
        request.body = *item.body;
    request.operation = item.id;
    request.operationClass = item.operationClass;
    request.idempotent = item.idempotent;
    request.units = item.units;
    return request;
}

} // namespace throttlescope::fetch
