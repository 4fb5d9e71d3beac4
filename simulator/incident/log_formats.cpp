// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_formats.h"

#include "simulator/incident/access_lines.h"
#include "simulator/incident/cri_lines.h"
#include "simulator/incident/json_lines.h"
#include "simulator/incident/log_format.h"
#include "simulator/scenario/problems.h"

#include <array>
#include <fmt/format.h>

namespace throttlescope::incident {

namespace {

struct FormatRow {
    LogFormat format;
    std::string_view name;
    std::string_view title;
    std::string_view alias; ///< what people call it
};

constexpr std::array<FormatRow, kLogFormats> kRows{{
    {LogFormat::NginxLogFormat, "log-format", "the given log_format", ""},
    {LogFormat::Har, "har", "HAR", ""},
    {LogFormat::Journal, "journal", "journal", "throttlescope"},
    {LogFormat::EnvoyJson, "envoy-json", "Envoy JSON", "istio"},
    {LogFormat::Caddy, "caddy", "Caddy JSON", "caddy-json"},
    {LogFormat::TraefikJson, "traefik-json", "Traefik JSON", "traefik"},
    {LogFormat::JsonLines, "json", "JSON Lines", "jsonl"},
    {LogFormat::NginxError, "nginx-error", "nginx error log", "error"},
    {LogFormat::EnvoyText, "envoy", "Envoy text", "envoy-text"},
    {LogFormat::AwsAlb, "alb", "AWS ALB", "aws-alb"},
    {LogFormat::TraefikClf, "traefik-clf", "Traefik CLF", ""},
    {LogFormat::Combined, "combined", "nginx combined", "nginx"},
}};

const FormatRow &rowOf(LogFormat format)
{
    return kRows[static_cast<std::size_t>(format)];
}

constexpr std::string_view kCri = "cri-";

} // namespace

std::string formatName(FormatChoice format)
{
    return fmt::format("{}{}", format.cri ? kCri : "", rowOf(format.format).name);
}

std::string formatTitle(FormatChoice format)
{
    return fmt::format("{}{}", rowOf(format.format).title, format.cri ? " behind a CRI prefix" : "");
}

tl::expected<FormatChoice, std::string> formatNamed(std::string_view name)
{
    FormatChoice choice;
    std::string_view bare = name;
    if (bare.starts_with(kCri)) {
        choice.cri = true;
        bare.remove_prefix(kCri.size());
    }
    std::vector<std::string> known;
    for (const FormatRow &row : kRows) {
        choice.format = row.format;
        const bool possible = !choice.cri || row.format != LogFormat::Har;
        if (possible && !bare.empty() && (bare == row.name || bare == row.alias || (bare == "apache" && row.format == LogFormat::Combined)))
            return choice;
        known.emplace_back(row.name);
    }
    return tl::unexpected(fmt::format("unknown format '{}'{}", shown(name), suggestion(name, known)));
}

tl::expected<std::unique_ptr<LineReader>, std::string> makeReader(FormatChoice format, const ReaderOptions &options)
{
    std::unique_ptr<LineReader> reader;
    switch (format.format) {
    case LogFormat::NginxLogFormat: {
        auto made = logFormatReader(options);
        if (!made)
            return made;
        reader = std::move(*made);
        break;
    }
    case LogFormat::Har: return harEntryReader(options);
    case LogFormat::Journal: reader = journalReader(options); break;
    case LogFormat::EnvoyJson: reader = envoyJsonReader(options); break;
    case LogFormat::Caddy: reader = caddyReader(options); break;
    case LogFormat::TraefikJson: reader = traefikJsonReader(options); break;
    case LogFormat::JsonLines: reader = jsonLinesReader(options); break;
    case LogFormat::NginxError: reader = nginxErrorReader(options); break;
    case LogFormat::EnvoyText: reader = envoyTextReader(options); break;
    case LogFormat::AwsAlb: reader = awsAlbReader(options); break;
    case LogFormat::TraefikClf: reader = traefikClfReader(options); break;
    case LogFormat::Combined: reader = combinedReader(options); break;
    }
    return format.cri ? criReader(std::move(reader)) : std::move(reader);
}

} // namespace throttlescope::incident
