// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/credentials.h"

#include "app/cli/fetch/lines.h"
#include "simulator/scenario/file_text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <sys/stat.h>

namespace throttlescope::fetch {

namespace {

constexpr std::uintmax_t kLargestHeaderFile = std::uintmax_t{1} << 20;
constexpr std::size_t kShortestSecret = 6; ///< shorter words are found anywhere by chance

bool tellsACredential(std::string_view name)
{
    std::string lower;
    std::transform(name.begin(), name.end(), std::back_inserter(lower), lowered);
    constexpr std::array<std::string_view, 8> words{"auth", "key", "token", "secret", "cookie", "password", "signature", "session"};
    return std::any_of(words.begin(), words.end(), [&lower](std::string_view word) { return lower.find(word) != std::string::npos; });
}

void addWords(std::string_view value, std::set<std::string> &secrets)
{
    while (!value.empty()) {
        const std::size_t end = std::min(value.find_first_of(" ;,"), value.size());
        if (end >= kShortestSecret && value.substr(0, end) != "Bearer")
            secrets.emplace(value.substr(0, end));
        value.remove_prefix(std::min(end + 1, value.size()));
    }
}

/// The client's own judgement. Its words are not shown: a secret that stands before a colon would be among them.
bool canBeSent(const HeaderField &header)
{
    net::Request request;
    request.url = QUrl{QStringLiteral("https://example.com/")};
    request.headers = {header};
    return net::requestProblem(request).empty();
}

OrProblem<void> readHeaders(const std::string &file, Credentials &credentials)
{
    const auto text = readFile(file, kLargestHeaderFile);
    if (!text)
        return usage(fmt::format("{}:1:1: {}", file, text.error()));
    struct stat about = {};
    if (::stat(file.c_str(), &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        credentials.warnings.push_back(fmt::format("{}: others can read these credentials, expected mode 600", file));
    std::string problem;
    eachLine(*text, [&](int number, std::string_view line) {
        const std::string_view content = trimmed(line);
        if (!problem.empty() || content.empty() || content.front() == '#')
            return;
        const std::size_t colon = std::min(content.find(':'), content.size());
        HeaderField header{
            std::string{trimmed(content.substr(0, colon))}, std::string{trimmed(content.substr(std::min(colon + 1, content.size())))}};
        if (colon == content.size() || !canBeSent(header))
            problem = fmt::format("{}:{}:1: no header that can be sent, expected 'Name: value'", file, number);
        credentials.headers.push_back(std::move(header));
    });
    if (!problem.empty())
        return usage(problem);
    return {};
}

OrProblem<void> readBearer(const std::string &variable, Credentials &credentials)
{
    const char *token = std::getenv(variable.c_str());
    if (!token || *token == '\0')
        return usage(fmt::format("the environment variable {} is empty, expected a token", shown(variable)));
    HeaderField header{"Authorization", fmt::format("Bearer {}", token)};
    if (!canBeSent(header))
        return usage(fmt::format("the environment variable {} is no token, expected one line", shown(variable)));
    if (findHeader(credentials.headers, header.name))
        return usage("the header file has an Authorization of its own, expected one credential");
    credentials.headers.push_back(std::move(header));
    return {};
}

} // namespace

OrProblem<Credentials> readCredentials(const CredentialSources &sources, const std::vector<Item> &items)
{
    Credentials credentials;
    if (!sources.headerFile.empty()) {
        if (auto read = readHeaders(sources.headerFile, credentials); !read)
            return tl::unexpected(read.error());
    }
    if (!sources.bearerVariable.empty()) {
        if (auto read = readBearer(sources.bearerVariable, credentials); !read)
            return tl::unexpected(read.error());
    }
    std::set<std::string> origins;
    for (const Item &item : items)
        origins.insert(fmt::format("{}://{}", item.url.scheme().toStdString(), serverName(item.url)));
    if (!credentials.headers.empty() && origins.size() > 1)
        return usage(fmt::format("credentials would go to {} servers ({}, {}, …), expected a worklist of one origin", origins.size(),
            *origins.begin(), *std::next(origins.begin())));
    return credentials;
}

std::vector<std::string> secretsIn(const Headers &credentials, const std::vector<Item> &items)
{
    std::set<std::string> secrets;
    for (const HeaderField &header : credentials)
        addWords(header.value, secrets);
    for (const Item &item : items) {
        for (const HeaderField &header : item.headers) {
            if (tellsACredential(header.name))
                addWords(header.value, secrets);
        }
    }
    return {secrets.begin(), secrets.end()};
}

} // namespace throttlescope::fetch
