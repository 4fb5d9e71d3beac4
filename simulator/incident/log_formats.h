// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/line_reader.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace throttlescope::incident {

/// The specific ones before the general: where two read a log equally well, the first one is meant.
enum class LogFormat {
    NginxLogFormat, ///< `ReaderOptions::logFormat`
    Har,
    Journal,
    EnvoyJson,
    Caddy,
    TraefikJson,
    JsonLines,
    NginxError,
    EnvoyText,
    AwsAlb,
    TraefikClf,
    Combined,
};
inline constexpr int kLogFormats = static_cast<int>(LogFormat::Combined) + 1;

struct FormatChoice {
    LogFormat format = LogFormat::Combined;
    bool cri = false; ///< behind a container runtime's prefix

    bool operator==(const FormatChoice &) const = default;
};

/// What `--format` takes: "combined", "envoy-json", "cri-envoy-json".
std::string formatName(FormatChoice format);
/// For people: "nginx combined", "Envoy JSON behind a CRI prefix".
std::string formatTitle(FormatChoice format);
/// The error names those there are.
tl::expected<FormatChoice, std::string> formatNamed(std::string_view name);

/// Of lines; of a HAR, one of its entries. The error is that of a `log_format` that cannot be read.
tl::expected<std::unique_ptr<LineReader>, std::string> makeReader(FormatChoice format, const ReaderOptions &options);

/// A log's first lines, none of them empty.
struct HeadLine {
    std::string text;
    std::uint64_t line = 0;
    bool tooLong = false;
};
struct LogHead {
    std::string bytes; ///< the first 64 KiB, expanded
    std::vector<HeadLine> lines; ///< up to 100
};

/// The format that reads most of the lines. The error says what is nearest, and where that fails.
tl::expected<FormatChoice, std::string> detectFormat(const LogHead &head, const ReaderOptions &options);
/// What speaks against a format that somebody named; empty where it reads the log as well as any.
std::string objection(FormatChoice named, const LogHead &head, const ReaderOptions &options);

} // namespace throttlescope::incident
