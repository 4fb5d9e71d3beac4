// SPDX-License-Identifier: Apache-2.0
#include "core/signals/dialects.h"

#include <algorithm>
#include <utility>

namespace throttlescope::signals {

namespace {

using D = Dialect;

constexpr std::array<DialectInfo, kDialectCount> kDialects{{
    {D::HttpRetryAfter, "http-retry-after", "IETF RFC 9110"},
    {D::IetfTriple03, "ietf-triple-00-03", "IETF draft-ietf-httpapi-ratelimit-headers-00 to -03"},
    {D::IetfTriple06, "ietf-triple-04-06", "IETF draft-ietf-httpapi-ratelimit-headers-04 to -06"},
    {D::IetfCombined07, "ietf-combined-07", "IETF draft-ietf-httpapi-ratelimit-headers-07"},
    {D::IetfList10, "ietf-list-08-10", "IETF draft-ietf-httpapi-ratelimit-headers-08 to -10"},
    {D::GitHub, "github", "GitHub REST and GraphQL", {403}},
    {D::OpenAi, "openai", "OpenAI"},
    {D::Anthropic, "anthropic", "Anthropic"},
    {D::AzureOpenAi, "azure-openai", "Microsoft Azure OpenAI"},
    {D::AzureResourceManager, "azure-resource-manager", "Microsoft Azure Resource Manager"},
    {D::XTwitter, "x-twitter", "X (Twitter)", {420}},
    {D::Slack, "slack", "Slack"},
    {D::Discord, "discord", "Discord v8 and later"},
    {D::DiscordV6, "discord-v6", "Discord v6 and v7"},
    {D::Shopify, "shopify-rest", "Shopify REST Admin"},
    {D::Stripe, "stripe", "Stripe"},
    {D::Atlassian, "atlassian", "Atlassian Jira and Confluence Cloud"},
    {D::GitLab, "gitlab", "GitLab"},
    {D::Zendesk, "zendesk", "Zendesk"},
    {D::HubSpot, "hubspot", "HubSpot"},
    {D::Salesforce, "salesforce", "Salesforce REST", {403}},
    {D::Cloudflare, "cloudflare-api", "Cloudflare API v4"},
    {D::Saia, "saia-gwdg", "SAIA, GWDG Chat AI"},
    {D::Kong, "kong", "Kong Gateway"},
    {D::Envoy, "envoy", "Envoy, Istio, Contour, Gloo"},
    {D::Kubernetes, "kubernetes", "Kubernetes API server"},
    {D::DockerHubPull, "docker-hub-pull", "Docker Hub registry pulls"},
    {D::DockerHubApi, "docker-hub-api", "Docker Hub REST"},
    {D::Reddit, "reddit", "Reddit"},
    {D::Okta, "okta", "Okta"},
    {D::Linear, "linear", "Linear", {400}},
    {D::Notion, "notion", "Notion"},
    {D::OaiPmh, "oai-pmh", "arXiv, OAI-PMH repositories"},
    {D::Crossref, "crossref", "Crossref REST"},
    {D::Scaleway, "scaleway", "Scaleway Generative APIs"},
    {D::GoogleRetryInfo, "google-retryinfo", "Google APIs, Gemini"},
    {D::Aws, "aws", "AWS services"},
    {D::Spotify, "spotify", "Spotify"},
    {D::Twitch, "twitch", "Twitch Helix"},
    {D::Mistral, "mistral", "Mistral"},
    {D::Groq, "groq", "Groq"},
    {D::Cohere, "cohere", "Cohere"},
    {D::Cerebras, "cerebras", "Cerebras"},
    {D::Prisjakt, "prisjakt", "Prisjakt"},
    {D::RocketChat, "rocket-chat", "Rocket.Chat"},
    {D::Lemlist, "lemlist", "lemlist"},
    {D::MailerLite, "mailerlite-classic", "MailerLite classic"},
    {D::Brevo, "brevo", "Brevo (Sendinblue)"},
    {D::Fastly, "fastly", "Fastly API"},
    {D::Akamai, "akamai", "Akamai APIs"},
    {D::Turn, "turn-whatsapp", "Turn.io"},
    {D::Oxy, "oxy-traefik", "vulcand/oxy, old Traefik"},
    {D::Apisix, "apisix-ai", "Apache APISIX ai-rate-limiting"},
    {D::Zalando, "zalando", "Zalando guideline and others with delta seconds"},
    {D::IbmSva, "ibm-sva", "IBM Security Verify Access"},
    {D::PerWindowReset, "per-window-reset", "several API gateways"},
    {D::GenericIsoReset, "generic-iso-reset", "various"},
    {D::Matrix, "matrix", "Matrix homeservers"},
    {D::Sentry, "sentry", "Sentry"},
    {D::Express, "express-rate-limit", "express-rate-limit (Node)"},
}};

constexpr bool inOrder()
{
    for (std::size_t i = 0; i < kDialects.size(); ++i) {
        if (static_cast<std::size_t>(kDialects[i].id) != i)
            return false;
    }
    return true;
}
static_assert(inOrder());
static_assert(kDialectCount <= 64, "a set of dialects is one std::uint64_t");

using Alias = std::pair<std::string_view, Dialect>;
constexpr Alias kAliases[] = {
    {"http", D::HttpRetryAfter},
    {"ietf-03", D::IetfTriple03},
    {"ietf-06", D::IetfTriple06},
    {"ietf-07", D::IetfCombined07},
    {"ietf-08", D::IetfList10},
    {"ietf-10", D::IetfList10},
    {"ietf-mixed", D::IetfList10},
    {"saia", D::Saia},
    {"gwdg", D::Saia},
    {"shopify", D::Shopify},
    {"docker-hub", D::DockerHubPull},
    {"epoch-in-retry-after", D::DockerHubApi},
    {"discord-v6-ms", D::DiscordV6},
    {"discord-body", D::Discord},
    {"matrix-body", D::Matrix},
    {"prisjakt-ms-delta", D::Prisjakt},
    {"azure-openai-sentinel", D::AzureOpenAi},
    {"twitter", D::XTwitter},
    {"cloudflare", D::Cloudflare},
    {"retry-after-ms", D::OpenAi},
    {"x-ms-retry-after-ms", D::AzureOpenAi},
    {"x-amz-retry-after", D::Aws},
    {"x-retry-in", D::Oxy},
    {"x-ratelimit-retry-after", D::MailerLite},
    {"mailerlite", D::MailerLite},
    // ways to read that need no vendor: what the tolerant mode does anyway
    {"lenient-date", D::HttpRetryAfter},
    {"wrong-weekday", D::HttpRetryAfter},
    {"odd-leap-second", D::HttpRetryAfter},
    {"iso8601-retry-after", D::HttpRetryAfter},
    {"fractional-seconds", D::HttpRetryAfter},
    {"go-duration", D::HttpRetryAfter},
    {"duplicate-lines", D::HttpRetryAfter},
    {"date-relative", D::HttpRetryAfter},
    {"epoch-reset", D::GitHub},
    {"delta-reset", D::Zalando},
};

} // namespace

std::span<const DialectInfo> dialects()
{
    return kDialects;
}

const DialectInfo &info(Dialect dialect)
{
    return kDialects[static_cast<std::size_t>(dialect)];
}

std::optional<Dialect> dialectNamed(std::string_view name)
{
    const auto known = std::find_if(kDialects.begin(), kDialects.end(), [name](const DialectInfo &each) { return each.name == name; });
    if (known != kDialects.end())
        return known->id;
    const auto alias = std::find_if(std::begin(kAliases), std::end(kAliases), [name](const Alias &each) { return each.first == name; });
    return alias == std::end(kAliases) ? std::nullopt : std::optional{alias->second};
}

} // namespace throttlescope::signals
