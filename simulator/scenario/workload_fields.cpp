// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/policy_fields.h"
#include "simulator/scenario/scenario_fields.h"

#include <array>

namespace throttlescope {

namespace {

constexpr std::array<std::pair<std::string_view, FaultKind>, 4> kFaultWords{
    {{"reset", FaultKind::Reset}, {"timeout", FaultKind::Timeout}, {"truncate", FaultKind::Truncate}, {"slow", FaultKind::Slow}}};

std::string_view wordOf(FaultKind kind)
{
    const auto found = std::find_if(kFaultWords.begin(), kFaultWords.end(), [kind](const auto &each) { return each.second == kind; });
    return found == kFaultWords.end() ? std::string_view{} : found->first;
}

Codec<std::vector<FaultShare>> faultsCodec()
{
    const Codec<double> percent = percentCodec();
    const auto readShare = [percent](const Node::Entry &entry, FaultShare &fault, Problems &problems) {
        const auto named
            = std::find_if(kFaultWords.begin(), kFaultWords.end(), [&entry](const auto &kind) { return kind.first == entry.key; });
        const auto status = parseInteger(entry.key);
        if (named != kFaultWords.end()) {
            fault.kind = named->second;
        } else if (status && *status >= 400 && *status <= 599) {
            fault.status = static_cast<int>(*status);
        } else {
            problems.add(entry.value.origin ? *entry.value.origin : "", entry.mark,
                fmt::format("unknown fault '{}'{}", entry.key,
                    suggestion(entry.key, {"a status from 400 to 599", "reset", "timeout", "truncate", "slow"})));
            return false;
        }
        return percent.read(entry.value, fault.share, problems);
    };
    const auto read = [readShare](const Node &node, std::vector<FaultShare> &faults, Problems &problems) {
        if (node.isScalar() && node.text == "refuse") {
            faults = {{FaultKind::Refuse, 0, 1}};
            return true;
        }
        if (!node.isMap())
            return refuse(node, problems,
                fmt::format("{}, expected refuse or a map such as {{503: 70%, reset: 5%}}",
                    node.isScalar() ? "'" + shown(node.text) + "'" : std::string{node.kindName()}));
        bool good = true;
        double sum = 0;
        for (const Node::Entry &entry : node.entries) {
            FaultShare fault;
            good = readShare(entry, fault, problems) && good;
            sum += fault.share;
            faults.push_back(fault);
        }
        if (good && sum > 1 + 1e-9)
            return refuse(node, problems, fmt::format("faults add up to {}, expected at most 100%", percentText(sum)));
        return good;
    };
    const auto write = [percent](const std::vector<FaultShare> &faults) {
        Node node;
        node.kind = Node::Kind::Map;
        for (const FaultShare &fault : faults) {
            if (fault.kind == FaultKind::Refuse)
                return Node::scalar("refuse", true);
            node.set(fault.kind == FaultKind::Status ? std::to_string(fault.status) : std::string{wordOf(fault.kind)},
                percent.write(fault.share));
        }
        return node;
    };
    return {read, write,
        otherSchema(
            R"({"anyOf":[{"enum":["refuse"]},{"type":"object","additionalProperties":false,"patternProperties":{"^([45][0-9][0-9]|reset|timeout|truncate|slow)$":{"type":"string","pattern":"^[0-9.]+%$"}}}]})",
            "refuse, or a map such as {503: 70%, reset: 5%}")};
}

Codec<std::vector<TimelineEntry>> makeTimelineCodec()
{
    Codec<TimelineEntry> entry = recordCodec<TimelineEntry>({
        required("at", &TimelineEntry::at, durationCodec(), "When it begins."),
        field("for", &TimelineEntry::span, durationCodec(Duration{1}), "How long it lasts, half open."),
        field("label", &TimelineEntry::label, nameCodec(), "Marks the span in journal and dashboard."),
        field("server", &TimelineEntry::server, nameCodec(), "Whose faults they are."),
        field("faults", &TimelineEntry::faults, faultsCodec(), "Shares of requests that fail; overlapping entries add."),
    });
    const auto readFields = entry.read;
    entry.read = [readFields](const Node &node, TimelineEntry &value, Problems &problems) {
        value.mark = node.mark;
        if (!readFields(node, value, problems))
            return false;
        if (!value.faults.empty() && value.server.empty())
            return refuse(node, problems, "faults without a server, expected 'server: NAME'");
        if (!value.faults.empty() && !value.span)
            return refuse(node, problems, "faults without an end, expected 'for: DURATION'");
        if (value.faults.empty() && value.label.empty())
            return refuse(node, problems, "neither faults nor a label, expected one of them");
        return true;
    };
    return listCodec(entry);
}

Codec<Arrivals> arrivalsCodec()
{
    Codec<RateArrivals> rate = recordCodec<RateArrivals>({
        required("rate", &RateArrivals::rate, rateCodec(), "The first at start_at, then every 1/rate."),
        field("for", &RateArrivals::span, durationCodec(Duration{1}), "How long, half open."),
        field("count", &RateArrivals::count, integerCodec<std::uint64_t>(1, kManyTimes), "How many."),
        field("poisson", &RateArrivals::poisson, truthCodec(), "Exponential gaps with that mean."),
    });
    const auto readFields = rate.read;
    rate.read = [readFields](const Node &node, RateArrivals &value, Problems &problems) {
        if (!readFields(node, value, problems))
            return false;
        if (!value.span && !value.count)
            return refuse(node, problems, "a rate without an end, expected 'for' or 'count'");
        return true;
    };
    return variantCodec<Arrivals>({
        mapAlternative<Arrivals, BatchArrivals>("batch",
            recordCodec<BatchArrivals>(
                {required("batch", &BatchArrivals::count, integerCodec<std::uint64_t>(1, 1'000'000), "So many at once.")})),
        mapAlternative<Arrivals, RateArrivals>("rate", rate),
        mapAlternative<Arrivals, WorkerArrivals>("workers",
            recordCodec<WorkerArrivals>({
                required("workers", &WorkerArrivals::workers, integerCodec<int>(1, 1'000'000),
                    "Closed loop: each starts its next when its last one ended."),
                required("count", &WorkerArrivals::count, integerCodec<std::uint64_t>(1, kManyTimes), "How many in all."),
            })),
        mapAlternative<Arrivals, TraceArrivals>("trace",
            recordCodec<TraceArrivals>({required(
                "trace", &TraceArrivals::file, nameCodec(), "CSV: at,operation, then any of server,method,class,idempotent,units,key.")})),
    });
}

Codec<WorkloadRow> makeWorkloadRowCodec()
{
    const auto classes = wordsCodec<OperationClass>({{"read", OperationClass::Read}, {"write", OperationClass::Write},
        {"action", OperationClass::Action}, {"probe", OperationClass::Probe}});
    const auto replay
        = wordsCodec<ReplayRule>({{"safe", ReplayRule::Safe}, {"limited", ReplayRule::Limited}, {"never", ReplayRule::Never}});
    std::vector<Field<WorkloadRow>> fields{
        required("operation", &WorkloadRow::operation, nameCodec(), "Name of the operation."),
        required("server", &WorkloadRow::server, nameCodec(), "Whom it calls."),
        field("method", &WorkloadRow::method, methodCodec(), "HTTP method; sent as GET where not declared."),
        field("path", &WorkloadRow::path, nameCodec(), "Of the request."),
        field("class", &WorkloadRow::operationClass, classes, "read, write, action or probe."),
        field("idempotent", &WorkloadRow::idempotent, truthCodec(), "Whether a second execution does no harm."),
        field("replay", &WorkloadRow::callReplay, replay, "The call's own replay rule."),
        field("units", &WorkloadRow::units, integerCodec<std::uint64_t>(0, kManyTimes), "What it costs where units count."),
        field("streaming", &WorkloadRow::streaming, truthCodec(), "The body is handed on as it comes."),
        field("policy", &WorkloadRow::policyName, nameCodec(), "A policy or a preset; none where absent."),
        field("headers", &WorkloadRow::headers, headerLinesCodec(), "Header lines of the request."),
        field("clients", &WorkloadRow::clients, integerCodec<int>(1, 100'000),
            "Processes that each do all of this, with scopes of their own."),
        field("start_at", &WorkloadRow::startAt, durationCodec(), "When the first operation starts."),
        field("cancel_after", &WorkloadRow::cancelAfter, durationCodec(), "The caller gives up after this."),
        field("fallback", &WorkloadRow::fallback, nameCodec(), "Row that serves when this one is refused."),
        field("on_demand", &WorkloadRow::onDemand, truthCodec(), "Only serves as a fallback."),
        field("arrivals", &WorkloadRow::arrivals, arrivalsCodec(), "When operations start; required unless the row is on_demand."),
    };
    // Any other key of a policy overlays the row's; the loader takes them out of the row before it is read.
    for (const Schema::Field &row : policyFileCodec().schema->fields) {
        if (row.key != "preset" && row.key != "replay")
            fields.push_back(readElsewhere<WorkloadRow>(row));
    }
    Codec<WorkloadRow> codec = recordCodec<WorkloadRow>(fields);
    const auto readFields = codec.read;
    codec.read = [readFields](const Node &node, WorkloadRow &row, Problems &problems) {
        if (!readFields(node, row, problems))
            return false;
        const Node *arrivals = node.find("arrivals");
        const bool written = arrivals && arrivals->kind != Node::Kind::Null;
        if (!row.onDemand && !written)
            return refuse(arrivals ? *arrivals : node, problems, "'arrivals' is missing, expected it on a row that is not on_demand");
        if (row.onDemand && written)
            return refuse(*arrivals, problems, "'arrivals' on an on_demand row, expected none: it only serves as a fallback");
        return true;
    };
    return codec;
}

} // namespace

const Codec<std::vector<TimelineEntry>> &timelineCodec()
{
    static const Codec<std::vector<TimelineEntry>> codec = makeTimelineCodec();
    return codec;
}

const Codec<WorkloadRow> &workloadRowCodec()
{
    static const Codec<WorkloadRow> codec = makeWorkloadRowCodec();
    return codec;
}

} // namespace throttlescope
