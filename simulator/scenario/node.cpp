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
constexpr std::size_t kLongestKey = 200;
constexpr std::size_t kMostValues = 200'000;

struct Refused {
    Mark mark;
    std::string text;
};

bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// yaml-cpp counts bytes; people and their editors count characters.
class Places {
public:
    explicit Places(std::string_view text)
        : m_text(text)
    {
        std::size_t continuations = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (i % kBlock == 0)
                m_continuations.push_back(continuations);
            if (text[i] == '\n')
                m_lines.push_back(i + 1);
            continuations += isContinuation(text[i]) ? 1 : 0;
        }
    }

    Mark of(const YAML::Mark &mark) const
    {
        if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= m_lines.size())
            return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
        const std::size_t begin = m_lines[static_cast<std::size_t>(mark.line)];
        return at(static_cast<std::size_t>(mark.line), begin + static_cast<std::size_t>(std::max(mark.column, 0)));
    }
    /// The text from a place on; empty where there is none.
    std::string_view from(const YAML::Mark &mark) const
    {
        if (mark.line < 0 || mark.column < 0 || static_cast<std::size_t>(mark.line) >= m_lines.size())
            return {};
        return m_text.substr(std::min(m_lines[static_cast<std::size_t>(mark.line)] + static_cast<std::size_t>(mark.column), m_text.size()));
    }
    /// Whether the line of a place is indented by a tab.
    /// Where a tab indents the line of the mark.
    std::optional<Mark> indentingTab(const YAML::Mark &mark) const
    {
        const std::string_view line = lineOf(mark);
        const std::size_t tab = line.find_first_not_of(' ');
        if (tab == std::string_view::npos || line[tab] != '\t')
            return std::nullopt;
        return Mark{static_cast<int>(mark.line) + 1, static_cast<int>(tab) + 1};
    }
    Mark of(std::size_t offset) const
    {
        const auto next = std::upper_bound(m_lines.begin(), m_lines.end(), offset);
        return at(static_cast<std::size_t>(next - m_lines.begin()) - 1, offset);
    }

private:
    static constexpr std::size_t kBlock = 256;

    std::string_view lineOf(const YAML::Mark &mark) const
    {
        const auto line = static_cast<std::size_t>(std::max(mark.line, 0));
        return line < m_lines.size() ? m_text.substr(m_lines[line]) : std::string_view{};
    }
    Mark at(std::size_t line, std::size_t offset) const
    {
        const std::size_t begin = m_lines[line];
        const std::size_t column = offset - begin - (continuationsBefore(offset) - continuationsBefore(begin));
        return {static_cast<int>(line) + 1, static_cast<int>(column) + 1};
    }
    std::size_t continuationsBefore(std::size_t offset) const
    {
        offset = std::min(offset, m_text.size());
        if (m_continuations.empty())
            return 0;
        const std::size_t block = std::min(offset / kBlock, m_continuations.size() - 1);
        const std::string_view rest = m_text.substr(block * kBlock, offset - block * kBlock);
        return m_continuations[block] + static_cast<std::size_t>(std::count_if(rest.begin(), rest.end(), isContinuation));
    }

    std::string_view m_text;
    std::vector<std::size_t> m_lines{0};
    std::vector<std::size_t> m_continuations; ///< before each block: a line may be as long as the file
};

bool isControl(char c)
{
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// yaml-cpp takes the end of the file for the end of a quote, and the rest of the scenario would be part of a text.
bool isClosed(std::string_view scalar)
{
    const char quote = scalar.empty() ? ' ' : scalar.front();
    if (quote != '"' && quote != '\'')
        return true; // a block scalar
    for (std::size_t i = 1; i < scalar.size(); ++i) {
        if (scalar[i] == '\\' && quote == '"')
            ++i;
        else if (scalar[i] == quote && quote == '\'' && i + 1 < scalar.size() && scalar[i + 1] == quote)
            ++i;
        else if (scalar[i] == quote)
            return true;
    }
    return false;
}

/// Builds the tree from yaml-cpp's events. An open map keeps the key that waits for its value.
class Builder final : public YAML::EventHandler {
public:
    Builder(Origin origin, const Places &places)
        : m_origin(std::move(origin))
        , m_places(places)
    {
    }

    Node take() { return std::move(m_root); }

    void OnDocumentStart(const YAML::Mark &mark) override
    {
        if (m_began)
            throw Refused{m_places.of(mark), "a second document, expected one a file"};
        m_began = true;
    }
    void OnDocumentEnd() override { }
    void OnNull(const YAML::Mark &mark, YAML::anchor_t) override
    {
        if (keyWanted())
            throw Refused{m_places.of(mark), "a key is missing, expected a word of at most 1024 characters before ':'"};
        Node node = make(Node::Kind::Null, mark);
        if (!m_open.empty() && m_open.back().node.isMap())
            node.mark = m_open.back().node.entries.back().mark; // what is not there is told where its key is
        put(std::move(node));
    }
    void OnAlias(const YAML::Mark &mark, YAML::anchor_t) override
    {
        throw Refused{m_places.of(mark), "aliases (*name) are not supported, expected the value itself"};
    }
    void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t, const std::string &value) override
    {
        refuseTag(mark, tag);
        if (tag == "!" && !isClosed(m_places.from(mark)))
            throw Refused{m_places.of(mark), "a quote that is never closed, expected it before the end of the file"};
        if (keyWanted())
            return openKey(mark, value);
        Node node = make(Node::Kind::Scalar, mark);
        node.text = value;
        node.quoted = tag == "!";
        put(std::move(node));
    }
    void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t, YAML::EmitterStyle::value) override
    {
        refuseTag(mark, tag);
        open(Node::Kind::Sequence, mark);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t, YAML::EmitterStyle::value) override
    {
        refuseTag(mark, tag);
        open(Node::Kind::Map, mark);
    }
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
            throw Refused{m_places.of(mark), fmt::format("more than {} values, expected a scenario", kMostValues)};
        Node node;
        node.kind = kind;
        node.mark = m_places.of(mark);
        node.origin = m_origin;
        return node;
    }
    /// "?" is plain, "!" quoted; anything else was written.
    void refuseTag(const YAML::Mark &mark, const std::string &tag) const
    {
        if (tag.size() > 1)
            throw Refused{m_places.of(mark), fmt::format("tags ({}) are not supported, expected the value itself", shown(tag))};
    }
    bool keyWanted() const { return !m_open.empty() && m_open.back().node.isMap() && !m_open.back().keyPending; }
    void openKey(const YAML::Mark &mark, const std::string &key)
    {
        if (key == "<<")
            throw Refused{m_places.of(mark), "merge keys (<<) are not supported, expected the keys themselves"};
        if (key.empty() || key.size() > kLongestKey || std::any_of(key.begin(), key.end(), isControl))
            throw Refused{
                m_places.of(mark), fmt::format("'{}' is no key, expected 1 to {} characters on one line", shown(key), kLongestKey)};
        Open &map = m_open.back();
        if (!map.keys.insert(key).second)
            throw Refused{m_places.of(mark), fmt::format("duplicate key '{}', expected it once", shown(key))};
        map.node.entries.push_back({key, m_places.of(mark), {}});
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
            throw Refused{m_places.of(mark), "a list or map as a key, or a bracket that is never closed, expected a word before ':'"};
        if (m_open.size() >= kDeepest)
            throw Refused{m_places.of(mark), fmt::format("nested over {} levels, expected a scenario", kDeepest)};
        m_open.push_back({make(kind, mark), false, {}});
    }
    void close()
    {
        Node node = std::move(m_open.back().node);
        m_open.pop_back();
        put(std::move(node));
    }

    Origin m_origin;
    const Places &m_places;
    bool m_began = false;
    Node m_root;
    std::vector<Open> m_open;
    std::size_t m_values = 0;
};

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

std::optional<std::size_t> firstNonText(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            if (isControl(text[i]) && byte != '\t' && byte != '\n' && byte != '\r')
                return i;
            ++i;
            continue;
        }
        const std::size_t length = byte >= 0xF5 ? 0 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 0;
        if (length == 0 || i + length > text.size())
            return i;
        if (!std::all_of(
                text.begin() + static_cast<std::ptrdiff_t>(i) + 1, text.begin() + static_cast<std::ptrdiff_t>(i + length), isContinuation))
            return i;
        // Too long a form, a surrogate, or beyond U+10FFFF: RFC 3629, 3 and 4.
        const auto second = static_cast<unsigned char>(text[i + 1]);
        if ((byte == 0xE0 && second < 0xA0) || (byte == 0xED && second > 0x9F) || (byte == 0xF0 && second < 0x90)
            || (byte == 0xF4 && second > 0x8F))
            return i;
        i += length;
    }
    return std::nullopt;
}

bool parseYaml(std::string_view text, const Origin &origin, Node &document, Problems &problems)
{
    if (text.substr(0, 3) == "\xEF\xBB\xBF")
        text.remove_prefix(3);
    const Places places{text};
    if (const auto bad = firstNonText(text)) {
        problems.add(*origin, places.of(*bad),
            fmt::format("byte 0x{:02x} is no text, expected YAML in UTF-8", static_cast<unsigned>(static_cast<unsigned char>(text[*bad]))));
        return false;
    }
    std::istringstream stream{std::string{text}};
    Builder builder{origin, places};
    try {
        YAML::Parser parser{stream};
        if (!parser.HandleNextDocument(builder)) {
            problems.add(*origin, {1, 1}, "the file is empty, expected a scenario that begins with 'throttlescope: 1'");
            return false;
        }
        document = builder.take();
        parser.HandleNextDocument(builder); // refuses that there is one
    } catch (const Refused &refused) {
        problems.add(*origin, refused.mark, refused.text);
        return false;
    } catch (const YAML::Exception &error) {
        const auto tab = places.indentingTab(error.mark);
        problems.add(*origin, tab.value_or(places.of(error.mark)),
            tab ? "not YAML: the line is indented by a tab, expected blanks"
                : fmt::format("not YAML: {}, expected well-formed YAML", error.msg));
        return false;
    }
    return true;
}

} // namespace throttlescope
