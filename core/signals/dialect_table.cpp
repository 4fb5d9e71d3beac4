// SPDX-License-Identifier: Apache-2.0
#include "core/signals/dialects.h"

namespace throttlescope::signals {

namespace {

using enum Role;
using D = Dialect;
using F = Form;

constexpr std::int32_t kMinute = 60, kDay = 86'400;

// Sources: the vendors' documentation and their clients' trackers, 2026. Rows of one dialect stand together.
constexpr DialectRow kRows[] = {
    {D::HttpRetryAfter, "Retry-After", RetryAfter, F::SecondsOrDate},
    {D::HttpRetryAfter, "Age", Age, F::Seconds},

    // draft-ietf-httpapi-ratelimit-headers, -00 to -03: policies behind the limit.
    {D::IetfTriple03, "RateLimit-Limit", Limit, F::CountAndPolicies},
    {D::IetfTriple03, "RateLimit-Remaining", Remaining, F::Count},
    {D::IetfTriple03, "RateLimit-Reset", Reset, F::Seconds},
    // -04 to -06: policies in a field of their own.
    {D::IetfTriple06, "RateLimit-Limit", Limit, F::Count},
    {D::IetfTriple06, "RateLimit-Remaining", Remaining, F::Count},
    {D::IetfTriple06, "RateLimit-Reset", Reset, F::Seconds},
    {D::IetfTriple06, "RateLimit-Policy", Policy, F::List},
    // -07, and -08 to -10
    {D::IetfCombined07, "RateLimit", State, F::Dictionary},
    {D::IetfCombined07, "RateLimit-Policy", Policy, F::List},
    {D::IetfList10, "RateLimit", State, F::List},
    {D::IetfList10, "RateLimit-Policy", Policy, F::List},

    {D::GitHub, "x-ratelimit-limit", Limit, F::Count},
    {D::GitHub, "x-ratelimit-remaining", Remaining, F::Count},
    {D::GitHub, "x-ratelimit-used", Used, F::Count},
    {D::GitHub, "x-ratelimit-reset", Reset, F::EpochSeconds},
    {D::GitHub, "x-ratelimit-resource", Name, F::Word},
    {D::GitHub, "x-github-request-id", Mark, F::Word},

    {D::OpenAi, "x-ratelimit-limit-requests", Limit, F::Count, "requests"},
    {D::OpenAi, "x-ratelimit-remaining-requests", Remaining, F::Count, "requests"},
    {D::OpenAi, "x-ratelimit-reset-requests", Reset, F::UnitDuration, "requests"},
    {D::OpenAi, "x-ratelimit-limit-tokens", Limit, F::Count, "tokens"},
    {D::OpenAi, "x-ratelimit-remaining-tokens", Remaining, F::Count, "tokens"},
    {D::OpenAi, "x-ratelimit-reset-tokens", Reset, F::UnitDuration, "tokens"},
    {D::OpenAi, "x-ratelimit-limit-tokens_usage_based", Limit, F::Count, "tokens_usage_based"},
    {D::OpenAi, "x-ratelimit-remaining-tokens_usage_based", Remaining, F::Count, "tokens_usage_based"},
    {D::OpenAi, "x-ratelimit-reset-tokens_usage_based", Reset, F::UnitDuration, "tokens_usage_based"},
    {D::OpenAi, "retry-after-ms", RetryAfter, F::Milliseconds},

    {D::Anthropic, "anthropic-ratelimit-*-limit", Limit, F::Count, "*"},
    {D::Anthropic, "anthropic-ratelimit-*-remaining", Remaining, F::Count, "*"},
    {D::Anthropic, "anthropic-ratelimit-*-reset", Reset, F::Iso8601, "*"},
    {D::Anthropic, "anthropic-ratelimit-unified-status", Mark, F::Word},

    {D::AzureOpenAi, "retry-after-ms", RetryAfter, F::Milliseconds},
    {D::AzureOpenAi, "x-ms-retry-after-ms", RetryAfter, F::Milliseconds},
    {D::AzureOpenAi, "x-ratelimit-limit-requests", Limit, F::Count, "requests"},
    {D::AzureOpenAi, "x-ratelimit-remaining-requests", Remaining, F::Count, "requests"},
    {D::AzureOpenAi, "x-ratelimit-reset-requests", Reset, F::Seconds, "requests"},
    {D::AzureOpenAi, "x-ratelimit-limit-tokens", Limit, F::Count, "tokens"},
    {D::AzureOpenAi, "x-ratelimit-remaining-tokens", Remaining, F::Count, "tokens"},
    {D::AzureOpenAi, "x-ratelimit-reset-tokens", Reset, F::Seconds, "tokens"},

    {D::AzureResourceManager, "x-ms-ratelimit-remaining-*", Remaining, F::Count, "*"},
    {D::AzureResourceManager, "x-ms-ratelimit-remaining-resource", Counters, F::NamedCounts},
    {D::AzureResourceManager, "x-ms-request-charge", Mark, F::Count},

    {D::XTwitter, "x-rate-limit-limit", Limit, F::Count},
    {D::XTwitter, "x-rate-limit-remaining", Remaining, F::Count},
    {D::XTwitter, "x-rate-limit-reset", Reset, F::EpochSeconds},
    {D::XTwitter, "x-user-limit-24hour-limit", Limit, F::Count, "user-24hour", kDay},
    {D::XTwitter, "x-user-limit-24hour-remaining", Remaining, F::Count, "user-24hour", kDay},
    {D::XTwitter, "x-user-limit-24hour-reset", Reset, F::EpochSeconds, "user-24hour", kDay},
    {D::XTwitter, "x-app-limit-24hour-limit", Limit, F::Count, "app-24hour", kDay},
    {D::XTwitter, "x-app-limit-24hour-remaining", Remaining, F::Count, "app-24hour", kDay},
    {D::XTwitter, "x-app-limit-24hour-reset", Reset, F::EpochSeconds, "app-24hour", kDay},

    {D::Discord, "X-RateLimit-Limit", Limit, F::Count},
    {D::Discord, "X-RateLimit-Remaining", Remaining, F::Count},
    {D::Discord, "X-RateLimit-Reset", Reset, F::EpochSeconds},
    {D::Discord, "X-RateLimit-Reset-After", Reset, F::Seconds},
    {D::Discord, "X-RateLimit-Bucket", Name, F::Word},
    {D::Discord, "X-RateLimit-Global", Mark, F::Word},
    {D::Discord, "X-RateLimit-Scope", Mark, F::Word},
    {D::DiscordV6, "Retry-After", RetryAfter, F::Milliseconds, {}, 0, true},
    {D::DiscordV6, "X-RateLimit-Reset", Reset, F::EpochSeconds},

    {D::Shopify, "X-Shopify-Shop-Api-Call-Limit", Counters, F::UsedOfLimit},
    {D::Shopify, "HTTP_X_SHOPIFY_SHOP_API_CALL_LIMIT", Counters, F::UsedOfLimit},
    {D::Stripe, "Stripe-Rate-Limited-Reason", Mark, F::Word},
    {D::Stripe, "Stripe-Should-Retry", Mark, F::Word},

    {D::Atlassian, "X-RateLimit-Limit", Limit, F::Count},
    {D::Atlassian, "X-RateLimit-Remaining", Remaining, F::Count},
    {D::Atlassian, "X-RateLimit-Reset", Reset, F::Iso8601},
    {D::Atlassian, "X-RateLimit-NearLimit", Mark, F::Word},
    {D::Atlassian, "RateLimit-Reason", Mark, F::Word},

    {D::GitLab, "RateLimit-Limit", Limit, F::Count},
    {D::GitLab, "RateLimit-Observed", Used, F::Count, {}, kMinute}, // limits are scaled to a minute
    {D::GitLab, "RateLimit-Remaining", Remaining, F::Count},
    {D::GitLab, "RateLimit-Reset", Reset, F::EpochSeconds},
    {D::GitLab, "RateLimit-ResetTime", Reset, F::HttpDate},
    {D::GitLab, "RateLimit-Name", Name, F::Word},

    {D::Zendesk, "X-Rate-Limit", Limit, F::Count},
    {D::Zendesk, "X-Rate-Limit-Remaining", Remaining, F::Count},
    {D::Zendesk, "ratelimit-limit", Limit, F::Count},
    {D::Zendesk, "ratelimit-remaining", Remaining, F::Count},
    {D::Zendesk, "ratelimit-reset", Reset, F::Seconds},
    {D::Zendesk, "zendesk-ratelimit-*", Counters, F::TotalRemainingResets, "*"},

    {D::HubSpot, "X-HubSpot-RateLimit-Daily", Limit, F::Count, "daily", kDay},
    {D::HubSpot, "X-HubSpot-RateLimit-Daily-Remaining", Remaining, F::Count, "daily", kDay},
    {D::HubSpot, "X-HubSpot-RateLimit-Interval-Milliseconds", Length, F::Milliseconds, "interval"},
    {D::HubSpot, "X-HubSpot-RateLimit-Max", Limit, F::Count, "interval"},
    {D::HubSpot, "X-HubSpot-RateLimit-Remaining", Remaining, F::Count, "interval"},
    {D::HubSpot, "X-HubSpot-RateLimit-Secondly", Limit, F::Count, "secondly", 1},
    {D::HubSpot, "X-HubSpot-RateLimit-Secondly-Remaining", Remaining, F::Count, "secondly", 1},
    {D::HubSpot, "X-RateLimit-Interval-Milliseconds", Length, F::Milliseconds, "interval"},
    {D::HubSpot, "X-RateLimit-Max", Limit, F::Count, "interval"},
    {D::HubSpot, "X-RateLimit-Limit-Daily", Limit, F::Count, "daily", kDay},
    {D::HubSpot, "X-RateLimit-Daily-Remaining", Remaining, F::Count, "daily", kDay},

    {D::Salesforce, "Sforce-Limit-Info", Counters, F::NamedUsedOfLimit, {}, kDay},

    {D::Cloudflare, "Ratelimit", State, F::List},
    {D::Cloudflare, "Ratelimit-Policy", Policy, F::List},

    // Kong behind it; the single reset of four windows is the minute's.
    {D::Saia, "x-ratelimit-limit-minute", Limit, F::Count, "minute"},
    {D::Saia, "x-ratelimit-limit-hour", Limit, F::Count, "hour"},
    {D::Saia, "x-ratelimit-limit-day", Limit, F::Count, "day"},
    {D::Saia, "x-ratelimit-limit-month", Limit, F::Count, "month"},
    {D::Saia, "x-ratelimit-remaining-minute", Remaining, F::Count, "minute"},
    {D::Saia, "x-ratelimit-remaining-hour", Remaining, F::Count, "hour"},
    {D::Saia, "x-ratelimit-remaining-day", Remaining, F::Count, "day"},
    {D::Saia, "x-ratelimit-remaining-month", Remaining, F::Count, "month"},
    {D::Saia, "x-ratelimit-limit-*", Limit, F::Count, "*", 0, true}, // Kong's, where another window is configured
    {D::Saia, "x-ratelimit-remaining-*", Remaining, F::Count, "*", 0, true},
    {D::Saia, "ratelimit-reset", SharedReset, F::Seconds},

    {D::Kong, "X-RateLimit-Limit-*", Limit, F::Count, "*"}, // a unit, or a number of seconds
    {D::Kong, "X-RateLimit-Remaining-*", Remaining, F::Count, "*"},
    {D::Kong, "X-RateLimit-Limit-Minute", Limit, F::Count, "minute"},
    {D::Kong, "X-RateLimit-Limit-Hour", Limit, F::Count, "hour"},
    {D::Kong, "X-RateLimit-Limit-Day", Limit, F::Count, "day"},
    {D::Kong, "X-RateLimit-Limit-Month", Limit, F::Count, "month"},
    {D::Kong, "X-RateLimit-Remaining-Minute", Remaining, F::Count, "minute"},
    {D::Kong, "X-RateLimit-Remaining-Hour", Remaining, F::Count, "hour"},
    {D::Kong, "X-RateLimit-Remaining-Day", Remaining, F::Count, "day"},
    {D::Kong, "X-RateLimit-Remaining-Month", Remaining, F::Count, "month"},
    {D::Kong, "RateLimit-Limit", Limit, F::Count},
    {D::Kong, "RateLimit-Remaining", Remaining, F::Count},
    {D::Kong, "RateLimit-Reset", Reset, F::Seconds},

    {D::Envoy, "x-ratelimit-limit", Limit, F::Count},
    {D::Envoy, "x-ratelimit-remaining", Remaining, F::Count},
    {D::Envoy, "x-ratelimit-reset", Reset, F::Seconds},
    {D::Envoy, "x-envoy-ratelimited", Mark, F::Word},

    {D::Kubernetes, "X-Kubernetes-PF-FlowSchema-UID", Mark, F::Word},
    {D::Kubernetes, "X-Kubernetes-PF-PriorityLevel-UID", Mark, F::Word},

    {D::DockerHubPull, "ratelimit-limit", Limit, F::CountAndLength},
    {D::DockerHubPull, "ratelimit-remaining", Remaining, F::CountAndLength},
    {D::DockerHubPull, "x-ratelimit-limit", Limit, F::Count},
    {D::DockerHubPull, "x-ratelimit-remaining", Remaining, F::Count},
    {D::DockerHubPull, "docker-ratelimit-source", Mark, F::Word},
    {D::DockerHubApi, "X-RateLimit-Limit", Limit, F::Count},
    {D::DockerHubApi, "X-RateLimit-Remaining", Remaining, F::Count},
    {D::DockerHubApi, "X-RateLimit-Reset", Reset, F::EpochSeconds},
    {D::DockerHubApi, "X-Retry-After", RetryAfter, F::EpochSeconds},
    {D::DockerHubApi, "Retry-After", RetryAfter, F::EpochSeconds, {}, 0, true},

    {D::Reddit, "X-Ratelimit-Used", Used, F::Count},
    {D::Reddit, "X-Ratelimit-Remaining", Remaining, F::Count},
    {D::Reddit, "X-Ratelimit-Reset", Reset, F::Seconds},
    {D::Okta, "X-Rate-Limit-Limit", Limit, F::Count},
    {D::Okta, "X-Rate-Limit-Remaining", Remaining, F::Count},
    {D::Okta, "X-Rate-Limit-Reset", Reset, F::EpochSeconds},

    {D::Linear, "X-RateLimit-*-Limit", Limit, F::Count, "*"},
    {D::Linear, "X-RateLimit-*-Remaining", Remaining, F::Count, "*"},
    {D::Linear, "X-RateLimit-*-Reset", Reset, F::EpochMilliseconds, "*"},
    {D::Linear, "X-RateLimit-Endpoint-Name", Mark, F::Word},
    {D::Linear, "X-Complexity", Mark, F::Count},

    {D::Crossref, "X-Rate-Limit-Limit", Limit, F::Count},
    {D::Crossref, "X-Rate-Limit-Interval", Length, F::UnitDuration},
    {D::Crossref, "X-Concurrency-Limit", Limit, F::Count, "concurrency"},

    {D::Scaleway, "x-ratelimit-limit-requests", Limit, F::Count, "requests"},
    {D::Scaleway, "x-ratelimit-remaining-requests", Remaining, F::Count, "requests"},
    {D::Scaleway, "x-ratelimit-limit-tokens", Limit, F::Count, "tokens"},

    {D::Aws, "x-amz-retry-after", RetryAfter, F::WholeMilliseconds},

    {D::Twitch, "Ratelimit-Limit", Limit, F::Count},
    {D::Twitch, "Ratelimit-Remaining", Remaining, F::Count},
    {D::Twitch, "Ratelimit-Reset", Reset, F::EpochSeconds},

    {D::Mistral, "x-ratelimit-limit-req-minute", Limit, F::Count, "req-minute"},
    {D::Mistral, "x-ratelimit-remaining-req-minute", Remaining, F::Count, "req-minute"},
    {D::Mistral, "x-ratelimit-limit-tokens-minute", Limit, F::Count, "tokens-minute"},
    {D::Mistral, "x-ratelimit-remaining-tokens-minute", Remaining, F::Count, "tokens-minute"},
    {D::Mistral, "x-ratelimit-tokens-query-cost", Mark, F::Count},
    {D::Mistral, "ratelimitbysize-limit", Limit, F::Count},
    {D::Mistral, "ratelimitbysize-remaining", Remaining, F::Count},
    {D::Mistral, "ratelimitbysize-reset", Reset, F::Seconds},
    {D::Mistral, "ratelimitbysize-query-cost", Mark, F::Count},
    {D::Mistral, "x-ratelimitbysize-limit-*", Limit, F::Count, "*"},
    {D::Mistral, "x-ratelimitbysize-remaining-*", Remaining, F::Count, "*"},

    {D::Groq, "x-ratelimit-limit-requests", Limit, F::Count, "requests", kDay},
    {D::Groq, "x-ratelimit-remaining-requests", Remaining, F::Count, "requests", kDay},
    {D::Groq, "x-ratelimit-reset-requests", Reset, F::UnitDuration, "requests", kDay},
    {D::Groq, "x-ratelimit-limit-tokens", Limit, F::Count, "tokens", kMinute},
    {D::Groq, "x-ratelimit-remaining-tokens", Remaining, F::Count, "tokens", kMinute},
    {D::Groq, "x-ratelimit-reset-tokens", Reset, F::UnitDuration, "tokens", kMinute},

    {D::Cohere, "x-endpoint-monthly-call-limit", Limit, F::Count, "month", 30 * kDay},
    {D::Cohere, "x-trial-endpoint-call-limit", Limit, F::Count, "trial-endpoint-call"},
    {D::Cohere, "x-trial-endpoint-call-remaining", Remaining, F::Count, "trial-endpoint-call"},

    {D::Cerebras, "x-ratelimit-limit-requests-day", Limit, F::Count, "requests-day"},
    {D::Cerebras, "x-ratelimit-remaining-requests-day", Remaining, F::Count, "requests-day"},
    {D::Cerebras, "x-ratelimit-reset-requests-day", Reset, F::Seconds, "requests-day"},
    {D::Cerebras, "x-ratelimit-limit-tokens-minute", Limit, F::Count, "tokens-minute"},
    {D::Cerebras, "x-ratelimit-remaining-tokens-minute", Remaining, F::Count, "tokens-minute"},
    {D::Cerebras, "x-ratelimit-reset-tokens-minute", Reset, F::Seconds, "tokens-minute"},

    {D::Prisjakt, "X-Rate-Limit-Limit", Limit, F::Count},
    {D::Prisjakt, "X-Rate-Limit-Remaining", Remaining, F::Count},
    {D::Prisjakt, "X-Rate-Limit-Reset", Reset, F::Milliseconds, {}, 0, true},
    {D::RocketChat, "x-ratelimit-limit", Limit, F::Count},
    {D::RocketChat, "x-ratelimit-remaining", Remaining, F::Count},
    {D::RocketChat, "x-ratelimit-reset", Reset, F::EpochMilliseconds},
    {D::Lemlist, "X-RateLimit-Limit", Limit, F::Count},
    {D::Lemlist, "X-RateLimit-Remaining", Remaining, F::Count},
    {D::Lemlist, "X-RateLimit-Reset", Reset, F::JavaScriptDate},
    {D::MailerLite, "X-RateLimit-Limit", Limit, F::Count},
    {D::MailerLite, "X-RateLimit-Remaining", Remaining, F::Count},
    {D::MailerLite, "X-RateLimit-Reset", Reset, F::Iso8601},
    {D::MailerLite, "X-RateLimit-Retry-After", RetryAfter, F::Seconds},
    {D::Brevo, "x-sib-ratelimit-limit", Limit, F::Count},
    {D::Brevo, "x-sib-ratelimit-remaining", Remaining, F::Count},
    {D::Brevo, "x-sib-ratelimit-reset", Reset, F::Seconds},
    {D::Fastly, "Fastly-RateLimit-Remaining", Remaining, F::Count},
    {D::Fastly, "Fastly-RateLimit-Reset", Reset, F::EpochSeconds},
    {D::Akamai, "X-RateLimit-Limit", Limit, F::Count},
    {D::Akamai, "X-RateLimit-Remaining", Remaining, F::Count},
    {D::Akamai, "X-RateLimit-Next", Reset, F::Iso8601},
    {D::Turn, "X-RateLimit-Limit", Limit, F::Count},
    {D::Turn, "X-RateLimit-Remaining", Remaining, F::Count},
    {D::Turn, "X-Ratelimit-Bucket", Name, F::Word},
    {D::Turn, "X-Ratelimit-Reset", Reset, F::EpochSeconds},
    {D::Oxy, "X-Retry-In", RetryAfter, F::UnitDuration},
    {D::Apisix, "X-AI-RateLimit-Limit-*", Limit, F::Count, "*"},
    {D::Apisix, "X-AI-RateLimit-Remaining-*", Remaining, F::Count, "*"},
    {D::Apisix, "X-AI-RateLimit-Reset-*", Reset, F::Seconds, "*"},
    {D::Zalando, "X-RateLimit-Limit", Limit, F::Count},
    {D::Zalando, "X-RateLimit-Remaining", Remaining, F::Count},
    {D::Zalando, "X-RateLimit-Reset", Reset, F::Seconds},
    {D::IbmSva, "X-Rate-Limit-Policy", Name, F::Word},
    {D::IbmSva, "X-Rate-Limit-Remaining", Remaining, F::Count},
    {D::IbmSva, "X-Rate-Limit-Reset", Reset, F::EpochSeconds},

    {D::PerWindowReset, "X-RateLimit-Limit-*", Limit, F::Count, "*"},
    {D::PerWindowReset, "X-RateLimit-Remaining-*", Remaining, F::Count, "*"},
    {D::PerWindowReset, "X-RateLimit-Reset-*", Reset, F::EpochSeconds, "*"},
    {D::GenericIsoReset, "X-Rate-Limit-Limit", Limit, F::Count},
    {D::GenericIsoReset, "X-Rate-Limit-Remaining", Remaining, F::Count},
    {D::GenericIsoReset, "X-Rate-Limit-Reset", Reset, F::Iso8601},
    {D::GenericIsoReset, "X-Rate-Limit-Reset-After", Reset, F::Seconds},
    {D::GenericIsoReset, "X-Rate-Limit-Window", Length, F::Word},
    {D::GenericIsoReset, "ratelimit-reset-date", Reset, F::Iso8601},

    {D::Sentry, "X-Sentry-Rate-Limits", Counters, F::SecondsScopes},

    {D::Express, "X-RateLimit-Limit", Limit, F::Count},
    {D::Express, "X-RateLimit-Remaining", Remaining, F::Count},
    {D::Express, "X-RateLimit-Reset", Reset, F::EpochSeconds},
    {D::Express, "RateLimit", State, F::List},
    {D::Express, "RateLimit-Policy", Policy, F::List},
};

constexpr BodyRow kBodyRows[] = {
    {D::DiscordV6, "/retry_after", F::Milliseconds, true},
    {D::Matrix, "/retry_after_ms", F::Milliseconds},
    {D::Discord, "/retry_after", F::Seconds},
    {D::Kubernetes, "/details/retryAfterSeconds", F::Seconds},
    {D::GoogleRetryInfo, "/error/details/[@type=type.googleapis.com/google.rpc.RetryInfo]/retryDelay", F::UnitDuration},
    {D::GoogleRetryInfo, "/0/error/details/[@type=type.googleapis.com/google.rpc.RetryInfo]/retryDelay", F::UnitDuration},
};

} // namespace

std::span<const DialectRow> dialectRows()
{
    return kRows;
}

std::span<const BodyRow> bodyRows()
{
    return kBodyRows;
}

} // namespace throttlescope::signals
