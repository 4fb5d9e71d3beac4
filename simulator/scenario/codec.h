// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/node.h"
#include "simulator/scenario/shared_function.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// The field table's machinery: a codec reads a value from a node, writes it back, and describes itself; a record is a
/// list of fields, one row a key. Loader, JSON Schema, reference page, `--set`, `explain` and the policy editor are all
/// read off the same rows.
namespace throttlescope {

/// What a value may be: as JSON Schema, in words, and for an editor.
struct Schema {
    enum class Kind { Other, Text, Duration, Rate, Percent, Number, Whole, Size, Truth, Period, Moment, Words, Choice, List, Record };
    struct Field {
        std::string key;
        std::string doc;
        std::shared_ptr<const Schema> schema;
        bool required = false;
    };
    std::string json; ///< a JSON Schema fragment; of a record without its properties
    std::string expected; ///< "a duration such as 31s", "one of safe, limited, never"
    std::vector<Field> fields; ///< of a record: what merges by key. A list or a tagged value has none
    Kind kind = Kind::Other;
    std::vector<std::string> words; ///< that may be written, of Words and Choice
    std::string least, most; ///< inclusive, as a file writes them; empty where unbounded
    std::shared_ptr<const Schema> item; ///< of a list or a map by name
    Node defaults; ///< of a record: every key that has one
    std::string definition; ///< name under $defs; empty: it stands where it is used
    std::vector<std::shared_ptr<const Schema>> alternatives; ///< of a Choice
};
using SchemaPtr = std::shared_ptr<const Schema>;
/// As JSON Schema: a reference where the schema has a definition.
std::string schemaJson(const Schema &schema);
/// As JSON Schema in full, whether it has a definition or not.
std::string definitionJson(const Schema &schema);
/// The same under $defs, for what stands in several places.
SchemaPtr defined(const SchemaPtr &schema, std::string name);
/// Durations are all alike; their ranges are checked by the loader alone.
inline constexpr std::string_view kDurationJson = R"({"type":"string","pattern":"^[+-]?([0-9.]+(us|ms|s|min|m|h|d))+$"})";

/// The most that a count may be.
inline constexpr std::int64_t kManyTimes = 1'000'000'000;

template <typename T>
struct Codec {
    SharedFunction<bool(const Node &, T &, Problems &)> read; ///< false: a problem was added
    SharedFunction<Node(const T &)> write;
    SchemaPtr schema;
};

inline bool refuse(const Node &node, Problems &problems, std::string text)
{
    problems.add(node.origin ? *node.origin : "", node.mark, std::move(text));
    return false;
}

// --- single values ------------------------------------------------------------------------------------------------
/// `quotedToo`: JSON has no other way to write a duration than in quotes; numbers and truth values are never quoted.
template <typename T>
Codec<T> scalarCodec(Parsed<T> (*parse)(std::string_view), std::function<std::string(const T &)> check,
    std::function<Node(const T &)> write, SchemaPtr schema, bool quotedToo = true)
{
    const auto read = [parse, check, schema, quotedToo](const Node &node, T &value, Problems &problems) {
        if (!node.isScalar())
            return refuse(node, problems, fmt::format("{}, expected {}", node.kindName(), schema->expected));
        if (node.quoted && !quotedToo)
            return refuse(node, problems, fmt::format("'{}' is quoted text, expected {}", shown(node.text), schema->expected));
        const auto parsed = parse(node.text);
        if (!parsed)
            return refuse(node, problems, parsed.error());
        if (const std::string complaint = check ? check(*parsed) : std::string{}; !complaint.empty())
            return refuse(node, problems, complaint);
        value = *parsed;
        return true;
    };
    return {read, write, schema};
}

inline constexpr Duration kLongestDuration = std::chrono::hours{24 * 366 * 100};

Codec<Duration> durationCodec(Duration least = Duration::zero(), Duration most = kLongestDuration);
Codec<Rate> rateCodec();
Codec<double> percentCodec(double most = 1);
Codec<double> numberCodec(double least, double most);
Codec<std::uint64_t> sizeCodec();
Codec<bool> truthCodec();
Codec<Period> periodCodec();
Codec<WallTime> momentCodec();
/// A name: 1 to 200 characters on one line.
Codec<std::string> nameCodec();
/// Any text.
Codec<std::string> textCodec();
Codec<std::int64_t> wholeCodec(std::int64_t least, std::int64_t most);

template <typename Integer>
Codec<Integer> integerCodec(std::int64_t least, std::int64_t most)
{
    const Codec<std::int64_t> whole = wholeCodec(least, most);
    return {[whole](const Node &node, Integer &value, Problems &problems) {
                std::int64_t wide = 0;
                if (!whole.read(node, wide, problems))
                    return false;
                value = static_cast<Integer>(wide);
                return true;
            },
        [](const Integer &value) { return Node::scalar(std::to_string(value)); }, whole.schema};
}

// --- choices ------------------------------------------------------------------------------------------------------
SchemaPtr wordsSchema(const std::vector<std::string> &words);

template <typename E>
Codec<E> wordsCodec(std::vector<std::pair<std::string, E>> words)
{
    std::vector<std::string> names;
    for (const auto &word : words)
        names.push_back(word.first);
    const SchemaPtr schema = wordsSchema(names);
    const auto read = [words, names, schema](const Node &node, E &value, Problems &problems) {
        if (!node.isScalar())
            return refuse(node, problems, fmt::format("{}, expected {}", node.kindName(), schema->expected));
        for (const auto &[name, meaning] : words) {
            if (name == node.text) {
                value = meaning;
                return true;
            }
        }
        return refuse(node, problems, fmt::format("unknown word '{}'{}", shown(node.text), suggestion(node.text, names)));
    };
    const auto write = [words](const E &value) {
        for (const auto &[name, meaning] : words) {
            if (meaning == value)
                return Node::scalar(name, true);
        }
        return Node{};
    };
    return {read, write, schema};
}

/// One of the ways to write a variant: a word, a map told by its first key, or a plain value.
template <typename V>
struct Alternative {
    enum class Shape { Word, Map, Value };
    Shape shape;
    std::string tag; ///< the word; the key that tells the map
    SharedFunction<bool(const Node &, V &, Problems &)> read;
    SharedFunction<std::optional<Node>(const V &)> write;
    SchemaPtr schema;
};

template <typename V>
Alternative<V> wordAlternative(std::string word, V meaning)
{
    return {Alternative<V>::Shape::Word, word,
        [meaning](const Node &, V &value, Problems &) {
            value = meaning;
            return true;
        },
        [word, meaning](const V &value) { return value == meaning ? std::optional{Node::scalar(word, true)} : std::nullopt; },
        wordsSchema({word})};
}

template <typename V, typename A>
Alternative<V> alternativeOf(typename Alternative<V>::Shape shape, std::string tag, Codec<A> codec)
{
    return {shape, std::move(tag),
        [codec](const Node &node, V &value, Problems &problems) {
            A alternative{};
            if (!codec.read(node, alternative, problems))
                return false;
            value = std::move(alternative);
            return true;
        },
        [codec](const V &value) {
            const A *alternative = std::get_if<A>(&value);
            return alternative ? std::optional{codec.write(*alternative)} : std::nullopt;
        },
        codec.schema};
}

template <typename V, typename A>
Alternative<V> mapAlternative(std::string tag, Codec<A> codec)
{
    return alternativeOf<V, A>(Alternative<V>::Shape::Map, std::move(tag), std::move(codec));
}

template <typename V, typename A>
Alternative<V> valueAlternative(Codec<A> codec)
{
    const std::string tag = codec.schema->expected; // before the codec is moved from: arguments come in no order
    return alternativeOf<V, A>(Alternative<V>::Shape::Value, tag, std::move(codec));
}

SchemaPtr anyOfSchema(const std::vector<SchemaPtr> &alternatives, std::string expected);

template <typename V>
Codec<V> variantCodec(std::vector<Alternative<V>> alternatives)
{
    using Shape = typename Alternative<V>::Shape;
    std::vector<std::string> names;
    std::vector<SchemaPtr> schemas;
    for (const auto &alternative : alternatives) {
        names.push_back(alternative.shape == Shape::Map ? fmt::format("{{{}: …}}", alternative.tag) : alternative.tag);
        schemas.push_back(alternative.schema);
    }
    const std::string expected = fmt::format("{}{}", names.size() > 1 ? "one of " : "", fmt::join(names, ", "));
    const auto read = [alternatives, names, expected](const Node &node, V &value, Problems &problems) {
        for (const auto &alternative : alternatives) {
            const bool meant = alternative.shape == Shape::Word ? node.isScalar() && node.text == alternative.tag
                : alternative.shape == Shape::Map               ? node.isMap() && node.find(alternative.tag)
                                                                : node.isScalar();
            if (meant)
                return alternative.read(node, value, problems);
        }
        const std::string_view written = node.isScalar() ? std::string_view{node.text}
            : node.isMap() && !node.entries.empty()      ? std::string_view{node.entries.front().key}
                                                         : std::string_view{};
        if (written.empty())
            return refuse(node, problems, fmt::format("{}, expected {}", node.kindName(), expected));
        std::vector<std::string> tags;
        for (const auto &alternative : alternatives) {
            if (alternative.shape != Shape::Value)
                tags.push_back(alternative.tag);
        }
        const std::string near = suggestion(written, tags);
        return refuse(node, problems,
            fmt::format(
                "unknown choice '{}'{}", shown(written), near.find("did you mean") != std::string::npos ? near : ", expected " + expected));
    };
    const auto write = [alternatives](const V &value) {
        for (const auto &alternative : alternatives) {
            if (auto node = alternative.write(value))
                return *node;
        }
        return Node{};
    };
    return {read, write, anyOfSchema(schemas, expected)};
}

// --- lists --------------------------------------------------------------------------------------------------------
SchemaPtr listSchema(const SchemaPtr &item);
/// A map from any name to such values.
SchemaPtr namedSchema(const SchemaPtr &item, const std::string &what);
/// For what has no codec of its own shape: a fragment and what it says in words.
SchemaPtr otherSchema(std::string json, std::string expected);

template <typename T>
Codec<std::vector<T>> listCodec(Codec<T> item)
{
    const SchemaPtr schema = listSchema(item.schema);
    const auto read = [item, schema](const Node &node, std::vector<T> &values, Problems &problems) {
        if (node.kind != Node::Kind::Sequence)
            return refuse(node, problems, fmt::format("{}, expected {}", node.kindName(), schema->expected));
        bool good = true;
        values.clear();
        for (const Node &child : node.items) {
            T value{};
            good = item.read(child, value, problems) && good;
            values.push_back(std::move(value));
            if (problems.full())
                return false;
        }
        return good;
    };
    const auto write = [item](const std::vector<T> &values) {
        Node node;
        node.kind = Node::Kind::Sequence;
        for (const T &value : values)
            node.items.push_back(item.write(value));
        return node;
    };
    return {read, write, schema};
}

// --- records ------------------------------------------------------------------------------------------------------
template <typename T>
struct Field {
    std::string key;
    SharedFunction<bool(const Node &, T &, Problems &)> read;
    SharedFunction<std::optional<Node>(const T &)> write; ///< none: not set, not written
    SchemaPtr schema;
    std::string doc;
    bool required = false;
};

template <typename T, typename M>
Field<T> field(std::string key, M T::*member, Codec<M> codec, std::string doc, bool required = false)
{
    return {std::move(key),
        [member, codec](const Node &node, T &record, Problems &problems) { return codec.read(node, record.*member, problems); },
        [member, codec](const T &record) { return std::optional{codec.write(record.*member)}; }, codec.schema, std::move(doc), required};
}

template <typename T, typename M>
Field<T> required(std::string key, M T::*member, Codec<M> codec, std::string doc)
{
    return field(std::move(key), member, std::move(codec), std::move(doc), true);
}

/// For a member that may be absent.
template <typename T, typename M>
Field<T> field(std::string key, std::optional<M> T::*member, Codec<M> codec, std::string doc)
{
    return {std::move(key),
        [member, codec](const Node &node, T &record, Problems &problems) {
            M value{};
            if (!codec.read(node, value, problems))
                return false;
            record.*member = std::move(value);
            return true;
        },
        [member, codec](const T &record) { return record.*member ? std::optional{codec.write(*(record.*member))} : std::nullopt; },
        codec.schema, std::move(doc), false};
}

/// A field that a table lists and another reader reads.
template <typename T>
Field<T> readElsewhere(const Schema::Field &row)
{
    return {row.key, [](const Node &, T &, Problems &) { return true; }, [](const T &) { return std::optional<Node>{}; }, row.schema,
        row.doc, row.required};
}

/// The keys a record's node may have and must have.
bool checkKeys(const Node &node, const std::vector<Schema::Field> &fields, Problems &problems);
SchemaPtr recordSchema(std::vector<Schema::Field> fields, Node defaults = {});

template <typename T>
Codec<T> recordCodec(std::vector<Field<T>> fields)
{
    std::vector<Schema::Field> rows;
    for (const auto &row : fields)
        rows.push_back({row.key, row.doc, row.schema, row.required});
    const auto write = [fields](const T &record) {
        Node node;
        node.kind = Node::Kind::Map;
        for (const auto &row : fields) {
            if (auto child = row.write(record); child && child->kind != Node::Kind::Null)
                node.entries.push_back({row.key, {}, std::move(*child)});
        }
        return node;
    };
    const SchemaPtr schema = recordSchema(rows, write(T{}));
    const auto read = [fields, schema](const Node &node, T &record, Problems &problems) {
        bool good = checkKeys(node, schema->fields, problems);
        for (const auto &row : fields) {
            const Node *child = node.find(row.key);
            if (child && child->kind != Node::Kind::Null) // null unsets: the default holds
                good = row.read(*child, record, problems) && good;
        }
        return good;
    };
    return {read, write, schema};
}

} // namespace throttlescope
