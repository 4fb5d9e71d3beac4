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
constexpr std::size_t kShortestSecret = 4; ///< shorter words are anywhere by chance, also alone

/// Who asks does not show in them, and every answer repeats their words.
constexpr std::array<std::string_view, 11> kHarmless{"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control",
    "Connection", "Content-Language", "Content-Type", "Pragma", "Range", "User-Agent"};
constexpr std::array<std::string_view, 5> kSchemes{"Basic", "Bearer", "Digest", "Negotiate", "Token"};

bool tellsACredential(std::string_view name)
{
    std::string lower;
    std::transform(name.begin(), name.end(), std::back_inserter(lower), lowered);
    constexpr std::array<std::string_view, 8> words{"auth", "key", "token", "secret", "cookie", "password", "signature", "session"};
    return std::any_of(words.begin(), words.end(), [&lower](std::string_view word) { return lower.find(word) != std::string::npos; });
}

void addSecret(std::string_view text, std::set<std::string> &secrets)
{
    if (text.size() >= kShortestSecret)
        secrets.emplace(text);
}

/// The value as a whole, and each of its words: a server may repeat one of them.
void addSecrets(std::string_view value, std::set<std::string> &secrets)
{
    if (const std::size_t blank = value.find(' '); blank != std::string_view::npos && isOneOf(kSchemes, value.substr(0, blank)))
        value = trimmed(value.substr(blank));
    addSecret(value, secrets);
    while (!value.empty()) {
        const std::string_view word = value.substr(0, value.find_first_of(" ;,\""));
        addSecret(word, secrets);
        if (const std::size_t equals = word.find('='); equals != std::string_view::npos)
            addSecret(word.substr(equals + 1), secrets); // of a cookie
        value.remove_prefix(std::min(word.size() + 1, value.size()));
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
        return usage(fmt::format("--header-file: {}", text.error())); // not its name: what was given may be a header
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
    if (!token || *token == '\0') // not its name: what was given may be the token
        return usage("--bearer-env: no such environment variable or an empty one, expected the name of one that holds a token");
    HeaderField header{"Authorization", fmt::format("Bearer {}", token)};
    if (!canBeSent(header))
        return usage("--bearer-env: the environment variable is no token, expected one line");
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
        origins.insert(fmt::format("{}://{}", item.url.scheme().toStdString(), net::serverName(item.url)));
    if (!credentials.headers.empty() && origins.size() > 1)
        return usage(fmt::format("credentials would go to {} servers ({}, {}, …), expected a worklist of one origin", origins.size(),
            *origins.begin(), *std::next(origins.begin())));
    return credentials;
}

std::vector<std::string> secretsIn(const Headers &credentials, const std::vector<Item> &items)
{
    std::set<std::string> secrets;
    for (const HeaderField &header : credentials) {
        if (!isOneOf(kHarmless, header.name))
            addSecrets(header.value, secrets);
    }
    for (const Item &item : items) {
        for (const HeaderField &header : item.headers) {
            if (tellsACredential(header.name))
                addSecrets(header.value, secrets);
        }
    }
    return {secrets.begin(), secrets.end()};
}

} // namespace throttlescope::fetch
