// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"

#include "simulator/scenario/file_text.h"
#include "simulator/scenario/presets.h"
#include "simulator/scenario/scenario_fields.h"
#include "simulator/scenario/trace_file.h"
#include "simulator/scenario/validate.h"

#include <set>

namespace throttlescope {

namespace {

constexpr std::size_t kMostParts = 10'000; ///< servers, policies, rows, timeline entries

std::string fnv1a(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return fmt::format("{:016x}", hash);
}

class Loader {
public:
    Loader(std::string file, const LoadOptions &options)
        : m_file(std::move(file))
        , m_options(options)
        , m_problems(m_file)
    {
    }

    tl::expected<LoadedScenario, std::vector<LoadError>> load(std::string_view text)
    {
        Scenario &scenario = m_loaded.scenario;
        scenario.file = m_file;
        scenario.hash = fnv1a(text);
        scenario.name = std::filesystem::path{m_file}.stem().string();
        if (parseYaml(text, std::make_shared<const std::string>(m_file), m_document, m_problems) && isScenario()) {
            for (const std::string &assignment : m_options.set)
                applySet(m_document, m_policySets, assignment, m_problems);
            scenarioHeadCodec().read(m_document, scenario, m_problems);
            if (m_options.seed)
                scenario.seed = *m_options.seed;
            readServers();
            ReadScenario read{scenario, m_document, {}, readTimeline(), true};
            read.policiesGood = readWorkload(read.rows);
            if (const Node *expect = m_document.find("expect"); expect && expect->kind != Node::Kind::Null)
                readExpectations(*expect, scenario, m_problems);
            validate(read, m_problems);
        }
        if (!m_problems.none())
            return tl::unexpected(m_problems.sorted());
        return std::move(m_loaded);
    }

private:
    bool isScenario()
    {
        const std::string expected = fmt::format("expected a scenario that begins with 'throttlescope: {}'", kScenarioVersion);
        if (!m_document.isMap())
            return refuse(m_document, m_problems, fmt::format("{}, {}", m_document.kindName(), expected));
        const Node *version = m_document.find("throttlescope");
        if (!version) // some other file: its keys are not worth twenty errors
            return refuse(m_document, m_problems, fmt::format("'throttlescope' is missing, {}", expected));
        if (!version->isScalar() || version->quoted || version->text != std::to_string(kScenarioVersion))
            return refuse(
                *version, m_problems, fmt::format("version '{}' of the format, expected {}", shown(version->text), kScenarioVersion));
        return true;
    }

    /// A part that must be a map or a list of a sane size; null where it is absent or was refused.
    const Node *part(std::string_view key, Node::Kind kind)
    {
        const Node *node = m_document.find(key);
        if (!node || node->kind == Node::Kind::Null)
            return nullptr;
        const std::size_t size = node->items.size() + node->entries.size();
        if (node->kind != kind)
            refuse(
                *node, m_problems, fmt::format("{}, expected {}", node->kindName(), kind == Node::Kind::Map ? "a map by name" : "a list"));
        else if (size > kMostParts)
            refuse(*node, m_problems, fmt::format("{} {}, expected at most {}", size, key, kMostParts));
        else
            return node;
        return nullptr;
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

    bool readTimeline()
    {
        const Node *timeline = part("timeline", Node::Kind::Sequence);
        return !timeline || timelineCodec().read(*timeline, m_loaded.scenario.timeline, m_problems);
    }

    /// False where a policy is not what it was meant to be.
    bool readWorkload(std::vector<const Node *> &rows)
    {
        const std::size_t before = m_problems.count();
        const Node *policies = part("policies", Node::Kind::Map);
        PolicyLayers layers{policies, m_policySets, m_problems};
        for (std::size_t i = 0; policies && i < policies->entries.size(); ++i) // also one that no row uses is checked
            resolve(layers, policies->entries[i].key, policies->entries[i].key, nullptr);
        const bool good = m_problems.count() == before;
        const Node *workload = part("workload", Node::Kind::Sequence);
        bool rowsGood = true;
        for (std::size_t i = 0; workload && i < workload->items.size() && !m_problems.full(); ++i)
            rowsGood = readRow(layers, workload->items[i], rows) && rowsGood;
        for (const auto &[name, set] : m_policySets) {
            if (rowsGood && !m_loaded.scenario.policies.count(name) && !m_overlaid.count(name))
                refuse(set, m_problems, fmt::format("no row has the preset '{}', expected the name of a policy in use", name));
        }
        return good && rowsGood;
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

    bool readRow(PolicyLayers &layers, const Node &node, std::vector<const Node *> &rows)
    {
        const std::size_t before = m_problems.count();
        WorkloadRow row;
        row.mark = node.mark;
        if (!node.isMap())
            return refuse(node, m_problems,
                fmt::format("{}, expected a workload row such as {{operation: …, server: …, arrivals: …}}", node.kindName()));
        Node own = node, overlay;
        overlay.kind = Node::Kind::Map;
        overlay.mark = node.mark;
        overlay.origin = node.origin;
        splitOverlay(own, overlay);
        if (!workloadRowCodec().read(own, row, m_problems))
            return false;
        const std::string name = row.policyName.empty() ? "none" : row.policyName;
        if (!layers.known(name))
            return refuse(
                *own.find("policy"), m_problems, fmt::format("unknown policy '{}'{}", shown(name), suggestion(name, layers.names())));
        row.policyName = overlay.entries.empty() ? name : overlaidName(layers, name + '/' + row.operation);
        if (!overlay.entries.empty())
            m_overlaid.insert(name);
        row.policy = resolve(layers, name, row.policyName, overlay.entries.empty() ? nullptr : &overlay);
        const auto derived
            = deriveReplay({row.operationClass, row.idempotent, row.method, row.callReplay, row.policy->replay, row.policy->writes});
        if (derived)
            row.replay = *derived;
        else
            refuse(*own.find("replay"), m_problems, derived.error() + ", expected never");
        if (auto *trace = std::get_if<TraceArrivals>(&row.arrivals); trace && !row.onDemand) {
            trace->file = (std::filesystem::path{m_file}.parent_path() / trace->file).string();
            trace->operations = readTrace(trace->file, m_problems);
        }
        m_loaded.scenario.workload.push_back(std::move(row));
        rows.push_back(&node);
        return m_problems.count() == before;
    }

    /// Two rows may overlay one policy in two ways: each has a name of its own.
    std::string overlaidName(const PolicyLayers &layers, const std::string &wanted) const
    {
        std::string name = wanted;
        for (int n = 2; m_loaded.scenario.policies.count(name) || layers.known(name); ++n)
            name = fmt::format("{}#{}", wanted, n);
        return name;
    }

    /// A row may overlay its policy: its policy keys are taken out of it. `replay` is the call's own.
    static void splitOverlay(Node &row, Node &overlay)
    {
        std::vector<Node::Entry> rest;
        for (Node::Entry &entry : row.entries) {
            const auto &fields = policyFileCodec().schema->fields;
            const bool policyKey = entry.key != "preset"
                && std::any_of(fields.begin(), fields.end(), [&entry](const Schema::Field &field) { return field.key == entry.key; });
            (policyKey && entry.key != "replay" ? overlay.entries : rest).push_back(std::move(entry));
        }
        row.entries = std::move(rest);
    }

    std::string m_file;
    const LoadOptions &m_options;
    Problems m_problems;
    Node m_document;
    std::set<std::string> m_overlaid; ///< policies and presets that rows use under an overlaid name
    std::map<std::string, Node> m_policySets;
    LoadedScenario m_loaded;
};

} // namespace

tl::expected<LoadedScenario, std::vector<LoadError>> loadScenarioText(
    std::string_view text, const std::string &file, const LoadOptions &options)
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
