// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/node.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <unordered_set>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace throttlescope {

namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostValues = 1'000'000;

Mark markOf(const YAML::Mark &mark)
{
    return {mark.line + 1, mark.column + 1};
}

struct Refused {
    Mark mark;
    std::string text;
};

std::string shortened(std::string_view text)
{
    return text.size() <= 60 ? std::string{text} : fmt::format("{}…", text.substr(0, 60));
}

/// Builds the tree from yaml-cpp's events. An open map keeps the key that waits for its value.
class Builder final : public YAML::EventHandler {
public:
    explicit Builder(Origin origin) : m_origin(std::move(origin)) {}

    Node take() { return std::move(m_root); }

    void OnDocumentStart(const YAML::Mark &) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark &mark, YAML::anchor_t) override
    {
        if (keyWanted())
            throw Refused{markOf(mark), "a key is missing, expected a word before ':'"};
        put(make(Node::Kind::Null, mark));
    }
    void OnAlias(const YAML::Mark &mark, YAML::anchor_t) override { throw Refused{markOf(mark), "aliases (*name) are not supported, expected the value itself"}; }
    void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t, const std::string &value) override
    {
        if (keyWanted())
            return openKey(mark, value);
        Node node = make(Node::Kind::Scalar, mark);
        node.text = value;
        node.quoted = tag == "!";
        put(std::move(node));
    }
    void OnSequenceStart(const YAML::Mark &mark, const std::string &, YAML::anchor_t, YAML::EmitterStyle::value) override { open(Node::Kind::Sequence, mark); }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark &mark, const std::string &, YAML::anchor_t, YAML::EmitterStyle::value) override { open(Node::Kind::Map, mark); }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        Node node;
        bool keyPending = false;
        std::unordered_set<std::string> keys;
    };

    Node make(Node::Kind kind, const YAML::Mark &mark)
    {
        if (++m_values > kMostValues)
            throw Refused{markOf(mark), fmt::format("more than {} values, expected a scenario", kMostValues)};
        Node node;
        node.kind = kind;
        node.mark = markOf(mark);
        node.origin = m_origin;
        return node;
    }
    bool keyWanted() const { return !m_open.empty() && m_open.back().node.isMap() && !m_open.back().keyPending; }
    void openKey(const YAML::Mark &mark, const std::string &key)
    {
        if (key == "<<")
            throw Refused{markOf(mark), "merge keys (<<) are not supported, expected the keys themselves"};
        Open &map = m_open.back();
        if (!map.keys.insert(key).second)
            throw Refused{markOf(mark), fmt::format("duplicate key '{}', expected it once", shortened(key))};
        map.node.entries.push_back({key, markOf(mark), {}});
        map.keyPending = true;
    }
    void put(Node node)
    {
        if (m_open.empty()) {
            m_root = std::move(node);
        } else if (m_open.back().node.isMap()) {
            m_open.back().node.entries.back().value = std::move(node);
            m_open.back().keyPending = false;
        } else {
            m_open.back().node.items.push_back(std::move(node));
        }
    }
    void open(Node::Kind kind, const YAML::Mark &mark)
    {
        if (keyWanted())
            throw Refused{markOf(mark), "a key must be a word, expected no list or map before ':'"};
        if (m_open.size() >= kDeepest)
            throw Refused{markOf(mark), fmt::format("nested over {} levels, expected a scenario", kDeepest)};
        m_open.push_back({make(kind, mark), false, {}});
    }
    void close()
    {
        Node node = std::move(m_open.back().node);
        m_open.pop_back();
        put(std::move(node));
    }

    Origin m_origin;
    Node m_root;
    std::vector<Open> m_open;
    std::size_t m_values = 0;
};

Mark placeOf(std::string_view text, std::size_t offset)
{
    const std::string_view before = text.substr(0, offset);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return {static_cast<int>(lines) + 1, static_cast<int>(offset - lineStart) + 1};
}

/// The first byte that no text has: a control character other than tab and line ends, or broken UTF-8.
std::size_t firstNonText(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f)
                return i;
            ++i;
            continue;
        }
        const std::size_t length = byte >= 0xF0 && byte < 0xF5 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 0;
        if (length == 0 || byte >= 0xF5 || i + length > text.size())
            return i;
        for (std::size_t k = 1; k < length; ++k) {
            if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U)
                return i;
        }
        i += length;
    }
    return std::string_view::npos;
}

/// Deep flow nesting is counted before the parser recurses into it.
std::optional<Mark> tooDeep(std::string_view text)
{
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[' || text[i] == '{')
            ++depth;
        else if ((text[i] == ']' || text[i] == '}') && depth > 0)
            --depth;
        if (depth > 4 * kDeepest)
            return placeOf(text, i);
    }
    return std::nullopt;
}

} // namespace

const Node *Node::find(std::string_view key) const
{
    const auto found = std::find_if(entries.begin(), entries.end(), [key](const Entry &entry) { return entry.key == key; });
    return found == entries.end() ? nullptr : &found->value;
}

Node *Node::find(std::string_view key)
{
    return const_cast<Node *>(std::as_const(*this).find(key));
}

Node &Node::set(std::string_view key, Node value)
{
    if (Node *existing = find(key))
        return *existing = std::move(value);
    kind = Kind::Map;
    const Mark at = value.mark;
    entries.push_back({std::string{key}, at, std::move(value)});
    return entries.back().value;
}

void Node::erase(std::string_view key)
{
    std::erase_if(entries, [key](const Entry &entry) { return entry.key == key; });
}

std::string_view Node::kindName() const
{
    switch (kind) {
    case Kind::Null: return "nothing";
    case Kind::Scalar: return "a single value";
    case Kind::Sequence: return "a list";
    case Kind::Map: return "a map";
    }
    return {};
}

Node Node::scalar(std::string text, bool quoted)
{
    Node node;
    node.kind = Kind::Scalar;
    node.text = std::move(text);
    node.quoted = quoted;
    return node;
}

bool parseYaml(std::string_view text, const Origin &origin, Node &document, Problems &problems)
{
    if (text.substr(0, 3) == "\xEF\xBB\xBF")
        text.remove_prefix(3);
    if (const std::size_t bad = firstNonText(text); bad != std::string_view::npos) {
        problems.add(*origin, placeOf(text, bad), fmt::format("byte 0x{:02x} is no text, expected YAML in UTF-8", static_cast<unsigned>(static_cast<unsigned char>(text[bad]))));
        return false;
    }
    if (const auto mark = tooDeep(text)) {
        problems.add(*origin, *mark, fmt::format("nested over {} levels, expected a scenario", kDeepest));
        return false;
    }
    std::istringstream stream{std::string{text}};
    Builder builder{origin};
    try {
        YAML::Parser parser{stream};
        if (!parser.HandleNextDocument(builder)) {
            problems.add(*origin, {1, 1}, "the file is empty, expected a scenario that begins with 'throttlescope: 1'");
            return false;
        }
        document = builder.take();
        Builder second{origin};
        if (parser.HandleNextDocument(second))
            throw Refused{second.take().mark, "a second document, expected one a file"};
    } catch (const Refused &refused) {
        problems.add(*origin, refused.mark, refused.text);
        return false;
    } catch (const YAML::Exception &error) {
        problems.add(*origin, markOf(error.mark), fmt::format("not YAML: {}", error.msg));
        return false;
    }
    return true;
}

} // namespace throttlescope
