// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/scenario_fields.h"

#include "core/engine/words.h"
#include "core/journal/metrics.h"

#include <array>

namespace throttlescope {

namespace {

using Selector = Expectation::Selector;

bool readBound(const Node &node, bool isDuration, double &bound, Problems &problems)
{
    if (isDuration) {
        Duration duration{};
        if (!durationCodec().read(node, duration, problems))
            return false;
        bound = static_cast<double>(duration.count());
        return true;
    }
    return numberCodec(0, 1e15).read(node, bound, problems);
}

class ExpectationReader {
public:
    ExpectationReader(Scenario &scenario, Problems &problems)
        : m_scenario(scenario)
        , m_problems(problems)
    {
    }

    bool metrics(const Node &node, Selector selector, const std::string &of)
    {
        if (!node.isMap())
            return refuse(node, m_problems, fmt::format("{}, expected a map of metrics", node.kindName()));
        bool good = true;
        for (const Node::Entry &entry : node.entries) {
            if (selector == Selector::Run && isPart(entry.key))
                continue;
            good = metric(entry, entry.key, selector, of) && good;
        }
        return good;
    }

    /// `by_operation: {NAME: {…}}` and `during: {LABEL: {…}}`.
    bool each(const Node &node, Selector selector)
    {
        if (!node.isMap())
            return refuse(node, m_problems,
                fmt::format("{}, expected a map by {}", node.kindName(), selector == Selector::Operation ? "operation" : "label"));
        bool good = true;
        for (const Node::Entry &entry : node.entries)
            good = metrics(entry.value, selector, entry.key) && good;
        return good;
    }

    bool recoveries(const Node &node)
    {
        if (!node.isMap())
            return refuse(node, m_problems, fmt::format("{}, expected a map of label and duration", node.kindName()));
        bool good = true;
        for (const Node::Entry &entry : node.entries) {
            Duration within{};
            good = durationCodec().read(entry.value, within, m_problems) && good;
            m_scenario.expectations.push_back({Selector::During, entry.key, "recovers_within", std::nullopt,
                static_cast<double>(within.count()), true, entry.value.mark});
        }
        return good;
    }

    static bool isPart(std::string_view key)
    {
        return key == "by_operation" || key == "during" || key == "recovers_within" || key == "decisions";
    }

private:
    bool metric(const Node::Entry &entry, const std::string &path, Selector selector, const std::string &of)
    {
        if (const auto known = journal::metricValue({}, path))
            return value(entry.value, path, known->isDuration, selector, of);
        const auto isGroup = [&path](const std::string &candidate) { return candidate.rfind(path + '.', 0) == 0; };
        const auto paths = journal::metricPaths();
        if (entry.value.isMap() && std::any_of(paths.begin(), paths.end(), isGroup)) {
            bool good = true;
            for (const Node::Entry &child : entry.value.entries)
                good = metric(child, path + '.' + child.key, selector, of) && good;
            return good;
        }
        std::vector<std::string> names;
        const std::size_t depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '.'));
        const std::string group = path.substr(0, path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
        for (const std::string &candidate : paths) {
            if (candidate.rfind(group, 0) != 0)
                continue;
            const std::string name = candidate.substr(group.size(), candidate.find('.', group.size()) - group.size());
            if (names.empty() || names.back() != name)
                names.push_back(name);
        }
        if (depth == 0 && selector == Selector::Run)
            names.insert(names.end(), {"by_operation", "during", "recovers_within", "decisions"});
        const bool group1 = std::any_of(paths.begin(), paths.end(), isGroup);
        m_problems.add(entry.value.origin ? *entry.value.origin : "", group1 ? entry.value.mark : entry.mark,
            group1 ? fmt::format("{} for '{}', expected a map such as {{max: …}}", entry.value.kindName(), path)
                   : fmt::format("unknown metric '{}'{}", entry.key, suggestion(entry.key, names)));
        return false;
    }

    bool value(const Node &node, const std::string &path, bool isDuration, Selector selector, const std::string &of)
    {
        Expectation expectation{selector, of, path, std::nullopt, std::nullopt, isDuration, node.mark};
        bool good = true;
        if (node.isMap()) {
            for (const Node::Entry &entry : node.entries) {
                double bound = 0;
                if (entry.key != "min" && entry.key != "max") {
                    m_problems.add(node.origin ? *node.origin : "", entry.mark,
                        fmt::format("unknown key '{}'{}", entry.key, suggestion(entry.key, {"min", "max"})));
                    return false;
                }
                good = readBound(entry.value, isDuration, bound, m_problems) && good;
                (entry.key == "min" ? expectation.min : expectation.max) = bound;
            }
            if (good && !expectation.min && !expectation.max)
                return refuse(node, m_problems, "an empty map, expected min, max or both");
            if (good && expectation.min && expectation.max && *expectation.min > *expectation.max)
                return refuse(node, m_problems, "min is above max, expected min ≤ max");
        } else {
            double exact = 0;
            good = readBound(node, isDuration, exact, m_problems);
            expectation.min = expectation.max = exact;
        }
        m_scenario.expectations.push_back(std::move(expectation));
        return good;
    }

    Scenario &m_scenario;
    Problems &m_problems;
};

struct MetricDoc {
    std::string_view name;
    std::string_view doc;
};
constexpr std::array<MetricDoc, 18> kMetricDocs{{
    {"operations", "Operations by result; a fallback's success is succeeded."},
    {"attempts", "Primary attempts."},
    {"retry_attempts", "Primary attempts from the second on."},
    {"throttled_responses", "Responses that say rate limited."},
    {"fallback_attempts", "Attempts of fallbacks."},
    {"attempts_per_operation", "Primary attempts of one operation."},
    {"waits", "Waits before retries, as really slept; a wait of 0 is no sample."},
    {"pacing", "Time in the pacer's queue, as really slept."},
    {"wait_exceeded", "Retries that were refused because their wait was above max_wait, after a rate limit."},
    {"refused", "Refused retries and rejected operations, by reason."},
    {"breaker_trips", "How often a breaker opened."},
    {"finish", "When the last operation ended."},
    {"early_returns", "Attempts that arrived before the moment their operation had been told."},
    {"early_by", "By how much they did."},
    {"overshoot", "From that moment to the attempt, where it came after."},
    {"amplification", "Attempts over operations with an attempt."},
    {"herd", "Most arrivals in the first second of a window over its quota."},
    {"duplicate_effects", "Executions beyond the first of one operation of class write or action."},
}};

SchemaPtr boundSchema(bool isDuration)
{
    const SchemaPtr bound = isDuration ? durationCodec().schema : numberCodec(0, 1e15).schema;
    const SchemaPtr range = recordSchema({{"min", "At least, inclusive.", bound}, {"max", "At most, inclusive.", bound}});
    return anyOfSchema({bound, range}, isDuration ? "a duration, or {min: …, max: …}" : "a number, or {min: …, max: …}");
}

SchemaPtr metricsSchema()
{
    std::vector<Schema::Field> fields;
    const auto paths = journal::metricPaths();
    for (const MetricDoc &metric : kMetricDocs) {
        const std::string name{metric.name}, group = name + '.';
        std::vector<Schema::Field> members;
        for (const std::string &path : paths) {
            if (path.rfind(group, 0) == 0)
                members.push_back({path.substr(group.size()), "", boundSchema(journal::metricValue({}, path)->isDuration)});
        }
        const auto plain = journal::metricValue({}, name);
        fields.push_back(
            {name, std::string{metric.doc}, members.empty() ? boundSchema(plain && plain->isDuration) : recordSchema(members)});
    }
    return recordSchema(fields);
}

Codec<std::string> knownWord(const std::vector<std::string> &words)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string &word : words)
        pairs.emplace_back(word, word);
    return wordsCodec<std::string>(pairs);
}

std::vector<std::string> refusalWords()
{
    std::vector<std::string> words;
    for (std::size_t i = 0; i < journal::kRefusalReasons; ++i)
        words.emplace_back(word(static_cast<RefusalReason>(i)));
    return words;
}

/// What a decision of this kind never has: a row that asks for it could not be met.
bool checkDecision(const Node &node, const ExpectedDecision &expected, Problems &problems)
{
    const auto none = [&](std::string_view key, std::string_view decision) {
        return !node.find(key) || refuse(*node.find(key), problems, fmt::format("'{}' of a {}, expected none", key, decision));
    };
    switch (expected.decision) {
    case DecisionKind::Retry:
        if (expected.attempt == 0)
            return refuse(*node.find("attempt"), problems, "a retry after attempt 0, expected 1 or more");
        return none("reason", "retry") && none("result", "retry");
    case DecisionKind::Refuse: return true;
    case DecisionKind::Finish:
        if (expected.result == "rejected")
            return refuse(*node.find("decision"), problems, "a rejected operation that finishes, expected decision: refuse");
        return none("hint", "finish") && none("delay", "finish") && none("source", "finish");
    }
    return true;
}

Codec<ExpectedDecisions> decisionsCodec()
{
    Codec<ExpectedDecision> decision = recordCodec<ExpectedDecision>({
        required("attempt", &ExpectedDecision::attempt, integerCodec<int>(0, 1'000'000'000),
            "The attempt it was made after; 0 for an operation that was rejected."),
        field("status", &ExpectedDecision::status, integerCodec<int>(100, 599), "Of the answer; absent is not compared."),
        field("hint", &ExpectedDecision::hint, durationCodec(), "As it was read."),
        required("decision", &ExpectedDecision::decision,
            wordsCodec<DecisionKind>({{"retry", DecisionKind::Retry}, {"refuse", DecisionKind::Refuse}, {"finish", DecisionKind::Finish}}),
            "What was decided."),
        field("delay", &ExpectedDecision::delay, durationCodec(), "Before padding."),
        field("source", &ExpectedDecision::source, knownWord({"provider", "backoff"}), "Of the delay."),
        field("reason", &ExpectedDecision::reason, knownWord(refusalWords()), "Of a refusal."),
        field("result", &ExpectedDecision::result, knownWord({"succeeded", "failed", "rejected", "cancelled", "unfinished"}),
            "Of the operation."),
    });
    const auto readFields = decision.read;
    decision.read = [readFields](const Node &node, ExpectedDecision &value, Problems &problems) {
        value.mark = node.mark;
        return readFields(node, value, problems) && checkDecision(node, value, problems);
    };
    Codec<ExpectedDecisions> list = recordCodec<ExpectedDecisions>({
        required("operation", &ExpectedDecisions::operation, nameCodec(), "Name of the operation."),
        field("index", &ExpectedDecisions::index, integerCodec<std::uint64_t>(1, 1'000'000'000), "Which of that name, in order of start."),
        required("is", &ExpectedDecisions::is, listCodec(decision), "All its decisions, in order."),
    });
    const auto readList = list.read;
    list.read = [readList](const Node &node, ExpectedDecisions &value, Problems &problems) {
        value.mark = node.mark;
        return readList(node, value, problems);
    };
    return list;
}

} // namespace

/// `expect` as a record, for schema and reference: the metrics are those that the journal's table knows.
SchemaPtr expectSchema()
{
    const SchemaPtr metrics = defined(metricsSchema(), "metrics");
    std::vector<Schema::Field> fields = metrics->fields;
    fields.push_back({"by_operation", "The same metrics of one operation's name.", namedSchema(metrics, "metrics")});
    fields.push_back({"during", "The same metrics within a label of the timeline.", namedSchema(metrics, "metrics")});
    fields.push_back({"recovers_within", "From the label's end until the success rate is back at 95 % of what it was, for 10 s.",
        namedSchema(durationCodec().schema, "durations")});
    fields.push_back({"decisions", "The decisions of single operations, one by one.", listCodec(decisionsCodec()).schema});
    return recordSchema(fields);
}

bool readExpectations(const Node &node, Scenario &scenario, Problems &problems)
{
    ExpectationReader reader{scenario, problems};
    bool good = reader.metrics(node, Selector::Run, "");
    if (const Node *part = node.find("by_operation"))
        good = reader.each(*part, Selector::Operation) && good;
    if (const Node *part = node.find("during"))
        good = reader.each(*part, Selector::During) && good;
    if (const Node *part = node.find("recovers_within"))
        good = reader.recoveries(*part) && good;
    if (const Node *part = node.find("decisions"))
        good = listCodec(decisionsCodec()).read(*part, scenario.decisions, problems) && good;
    return good;
}

} // namespace throttlescope
