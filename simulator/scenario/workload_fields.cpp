// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/scenario_fields.h"

#include <cctype>

namespace throttlescope {

Codec<Headers> headerLinesCodec();

namespace {

constexpr std::int64_t kManyTimes = 1'000'000'000;

Codec<std::vector<FaultShare>> faultsCodec()
{
    const Codec<double> percent = percentCodec();
    const auto readShare = [percent](const Node::Entry &entry, FaultShare &fault, Problems &problems) {
        const std::vector<std::pair<std::string, FaultKind>> kinds{{"reset", FaultKind::Reset}, {"timeout", FaultKind::Timeout}, {"truncate", FaultKind::Truncate}, {"slow", FaultKind::Slow}};
        const auto named = std::find_if(kinds.begin(), kinds.end(), [&entry](const auto &kind) { return kind.first == entry.key; });
        const auto status = parseInteger(entry.key);
        if (named != kinds.end()) {
            fault.kind = named->second;
        } else if (status && *status >= 400 && *status <= 599) {
            fault.status = static_cast<int>(*status);
        } else {
            problems.add(entry.value.origin ? *entry.value.origin : "", entry.mark, fmt::format("unknown fault '{}'{}", entry.key, suggestion(entry.key, {"a status from 400 to 599", "reset", "timeout", "truncate", "slow"})));
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
            return refuse(node, problems, fmt::format("{}, expected refuse or a map such as {{503: 70%, reset: 5%}}", node.isScalar() ? "'" + node.text + "'" : std::string{node.kindName()}));
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
        for (const FaultShare &fault : faults)
            node.set(std::to_string(fault.status), percent.write(fault.share));
        return node;
    };
    return {read, write, std::make_shared<const Schema>(Schema{R"({"anyOf":[{"enum":["refuse"]},{"type":"object","additionalProperties":{"type":"string","pattern":"^[0-9.]+%$"}}]})", "refuse, or a map such as {503: 70%, reset: 5%}", {}})};
}

Codec<std::vector<TimelineEntry>> makeTimelineCodec()
{
    Codec<TimelineEntry> entry = recordCodec<TimelineEntry>({
        required("at", &TimelineEntry::at, durationCodec(), "When it begins."),
        field("for", &TimelineEntry::span, durationCodec(Duration{1}), "How long it lasts, half open."),
        field("label", &TimelineEntry::label, textCodec(), "Marks the span in journal and dashboard."),
        field("server", &TimelineEntry::server, textCodec(), "Whose faults they are."),
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
        field("count", &RateArrivals::count, integerCodec<std::uint64_t>(0, kManyTimes), "How many."),
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
        mapAlternative<Arrivals, BatchArrivals>("batch", recordCodec<BatchArrivals>({required("batch", &BatchArrivals::count, integerCodec<std::uint64_t>(0, kManyTimes), "So many at once.")})),
        mapAlternative<Arrivals, RateArrivals>("rate", rate),
        mapAlternative<Arrivals, WorkerArrivals>("workers", recordCodec<WorkerArrivals>({
            required("workers", &WorkerArrivals::workers, integerCodec<int>(1, 1'000'000), "Closed loop: each starts its next when its last one ended."),
            required("count", &WorkerArrivals::count, integerCodec<std::uint64_t>(0, kManyTimes), "How many in all."),
        })),
        mapAlternative<Arrivals, TraceArrivals>("trace", recordCodec<TraceArrivals>({required("trace", &TraceArrivals::file, textCodec(), "CSV: at,operation, then any of server,method,class,idempotent,units,key.")})),
    });
}

Codec<std::string> methodCodec()
{
    Codec<std::string> codec = textCodec();
    const auto readText = codec.read;
    codec.read = [readText](const Node &node, std::string &method, Problems &problems) {
        if (!readText(node, method, problems))
            return false;
        if (!std::all_of(method.begin(), method.end(), [](unsigned char c) { return std::isalpha(c) != 0; }))
            return refuse(node, problems, fmt::format("'{}' is no method, expected one such as GET or POST", method));
        std::transform(method.begin(), method.end(), method.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        return true;
    };
    return codec;
}

Codec<WorkloadRow> makeWorkloadRowCodec()
{
    const auto classes = wordsCodec<OperationClass>({{"read", OperationClass::Read}, {"write", OperationClass::Write}, {"action", OperationClass::Action}, {"probe", OperationClass::Probe}});
    const auto replay = wordsCodec<ReplayRule>({{"safe", ReplayRule::Safe}, {"limited", ReplayRule::Limited}, {"never", ReplayRule::Never}});
    return recordCodec<WorkloadRow>({
        required("operation", &WorkloadRow::operation, textCodec(), "Name of the operation."),
        required("server", &WorkloadRow::server, textCodec(), "Whom it calls."),
        field("method", &WorkloadRow::method, methodCodec(), "HTTP method; sent as GET where not declared."),
        field("path", &WorkloadRow::path, textCodec(), "Of the request."),
        field("class", &WorkloadRow::operationClass, classes, "read, write, action or probe."),
        field("idempotent", &WorkloadRow::idempotent, truthCodec(), "Whether a second execution does no harm."),
        field("replay", &WorkloadRow::callReplay, replay, "The call's own replay rule."),
        field("units", &WorkloadRow::units, integerCodec<std::uint64_t>(0, kManyTimes), "What it costs where units count."),
        field("streaming", &WorkloadRow::streaming, truthCodec(), "The body is handed on as it comes."),
        field("policy", &WorkloadRow::policyName, textCodec(), "A policy or a preset; none where absent."),
        field("headers", &WorkloadRow::headers, headerLinesCodec(), "Header lines of the request."),
        field("clients", &WorkloadRow::clients, integerCodec<int>(1, 100'000), "Processes that each do all of this, with scopes of their own."),
        field("start_at", &WorkloadRow::startAt, durationCodec(), "When the first operation starts."),
        field("cancel_after", &WorkloadRow::cancelAfter, durationCodec(), "The caller gives up after this."),
        field("fallback", &WorkloadRow::fallback, textCodec(), "Row that serves when this one is refused."),
        field("on_demand", &WorkloadRow::onDemand, truthCodec(), "Only serves as a fallback."),
        field("arrivals", &WorkloadRow::arrivals, arrivalsCodec(), "When operations start."),
    });
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
