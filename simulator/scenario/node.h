// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/problems.h"
#include "simulator/scenario/scenario.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope {

/// Where a value was written: a file, "preset saia", "--set".
using Origin = std::shared_ptr<const std::string>;

/// A document as it was written, with the place of every value. Keys keep their order and occur once.
struct Node {
    enum class Kind { Null, Scalar, Sequence, Map };
    struct Entry;

    Kind kind = Kind::Null;
    std::string text; ///< of a scalar
    bool quoted = false; ///< a quoted scalar is text, never a number, a truth value or null
    Mark mark;
    Origin origin;
    std::vector<Node> items;
    std::vector<Entry> entries;

    bool isMap() const { return kind == Kind::Map; }
    bool isScalar() const { return kind == Kind::Scalar; }
    const Node *find(std::string_view key) const;
    Node *find(std::string_view key);
    /// Sets or adds; a map that was null becomes one.
    Node &set(std::string_view key, Node value);
    void erase(std::string_view key);
    /// "a map", "a list", "text", "nothing": for errors.
    std::string_view kindName() const;

    static Node scalar(std::string text, bool quoted = false);
};

struct Node::Entry {
    std::string key;
    Mark mark;
    Node value;
};

/// The offset of the first byte that no text has: a control character other than tab and line ends, or broken UTF-8.
std::optional<std::size_t> firstNonText(std::string_view text);

/// Reads one YAML document (JSON is a subset). The first error of the text itself is reported: syntax with its place, a
/// duplicate key, `<<`, a key that is no plain text, a second document, bytes that are no UTF-8 text, nesting over 64
/// levels, more than 200,000 values. Aliases are refused: a scenario says each thing where it stands.
bool parseYaml(std::string_view text, const Origin &origin, Node &document, Problems &problems);

} // namespace throttlescope
