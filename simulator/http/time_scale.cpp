// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/time_scale.h"

#include "core/engine/words.h"
#include "simulator/scenario/text_values.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <optional>
#include <vector>

namespace throttlescope::http {

namespace {

struct Spoken {
    std::string what;
    std::int64_t seconds;
};

/// Calls back for every delay that the file itself writes into a header.
void forEachHint(Server &server, const std::function<void(const std::string &where, std::string &text)> &visit)
{
    const auto literal = [&](const std::string &where, OnLimit &rules) {
        if (auto *written = std::get_if<LiteralRetryAfter>(&rules.retryAfter))
            visit(where, written->text);
    };
    literal(server.name + ".on_limit", server.onLimit);
    for (Limit &limit : server.limits) {
        if (limit.onLimit)
            literal(server.name + "." + limit.name + ".on_limit", *limit.onLimit);
    }
    for (ScriptEntry &entry : server.script) {
        for (HeaderField &field : entry.answer.headers) {
            if (sameHeaderName(field.name, "Retry-After"))
                visit(server.name + ".script", field.value);
        }
    }
}

/// Everything that must stay a whole number of seconds. Windows below a second never were one, and have no header to fill.
std::vector<Spoken> spokenIn(Scenario &scenario)
{
    std::vector<Spoken> all;
    for (Server &server : scenario.servers) {
        for (const Limit &limit : server.limits) {
            const auto seconds = std::chrono::floor<std::chrono::seconds>(limit.per.length).count();
            if (seconds > 0 && limit.per.length % std::chrono::seconds{1} == Duration::zero())
                all.push_back(
                    {fmt::format("the window '{}' of {} ({})", limit.name, server.name, durationText(limit.per.length)), seconds});
        }
        forEachHint(server, [&all](const std::string &where, std::string &text) {
            if (const auto seconds = parseDigits(text); seconds && *seconds > 0)
                all.push_back({fmt::format("the Retry-After: {} of {}", text, where), *seconds});
        });
    }
    return all;
}

} // namespace

tl::expected<Scenario, std::string> scaledForClients(const Scenario &scenario, std::int64_t scale)
{
    Scenario scaled = scenario;
    const std::vector<Spoken> all = spokenIn(scaled);
    std::int64_t common = 0;
    const Spoken *broken = nullptr;
    for (const Spoken &spoken : all) {
        common = std::gcd(common, spoken.seconds);
        if (!broken && spoken.seconds % scale != 0)
            broken = &spoken;
    }
    if (broken) {
        std::int64_t nearest = 1;
        for (std::int64_t candidate = 1; candidate <= std::min<std::int64_t>(common, 2 * scale); ++candidate) {
            if (common % candidate == 0 && std::abs(candidate - scale) < std::abs(nearest - scale))
                nearest = candidate;
        }
        return tl::unexpected(fmt::format("--time-scale {}: {} would be no whole number of seconds; the nearest that works is {}{}", scale,
            broken->what, nearest, nearest == 1 ? ", which is none: `run --live` scales the client, too" : ""));
    }
    for (Server &server : scaled.servers) {
        forEachHint(server, [scale](const std::string &, std::string &text) {
            if (const auto seconds = parseDigits(text))
                text = std::to_string(*seconds / scale);
        });
    }
    return scaled;
}

} // namespace throttlescope::http
