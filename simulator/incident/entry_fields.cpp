// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/entry_fields.h"

#include "core/engine/outcome.h"
#include "core/signals/header_index.h"
#include "core/signals/numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <fmt/format.h>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kLongestPath = 2048;
constexpr std::size_t kLongestHost = 253;
constexpr std::size_t kLongestMethod = 32;
constexpr std::size_t kLongestValue = 200;
constexpr std::array<std::string_view, 4> kNumbersOf{"-limit-", "-remaining", "-reset", "-used"};
/// What stands in dates, durations and the parameters of limits.
constexpr std::array kTimeWords = std::to_array<std::string_view>({"mon", "tue", "wed", "thu", "fri", "sat", "sun", "monday", "tuesday",
    "wednesday", "thursday", "friday", "saturday", "sunday", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov",
    "dec", "gmt", "utc", "z", "t", "ns", "us", "ms", "s", "m", "h", "d", "w", "e", "sec", "secs", "second", "seconds", "min", "mins",
    "minute", "minutes", "hour", "hours", "day", "days", "month", "window", "comment", "burst"});
constexpr std::size_t kMostHeaders = 16;
constexpr std::string_view kHex = "0123456789ABCDEF";

int hexDigit(char c)
{
    const char lower = lowered(c);
    return c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool isAlphanumeric(char c)
{
    return signals::isDigit(c) || (lowered(c) >= 'a' && lowered(c) <= 'z');
}

/// What stands in a URL's path as it is, and needs no second look.
constexpr std::array<bool, 256> kPathCharacters = [] {
    std::array<bool, 256> known{};
    for (unsigned c = 0x21; c < 0x7F; ++c)
        known[c] = std::string_view{"%?#\"<>\\^`{|}"}.find(static_cast<char>(c)) == std::string_view::npos;
    return known;
}();

bool isPathCharacter(char c)
{
    return kPathCharacters[static_cast<unsigned char>(c)];
}

/// The byte of a percent-encoding at `at`; -1 where none stands there.
int encodedAt(std::string_view text, std::size_t at)
{
    if (at + 2 >= text.size() || text[at] != '%' || hexDigit(text[at + 1]) < 0 || hexDigit(text[at + 2]) < 0)
        return -1;
    return hexDigit(text[at + 1]) * 16 + hexDigit(text[at + 2]);
}

/// One byte of a logged text, its escape undone; moves `at` behind it.
unsigned char byteAt(std::string_view text, std::size_t &at)
{
    const char c = text[at++];
    if (c != '\\' || at >= text.size())
        return static_cast<unsigned char>(c);
    if (text[at] == 'x' && at + 2 < text.size() && hexDigit(text[at + 1]) >= 0 && hexDigit(text[at + 2]) >= 0) {
        const int value = hexDigit(text[at + 1]) * 16 + hexDigit(text[at + 2]);
        at += 3;
        return static_cast<unsigned char>(value);
    }
    if (text[at] == '"' || text[at] == '\\')
        return static_cast<unsigned char>(text[at++]);
    return '\\';
}

/// Up to the query or the fragment, also where their sign is encoded: twice, by a proxy.
void appendPath(std::string &path, std::string_view target)
{
    while (!target.empty() && path.size() < kLongestPath) {
        std::size_t plain = 0;
        while (plain < target.size() && isPathCharacter(target[plain]))
            ++plain;
        path.append(target.data(), std::min(plain, kLongestPath - path.size()));
        if (plain == target.size())
            return;
        const int encoded = encodedAt(target, plain);
        const unsigned char byte = byteAt(target, plain); // moves behind it
        if (byte == '?' || byte == '#' || encoded == '?' || encoded == '#')
            return;
        if (byte == '%' || isPathCharacter(static_cast<char>(byte))) {
            path.push_back(static_cast<char>(byte));
        } else {
            path.push_back('%');
            path.push_back(kHex[byte >> 4]);
            path.push_back(kHex[byte & 15]);
        }
        target.remove_prefix(plain);
    }
}

/// `;name=value` of every segment goes: it is where a session's key stands.
void dropParameters(std::string &path)
{
    for (std::size_t at = path.find(';'); at != std::string::npos; at = path.find(';', at)) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        if (path.find('=', at) < end)
            path.erase(at, end - at);
        else
            at = end;
    }
}

/// A URL within the path may hold `user:password@`.
void dropUserinfo(std::string &path)
{
    for (std::size_t at = path.find('@'); at != std::string::npos; at = path.find('@', at + 1)) {
        const std::size_t begin = path.rfind('/', at) + 1;
        if (path.find(':', begin) < at || (begin >= 2 && path[begin - 2] == '/')) {
            path.erase(begin, at + 1 - begin);
            at = begin > 0 ? begin - 1 : 0;
        }
    }
}

/// Whether it looks like an IPv4 or IPv6 address.
bool isAddress(std::string_view text)
{
    if (text.size() < 2 || text.size() > 45 || (text.find('.') == std::string_view::npos && text.find(':') == std::string_view::npos))
        return false;
    const bool six = text.find(':') != std::string_view::npos;
    return std::all_of(
        text.begin(), text.end(), [six](char c) { return c == '.' || signals::isDigit(c) || (six && (c == ':' || hexDigit(c) >= 0)); });
}

/// "[::1]:80", "1.2.3.4:80", "example.org:80" without the port; an address of version 6 may stand without brackets.
std::string_view withoutPort(std::string_view text)
{
    if (!text.empty() && text.front() == '[') {
        const std::size_t end = text.find(']');
        return end == std::string_view::npos ? std::string_view{} : text.substr(1, end - 1);
    }
    const std::size_t colon = text.find(':');
    return colon != std::string_view::npos && text.find(':', colon + 1) == std::string_view::npos ? text.substr(0, colon) : text;
}

bool isHostName(std::string_view text)
{
    return !text.empty() && text.size() <= kLongestHost
        && std::all_of(text.begin(), text.end(), [](char c) { return isAlphanumeric(c) || c == '.' || c == '-' || c == '_'; });
}

/// Of a whole URL, of CONNECT's `host:port`: the host is set, the path remains.
std::string_view withoutAuthority(LogEntry &entry, std::string_view target)
{
    const std::size_t scheme = target.find("://");
    if (scheme != std::string_view::npos && target.find_first_of("/?#") == scheme + 1) {
        target.remove_prefix(scheme + 3);
        const std::size_t end = std::min(target.find_first_of("/?#"), target.size());
        setHost(entry, target.substr(0, end));
        target.remove_prefix(end);
    } else if (target.find(':') != std::string_view::npos) {
        if (target.find('/') == std::string_view::npos)
            setHost(entry, target);
        target = {}; // of `data:` and its like, the text is a body
    }
    return target;
}

} // namespace

void clear(LogEntry &entry)
{
    entry.at = {};
    entry.precision = {};
    entry.took.reset();
    entry.status.reset();
    entry.method.clear();
    entry.host.clear();
    entry.path.clear();
    entry.client.clear();
    entry.requestSize.reset();
    entry.correlation.clear();
    entry.refusedBy = RefusedBy::Nobody;
    entry.refusedHow.clear();
    entry.limitHeaders.clear();
    entry.delayed = false;
    entry.sideNote = false;
}

std::size_t memoryOf(const LogEntry &entry)
{
    std::size_t size = sizeof entry + entry.path.capacity() + entry.host.capacity() + entry.client.capacity() + entry.refusedHow.capacity()
        + entry.correlation.capacity() + entry.limitHeaders.capacity() * sizeof entry.limitHeaders.front();
    for (const auto &[name, value] : entry.limitHeaders)
        size += name.capacity() + value.capacity();
    return size;
}

void setMethod(LogEntry &entry, std::string_view method)
{
    entry.method.clear();
    if (method == "GET" || method == "POST") { // which nearly all are
        entry.method = method;
        return;
    }
    if (method.size() > kLongestMethod || !isToken(method) || method == "-")
        return;
    for (const char c : method)
        entry.method.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c);
}

void setRequestLine(LogEntry &entry, std::string_view line)
{
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos)
        return;
    std::string_view target = line.substr(blank + 1);
    // A path with blanks, which some clients send, ends where the protocol begins. Without one (HTTP/0.9) it is all.
    if (const std::size_t protocol = target.rfind(" HTTP/"); protocol != std::string_view::npos)
        target = target.substr(0, protocol);
    else if (!target.starts_with('/'))
        return; // two words of something else: "Bearer …"
    setMethod(entry, line.substr(0, blank));
    if (!entry.method.empty())
        setTarget(entry, target);
}

void setTarget(LogEntry &entry, std::string_view target)
{
    entry.path.clear();
    if (target.empty() || target == "-")
        return;
    if (target.front() != '/')
        target = withoutAuthority(entry, target);
    if (!target.starts_with('/') && target.find(' ') != std::string_view::npos)
        return; // a text, and no path
    if (target.empty() || target.front() != '/')
        entry.path.push_back('/');
    appendPath(entry.path, target);
    if (entry.path.find(';') != std::string::npos)
        dropParameters(entry.path);
    if (entry.path.find('@') != std::string::npos)
        dropUserinfo(entry.path);
}

void setHost(LogEntry &entry, std::string_view host)
{
    host.remove_prefix(host.rfind('@') + 1); // npos + 1 is 0
    host = withoutPort(host);
    entry.host.clear();
    if (host == "-" || (!isHostName(host) && !isAddress(host)))
        return;
    for (const char c : host)
        entry.host.push_back(lowered(c));
}

void setClient(LogEntry &entry, std::string_view client)
{
    entry.client.clear();
    if (client.empty() || client == "-")
        return;
    if (const std::string_view bare = withoutPort(client);
        isAddress(bare) || (isHostName(bare) && bare.find('.') != std::string_view::npos))
        entry.client.assign(bare);
    else if (client == "localhost" || client == "unix:")
        entry.client.assign(client);
    else
        entry.client = standIn(client);
}

void setForwarded(LogEntry &entry, std::string_view list)
{
    const std::string_view first = withoutPort(signals::trimmed(list.substr(0, list.find(','))));
    if (isAddress(first))
        entry.client.assign(first);
}

void setCorrelation(LogEntry &entry, std::string_view value)
{
    entry.correlation = value.empty() || value == "-" ? std::string{} : standIn(value);
}

namespace {

/// Of those that have a number, a time or a date, nothing else is kept: a server that echoes what it was sent would say
/// here what nobody should read. (RateLimit and RateLimit-Policy have names, and in `pk` a key: draft-08, section 4.1.4.)
bool holdsNumber(std::string_view name)
{
    return name.starts_with("retry-after") || std::any_of(kNumbersOf.begin(), kNumbersOf.end(), [name](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    });
}

bool saysOnlyNumbers(std::string_view value)
{
    for (std::size_t at = 0; at < value.size();) {
        std::string word;
        for (; at < value.size() && std::isalpha(static_cast<unsigned char>(value[at])); ++at)
            word.push_back(lowered(value[at]));
        if (word.empty())
            ++at;
        else if (std::find(kTimeWords.begin(), kTimeWords.end(), word) == kTimeWords.end())
            return false;
    }
    return true;
}

} // namespace

bool isLimitHeader(std::string_view name)
{
    const signals::HeaderMatch found = signals::HeaderIndex::instance().find(name);
    if (!found.entry)
        return false;
    return std::any_of(found.entry->rows.begin(), found.entry->rows.end(),
        [](const signals::DialectRow *row) { return row->role != signals::Role::Mark && row->role != signals::Role::Age; });
}

void addHeader(LogEntry &entry, std::string_view name, std::string_view value)
{
    if (value.empty() || value == "-" || entry.limitHeaders.size() >= kMostHeaders || !isLimitHeader(name))
        return;
    std::string lower;
    for (const char c : name)
        lower.push_back(lowered(c));
    std::string kept{value.substr(0, kLongestValue)};
    if (holdsNumber(lower) ? !saysOnlyNumbers(kept) : kept.find("pk=") != std::string::npos)
        kept = "unreadable";
    entry.limitHeaders.emplace_back(std::move(lower), std::move(kept));
}

std::string standIn(std::string_view value)
{
    // FNV-1a, then mixed (MurmurHash3's finalizer): spread, not secrecy. The value itself is nowhere.
    std::uint64_t hash = 14'695'981'039'346'656'037U;
    for (const char c : value)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
    hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDU;
    hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53U;
    return fmt::format("key-{:016x}", hash ^ (hash >> 33));
}

std::optional<std::optional<int>> statusOf(std::string_view text)
{
    if (text == "-" || text == "0" || text == "000")
        return std::optional<std::optional<int>>{std::in_place, std::nullopt};
    if (text.size() != 3 || text[0] < '1' || !signals::isDigit(text[0]) || !signals::isDigit(text[1]) || !signals::isDigit(text[2]))
        return std::nullopt;
    return std::optional<std::optional<int>>{std::in_place, (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0')};
}

std::optional<Duration> loggedSeconds(std::string_view text)
{
    const auto number = signals::decimal(text);
    return number ? std::optional{signals::times(*number, std::chrono::seconds{1})} : std::nullopt;
}

std::optional<std::uint64_t> countOf(std::string_view text)
{
    const auto number = signals::digits(text);
    return number ? std::optional{static_cast<std::uint64_t>(*number)} : std::nullopt;
}

} // namespace throttlescope::incident
