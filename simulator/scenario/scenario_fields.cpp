// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/scenario_fields.h"

#include "simulator/scenario/loader.h"
#include "simulator/scenario/policy_fields.h"

namespace throttlescope {

const Codec<Scenario> &scenarioHeadCodec()
{
    static const Codec<Scenario> codec = recordCodec<Scenario>({
        readElsewhere<Scenario>({"throttlescope", "Version of this format.",
            otherSchema(fmt::format(R"({{"const":{}}})", kScenarioVersion), std::to_string(kScenarioVersion)), true}),
        field("name", &Scenario::name, nameCodec(), "In one line; the file's name where absent."),
        field("summary", &Scenario::summary, textCodec(), "What it shows, in one sentence."),
        field("seed", &Scenario::seed, integerCodec<std::uint64_t>(0, std::numeric_limits<std::int64_t>::max()), "Of every draw."),
        field("start", &Scenario::start, momentCodec(), "Wall clock at t = 0: fixes dates and calendar windows."),
        field("stop_after", &Scenario::stopAfter, durationCodec(Duration{1}), "Nothing starts from here on; what is open ends unfinished."),
        readElsewhere<Scenario>({"servers", "The servers by name.", namedSchema(serverCodec().schema, "servers"), true}),
        readElsewhere<Scenario>({"timeline", "What happens when.", timelineCodec().schema}),
        readElsewhere<Scenario>({"policies", "The policies by name.", namedSchema(policyFileCodec().schema, "policies")}),
        readElsewhere<Scenario>({"workload", "Who calls what, when.", listSchema(workloadRowCodec().schema), true}),
        readElsewhere<Scenario>({"expect", "What must come of it.", expectSchema()}),
    });
    return codec;
}

} // namespace throttlescope
