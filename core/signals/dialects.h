// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// What servers call their limits: one data table, one row a header. Code knows roles and forms; it knows no vendor.
namespace throttlescope::signals {

/// In order of preference where a response's headers fit several.
enum class Dialect : std::uint8_t {
    HttpRetryAfter,
    IetfTriple03,
    IetfTriple06,
    IetfCombined07,
    IetfList10,
    GitHub,
    OpenAi,
    Anthropic,
    AzureOpenAi,
    AzureResourceManager,
    XTwitter,
    Slack,
    Discord,
    DiscordV6,
    Shopify,
    Stripe,
    Atlassian,
    GitLab,
    Zendesk,
    HubSpot,
    Salesforce,
    Cloudflare,
    Saia,
    Kong,
    Envoy,
    Kubernetes,
    DockerHubPull,
    DockerHubApi,
    Reddit,
    Okta,
    Linear,
    Notion,
    OaiPmh,
    Crossref,
    Scaleway,
    GoogleRetryInfo,
    Aws,
    Spotify,
    Twitch,
    Mistral,
    Groq,
    Cohere,
    Cerebras,
    Prisjakt,
    RocketChat,
    Lemlist,
    MailerLite,
    Brevo,
    Fastly,
    Akamai,
    Turn,
    Oxy,
    Apisix,
    Zalando,
    IbmSva,
    PerWindowReset,
    GenericIsoReset,
    Matrix,
    Sentry,
    Express,
};
inline constexpr std::size_t kDialectCount = static_cast<std::size_t>(Dialect::Express) + 1;

struct DialectInfo {
    Dialect id;
    std::string_view name; ///< "github", "ietf-list-08-10": what a caller writes
    std::string_view vendor;
    /// Statuses that say "rate limited" beside 429 where the response also has a Retry-After or a window with nothing left.
    std::array<std::uint16_t, 2> limitedStatuses{};
};

/// What a header's value is about.
enum class Role : std::uint8_t {
    RetryAfter, ///< the delay itself
    Limit,
    Remaining,
    Used,
    Reset,
    SharedReset, ///< the one reset that several windows share: it is the shortest one's
    Length, ///< the window's length
    Name, ///< the window's name
    State, ///< RateLimit of draft 07 and later: everything in one field
    Policy, ///< RateLimit-Policy
    Counters, ///< several roles in one field; the form tells which
    Age, ///< of HTTP itself: a cached response
    Mark, ///< tells the dialect and nothing else
};

/// How the value is written. Most forms tell themselves apart; the column also serves detection.
enum class Form : std::uint8_t {
    SecondsOrDate, ///< RFC 9110 10.2.3
    Count, ///< a number; where one is read, policies may stand behind it as well
    CountAndPolicies, ///< "100, 100;w=10"
    CountAndLength, ///< "100;w=21600"
    Seconds, ///< counted from now
    Milliseconds, ///< counted from now
    WholeMilliseconds,
    EpochSeconds,
    EpochMilliseconds,
    UnitDuration, ///< "6m0s", "577.5ms"
    HttpDate,
    Iso8601,
    JavaScriptDate,
    UsedOfLimit, ///< "32/40"
    NamedUsedOfLimit, ///< "api-usage=25/5000; per-app-api-usage=17/250(appName=x)"
    TotalRemainingResets, ///< "total=100; remaining=99; resets=41"
    NamedCounts, ///< "Microsoft.Compute/HighCostGet;159,…"
    SecondsScopes, ///< "60:transaction:key, 2700:default;error:organization"
    Dictionary,
    List, ///< structured fields (RFC 9651)
    Word, ///< "minute", "core"
};

struct DialectRow {
    Dialect dialect;
    std::string_view name; ///< the header; one '*' stands for the window's name
    Role role;
    Form form;
    std::string_view window{}; ///< the window it tells of: "*" as in the name, "" the server's only one
    std::int32_t length = 0; ///< seconds; 0: as the window's name says, if it does
    bool onlyWhenNamed = false; ///< cannot be told from the common reading: holds where the caller names the dialect
};

/// A hint in a JSON body. A segment [key=value] of the pointer picks the array's element that has this member.
struct BodyRow {
    Dialect dialect;
    std::string_view pointer;
    Form form; ///< Seconds, Milliseconds or UnitDuration
    bool onlyWhenNamed = false;
};

std::span<const DialectRow> dialectRows();
std::span<const BodyRow> bodyRows();
std::span<const DialectInfo> dialects();
const DialectInfo &info(Dialect dialect);

/// By its name in `dialects()`, or by a common short name ("saia", "docker-hub", "ietf-08"). Names of ways to read that need
/// no vendor ("lenient-date", "go-duration") give HttpRetryAfter. Nothing for an unknown name.
std::optional<Dialect> dialectNamed(std::string_view name);

} // namespace throttlescope::signals
