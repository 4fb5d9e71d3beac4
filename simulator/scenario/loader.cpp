// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"

#include "simulator/scenario/file_text.h"
#include "simulator/scenario/presets.h"
#include "simulator/scenario/scenario_fields.h"
#include "simulator/scenario/trace_file.h"

namespace throttlescope {

namespace {

constexpr std::uintmax_t kLargestScenario = std::uintmax_t{16} << 20;

std::string fnv1a(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return fmt::format("{:016x}", hash);
}

class Loader {
public:
    Loader(std::string file, const LoadOptions &options) : m_file(std::move(file)), m_options(options) {}

    tl::expected<LoadedScenario, std::vector<LoadError>> load(std::string_view text)
    {
        Scenario &scenario = m_loaded.scenario;
        scenario.file = m_file;
        scenario.hash = fnv1a(text);
        scenario.name = std::filesystem::path{m_file}.stem().string();
        scenario.start = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}.time_since_epoch()};
        if (parseYaml(text, std::make_shared<const std::string>(m_file), m_document, m_problems) && isScenario()) {
            for (const std::string &assignment : m_options.set)
                applySet(m_document, m_policySets, assignment, m_problems);
            scenarioHeadCodec().read(m_document, scenario, m_problems);
            if (m_options.seed)
                scenario.seed = *m_options.seed;
            readServers();
            readTimeline();
            readWorkload();
            if (const Node *expect = m_document.find("expect"); expect && expect->kind != Node::Kind::Null)
                readExpectations(*expect, scenario, m_problems);
            validate(scenario, m_document, m_problems);
        }
        if (!m_problems.none())
            return tl::unexpected(m_problems.sorted());
        return std::move(m_loaded);
    }

private:
    bool isScenario()
    {
        if (!m_document.isMap())
            return refuse(m_document, m_problems, fmt::format("{}, expected a scenario that begins with 'throttlescope: {}'", m_document.kindName(), kScenarioVersion));
        const Node *version = m_document.find("throttlescope");
        if (!version)
            return true; // reported with the other missing keys
        if (!version->isScalar() || version->text != std::to_string(kScenarioVersion))
            return refuse(*version, m_problems, fmt::format("version '{}' of the format, expected {}", version->text, kScenarioVersion));
        return true;
    }

    /// A part that must be a map or a list; null where it is absent or already reported.
    const Node *part(std::string_view key, Node::Kind kind)
    {
        const Node *node = m_document.find(key);
        if (!node || node->kind == Node::Kind::Null)
            return nullptr;
        if (node->kind != kind) {
            refuse(*node, m_problems, fmt::format("{}, expected {}", node->kindName(), kind == Node::Kind::Map ? "a map by name" : "a list"));
            return nullptr;
        }
        return node;
    }

    void readServers()
    {
        const Node *servers = part("servers", Node::Kind::Map);
        for (std::size_t i = 0; servers && i < servers->entries.size(); ++i) {
            const Node::Entry &entry = servers->entries[i];
            Server server;
            server.name = entry.key;
            server.mark = entry.mark;
            if (entry.value.kind != Node::Kind::Null)
                serverCodec().read(entry.value, server, m_problems);
            m_loaded.scenario.servers.push_back(std::move(server));
        }
    }

    void readTimeline()
    {
        if (const Node *timeline = part("timeline", Node::Kind::Sequence))
            timelineCodec().read(*timeline, m_loaded.scenario.timeline, m_problems);
    }

    void readWorkload()
    {
        PolicyLayers layers{part("policies", Node::Kind::Map), m_policySets, m_problems};
        if (const Node *policies = m_document.find("policies"); policies && policies->isMap()) {
            for (const Node::Entry &entry : policies->entries)
                resolve(layers, entry.key, entry.key, nullptr); // also one that no row uses is checked
        }
        const Node *workload = part("workload", Node::Kind::Sequence);
        for (std::size_t i = 0; workload && i < workload->items.size(); ++i)
            readRow(layers, workload->items[i]);
    }

    std::shared_ptr<const Policy> resolve(PolicyLayers &layers, const std::string &name, const std::string &as, const Node *overlay)
    {
        auto &known = m_loaded.scenario.policies[as];
        if (known)
            return known;
        const Node merged = layers.merged(name, overlay);
        auto policy = std::make_shared<Policy>();
        if (layers.bind(merged, as, *policy))
            m_loaded.provenance[as] = resolvedFields(merged, *policy);
        known = policy;
        return known;
    }

    void readRow(PolicyLayers &layers, const Node &node)
    {
        WorkloadRow row;
        row.mark = node.mark;
        if (!node.isMap()) {
            refuse(node, m_problems, fmt::format("{}, expected a workload row such as {{operation: …, server: …, arrivals: …}}", node.kindName()));
            return;
        }
        Node own = node, overlay;
        overlay.kind = Node::Kind::Map;
        overlay.mark = node.mark;
        overlay.origin = node.origin;
        splitOverlay(own, overlay);
        if (!workloadRowCodec().read(own, row, m_problems))
            return;
        if (!row.onDemand && !own.find("arrivals")) {
            refuse(node, m_problems, "'arrivals' is missing, expected it on a row that is not on_demand");
            return;
        }
        const std::string name = row.policyName.empty() ? "none" : row.policyName;
        if (!layers.known(name)) {
            refuse(*own.find("policy"), m_problems, fmt::format("unknown policy '{}'{}", name, suggestion(name, layers.names())));
            return;
        }
        const bool overlaid = !overlay.entries.empty();
        row.policyName = overlaid ? name + '/' + row.operation : name;
        row.policy = resolve(layers, name, row.policyName, overlaid ? &overlay : nullptr);
        const auto derived = deriveReplay({row.operationClass, row.idempotent, row.method, row.callReplay, row.policy->replay, row.policy->writes});
        if (derived)
            row.replay = *derived;
        else
            refuse(*own.find("replay"), m_problems, derived.error() + ", expected never");
        if (auto *trace = std::get_if<TraceArrivals>(&row.arrivals); trace && !row.onDemand)
            trace->operations = readTrace(std::filesystem::path{m_file}.parent_path() / trace->file, m_problems);
        m_loaded.scenario.workload.push_back(std::move(row));
    }

    /// A row may overlay its policy: its policy keys are taken out of it. `replay` is the call's own.
    static void splitOverlay(Node &row, Node &overlay)
    {
        std::vector<Node::Entry> rest;
        for (Node::Entry &entry : row.entries) {
            const auto &fields = policyCodec().schema->fields;
            const bool flat = entry.key == "max_wait" || entry.key == "rate_limit_on" || entry.key == "retry_after";
            const bool policyKey = flat || std::any_of(fields.begin(), fields.end(), [&entry](const Schema::Field &field) { return field.key == entry.key; });
            (policyKey && entry.key != "replay" ? overlay.entries : rest).push_back(std::move(entry));
        }
        row.entries = std::move(rest);
    }

    std::string m_file;
    const LoadOptions &m_options;
    Problems m_problems;
    Node m_document;
    std::map<std::string, Node> m_policySets;
    LoadedScenario m_loaded;
};

} // namespace

tl::expected<LoadedScenario, std::vector<LoadError>> loadScenarioText(std::string_view text, const std::string &file, const LoadOptions &options)
{
    return Loader{file, options}.load(text);
}

tl::expected<LoadedScenario, std::vector<LoadError>> loadScenario(const std::filesystem::path &file, const LoadOptions &options)
{
    const auto text = readFile(file, kLargestScenario);
    if (!text)
        return tl::unexpected(std::vector{LoadError{file.string(), {1, 1}, text.error()}});
    return loadScenarioText(*text, file.string(), options);
}

} // namespace throttlescope
