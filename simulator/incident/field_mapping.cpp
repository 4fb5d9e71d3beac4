// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/line_reader.h"

#include "core/engine/outcome.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace throttlescope::incident {

namespace {

constexpr std::array<std::pair<std::string_view, FieldRole>, 12> kRoleNames{{
    {"time", FieldRole::Time},
    {"start", FieldRole::Start},
    {"duration", FieldRole::Duration},
    {"status", FieldRole::Status},
    {"method", FieldRole::Method},
    {"host", FieldRole::Host},
    {"path", FieldRole::Path},
    {"request", FieldRole::Request},
    {"client", FieldRole::Client},
    {"request_size", FieldRole::RequestSize},
    {"upstream_status", FieldRole::UpstreamStatus},
    {"correlation", FieldRole::Correlation},
}};

constexpr std::array<std::pair<std::string_view, EpochUnit>, 4> kUnitEndings{{
    {":s", EpochUnit::Seconds},
    {":ms", EpochUnit::Milliseconds},
    {":us", EpochUnit::Microseconds},
    {":ns", EpochUnit::Nanoseconds},
}};

} // namespace

tl::expected<FieldMapping, std::string> fieldMapping(std::string_view text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals + 1 >= text.size())
        return tl::unexpected(fmt::format("field '{}': expected NAME=KEY, as status=code", text.substr(0, 60)));
    const std::string_view name = text.substr(0, equals);
    FieldMapping mapping;
    mapping.key = text.substr(equals + 1);
    bool known = false;
    for (const auto &[word, role] : kRoleNames) {
        if (word == name) {
            mapping.role = role;
            known = true;
        }
    }
    if (name.starts_with("header.") && isToken(name.substr(7))) {
        mapping.role = FieldRole::Header;
        for (const char c : name.substr(7))
            mapping.header.push_back(lowered(c));
        known = true;
    }
    if (!known) {
        return tl::unexpected(fmt::format("field '{}': expected one of time, start, duration, status, method, host, path, request, client, "
                                          "request_size, upstream_status, correlation, header.NAME",
            name.substr(0, 60)));
    }
    if (mapping.role == FieldRole::Time || mapping.role == FieldRole::Start || mapping.role == FieldRole::Duration) {
        for (const auto &[ending, unit] : kUnitEndings) {
            if (mapping.key.size() > ending.size() && std::string_view{mapping.key}.ends_with(ending)) {
                mapping.unit = unit;
                mapping.key.resize(mapping.key.size() - ending.size());
                break;
            }
        }
    }
    return mapping;
}

} // namespace throttlescope::incident
