// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/codec.h"

#include <string>

/// The field tables of a scenario's parts, one row a key. The policy's own table is policy_fields.h.
namespace throttlescope {

Codec<Headers> headerLinesCodec();
/// A method, read as upper case.
Codec<std::string> methodCodec();
Codec<Latency> latencyCodec();
/// A travel time: a duration, or one of the kinds that a latency has.
Codec<Distribution> hopCodec();
const Codec<OnLimit> &onLimitCodec();
/// Everything of a server but its name. A limit's own on_limit overlays the server's.
const Codec<Server> &serverCodec();
const Codec<std::vector<TimelineEntry>> &timelineCodec();
/// A workload row; the policy keys that overlay its policy are listed, not read.
const Codec<WorkloadRow> &workloadRowCodec();

/// `expect` is an open map of metrics; reads both what it says of metrics and its `decisions`.
SchemaPtr expectSchema();
bool readExpectations(const Node &node, Scenario &scenario, Problems &problems);

/// The top level: version, name, summary, seed, start, stop_after; the parts are maps or lists read on their own.
const Codec<Scenario> &scenarioHeadCodec();

} // namespace throttlescope
