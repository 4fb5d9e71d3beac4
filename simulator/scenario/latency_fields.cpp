// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/scenario_fields.h"

#include <algorithm>
#include <array>

namespace throttlescope {

namespace {

constexpr std::array<std::string_view, 2> kBesideTheKind{"per_concurrent", "abandoned"};

/// One kind of latency as a field of Latency: reading it chooses the kind.
template <typename Kind>
Field<Latency> latencyKind(std::string key, Codec<Kind> codec, std::string doc)
{
    return {std::move(key),
        [codec](const Node &node, Latency &latency, Problems &problems) {
            Kind value{};
            const bool good = codec.read(node, value, problems);
            latency.kind = value;
            return good;
        },
        [codec](const Latency &latency) {
            const Kind *value = std::get_if<Kind>(&latency.kind);
            return value ? std::optional{codec.write(*value)} : std::nullopt;
        },
        codec.schema, std::move(doc), false};
}

std::vector<Field<Latency>> latencyKinds()
{
    const Codec<Duration> duration = durationCodec();
    const Codec<FixedLatency> fixed{
        [duration](const Node &node, FixedLatency &value, Problems &problems) { return duration.read(node, value.value, problems); },
        [duration](const FixedLatency &value) { return duration.write(value.value); }, duration.schema};
    const Codec<ExponentialLatency> exponential{[duration](const Node &node, ExponentialLatency &value, Problems &problems) {
                                                    const Node *mean
                                                        = node.isMap() && node.entries.size() == 1 ? node.find("mean") : nullptr;
                                                    return duration.read(mean ? *mean : node, value.mean, problems);
                                                },
        [duration](const ExponentialLatency &value) { return duration.write(value.mean); }, duration.schema};
    return {
        latencyKind("fixed", fixed, "Always this."),
        latencyKind("uniform",
            recordCodec<UniformLatency>({required("min", &UniformLatency::min, duration, "The least."),
                required("max", &UniformLatency::max, duration, "The most.")}),
            "Uniform between min and max."),
        latencyKind("normal",
            recordCodec<NormalLatency>({required("mean", &NormalLatency::mean, duration, "The mean."),
                required("deviation", &NormalLatency::deviation, duration, "The standard deviation.")}),
            "Normal, cut at 0."),
        latencyKind("lognormal",
            recordCodec<LognormalLatency>({required("median", &LognormalLatency::median, durationCodec(Duration{1}), "Half are faster."),
                required("p99", &LognormalLatency::p99, durationCodec(Duration{1}), "One in a hundred is slower.")}),
            "Lognormal by median and 99th percentile."),
        latencyKind("exponential", exponential, "Exponential with this mean."),
    };
}

bool checkKind(const Node &node, const Latency &latency, Problems &problems)
{
    const auto kinds = std::count_if(node.entries.begin(), node.entries.end(), [](const Node::Entry &entry) {
        return std::find(kBesideTheKind.begin(), kBesideTheKind.end(), entry.key) == kBesideTheKind.end();
    });
    if (kinds > 1)
        return refuse(node, problems, "several kinds of latency, expected one of fixed, uniform, normal, lognormal, exponential");
    const auto *uniform = std::get_if<UniformLatency>(&latency.kind);
    if (uniform && uniform->max < uniform->min)
        return refuse(*node.find("uniform")->find("max"), problems, "max is below min, expected min ≤ max");
    const auto *lognormal = std::get_if<LognormalLatency>(&latency.kind);
    if (lognormal && lognormal->p99 < lognormal->median)
        return refuse(*node.find("lognormal")->find("p99"), problems, "p99 is below the median, expected median ≤ p99");
    return true;
}

Codec<Latency> checkedLatency(std::vector<Field<Latency>> fields)
{
    Codec<Latency> codec = recordCodec<Latency>(std::move(fields));
    const auto readFields = codec.read;
    codec.read = [readFields](const Node &node, Latency &latency, Problems &problems) {
        return readFields(node, latency, problems) && checkKind(node, latency, problems);
    };
    return codec;
}

using PerConcurrent = std::variant<Duration, LatencyShare>;

Codec<PerConcurrent> perConcurrentCodec()
{
    const Codec<Duration> duration = durationCodec();
    const Codec<double> percent = percentCodec();
    const auto read = [duration, percent](const Node &node, PerConcurrent &value, Problems &problems) {
        if (node.isScalar() && !node.text.empty() && node.text.back() == '%') {
            LatencyShare share;
            const bool good = percent.read(node, share.value, problems);
            value = share;
            return good;
        }
        Duration added{};
        const bool good = duration.read(node, added, problems);
        value = added;
        return good;
    };
    const auto write = [duration, percent](const PerConcurrent &value) {
        const auto *share = std::get_if<LatencyShare>(&value);
        return share ? percent.write(share->value) : duration.write(std::get<Duration>(value));
    };
    return {read, write,
        anyOfSchema({duration.schema, percent.schema}, fmt::format("{} or {}", duration.schema->expected, percent.schema->expected))};
}

} // namespace

Codec<Latency> latencyCodec()
{
    std::vector<Field<Latency>> fields = latencyKinds();
    fields.push_back(field("per_concurrent", &Latency::perConcurrent, perConcurrentCodec(),
        "Added for every request already at the server: a duration, or a share of the latency that was drawn."));
    fields.push_back(
        field("abandoned", &Latency::abandoned, wordsCodec<Abandoned>({{"occupied", Abandoned::Occupied}, {"freed", Abandoned::Freed}}),
            "Whether a request that its client has given up stays at the server to its end or leaves at once."));
    return checkedLatency(std::move(fields));
}

Codec<Distribution> hopCodec()
{
    const Codec<Duration> duration = durationCodec();
    const Codec<Latency> drawn = checkedLatency(latencyKinds());
    const auto read = [duration, drawn](const Node &node, Distribution &hop, Problems &problems) {
        if (node.isMap()) {
            Latency latency;
            const bool good = drawn.read(node, latency, problems);
            hop = latency.kind;
            return good;
        }
        FixedLatency fixed;
        const bool good = duration.read(node, fixed.value, problems);
        hop = fixed;
        return good;
    };
    const auto write = [duration, drawn](const Distribution &hop) {
        const auto *fixed = std::get_if<FixedLatency>(&hop);
        return fixed ? duration.write(fixed->value) : drawn.write({hop, {}});
    };
    return {read, write, anyOfSchema({duration.schema, drawn.schema}, fmt::format("{}, or a kind of latency", duration.schema->expected))};
}

} // namespace throttlescope
