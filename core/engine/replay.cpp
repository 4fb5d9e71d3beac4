// SPDX-License-Identifier: Apache-2.0
#include "core/engine/replay.h"

#include "core/engine/words.h"

#include <array>
#include <fmt/format.h>

namespace throttlescope {

namespace {

bool isEffect(const ReplayFacts &facts)
{
    return facts.operationClass == OperationClass::Action || facts.operationClass == OperationClass::Probe;
}

bool isSafeMethod(const ReplayFacts &facts)
{
    return facts.method == "GET" || facts.method == "HEAD" || facts.method == "OPTIONS";
}

struct Row {
    std::string_view because;
    bool (*matches)(const ReplayFacts &);
    ReplayRule (*rule)(const ReplayFacts &);
};

ReplayRule never(const ReplayFacts &)
{
    return ReplayRule::Never;
}

ReplayRule safe(const ReplayFacts &)
{
    return ReplayRule::Safe;
}

// DESIGN.md section 4, rule 4; the first row that matches decides.
constexpr std::array<Row, 8> kTable{{
    {"class action or probe", isEffect, never},
    {"the call's own replay", [](const ReplayFacts &facts) { return facts.callReplay.has_value(); },
        [](const ReplayFacts &facts) { return *facts.callReplay; }},
    {"idempotent: false", [](const ReplayFacts &facts) { return facts.idempotent == false; }, never},
    {"the policy's replay", [](const ReplayFacts &facts) { return facts.policyReplay.has_value(); },
        [](const ReplayFacts &facts) { return *facts.policyReplay; }},
    {"idempotent: true", [](const ReplayFacts &facts) { return facts.idempotent == true; }, safe},
    {"class write: the policy's writes", [](const ReplayFacts &facts) { return facts.operationClass == OperationClass::Write; },
        [](const ReplayFacts &facts) { return facts.policyWrites; }},
    {"class read, GET, HEAD or OPTIONS",
        [](const ReplayFacts &facts) { return facts.operationClass == OperationClass::Read || isSafeMethod(facts); }, safe},
    {"nothing declared", [](const ReplayFacts &) { return true; }, never},
}};

} // namespace

tl::expected<DerivedReplay, std::string> deriveReplay(const ReplayFacts &facts)
{
    if (isEffect(facts) && facts.callReplay && *facts.callReplay != ReplayRule::Never)
        return tl::unexpected(
            fmt::format("class {} is never replayed, 'replay: {}' cannot raise it", word(*facts.operationClass), word(*facts.callReplay)));
    for (const Row &row : kTable) {
        if (row.matches(facts))
            return DerivedReplay{row.rule(facts), row.because};
    }
    return DerivedReplay{ReplayRule::Never, kTable.back().because};
}

} // namespace throttlescope
