// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

/// Structured Field Values (RFC 9651): parsing (section 4.2) and serialisation (section 4.1) of Items, Lists and
/// Dictionaries. Parsing is strict, as the RFC wants it: any error fails the whole field. Linear in the text but for
/// repeated keys, see `Parameters`. Throws nothing but bad_alloc; thread-safe.
namespace throttlescope::signals::sf {

/// −999,999,999,999,999 to 999,999,999,999,999.
using Integer = std::int64_t;

/// At most twelve digits before the point and three behind it: exact, in thousandths.
struct Decimal {
    std::int64_t thousandths = 0;
    /// Rounded to three digits, a half to the even neighbour (section 4.1.5).
    static Decimal rounded(double value);
    bool operator==(const Decimal &) const = default;
};
struct String { ///< ASCII 0x20 to 0x7e
    std::string text;
    bool operator==(const String &) const = default;
};
struct Token {
    std::string text;
    bool operator==(const Token &) const = default;
};
struct ByteSequence {
    std::string bytes;
    bool operator==(const ByteSequence &) const = default;
};
struct Date { ///< seconds since 1970-01-01T00:00:00Z, in the range of Integer
    std::int64_t seconds = 0;
    bool operator==(const Date &) const = default;
};
struct DisplayString { ///< UTF-8
    std::string text;
    bool operator==(const DisplayString &) const = default;
};
using BareItem = std::variant<Integer, Decimal, String, Token, ByteSequence, bool, Date, DisplayString>;

/// Keys are unique: a repeated key keeps its first place and takes the last value. Few are expected; beyond 32 keys a
/// lookup table keeps the time linear.
struct Parameter {
    std::string key;
    BareItem value;
    bool operator==(const Parameter &) const = default;
};
using Parameters = std::vector<Parameter>;

struct Item {
    BareItem value;
    Parameters parameters;
    bool operator==(const Item &) const = default;
};
struct InnerList {
    std::vector<Item> items;
    Parameters parameters;
    bool operator==(const InnerList &) const = default;
};
using Member = std::variant<Item, InnerList>;
using List = std::vector<Member>;
struct DictionaryMember {
    std::string key;
    Member value;
    bool operator==(const DictionaryMember &) const = default;
};
using Dictionary = std::vector<DictionaryMember>;

struct ParseError {
    std::size_t position = 0; ///< of the first character that does not fit, counted from 0
    std::string_view what; ///< "a key was expected"
};

tl::expected<Item, ParseError> parseItem(std::string_view text);
tl::expected<List, ParseError> parseList(std::string_view text);
tl::expected<Dictionary, ParseError> parseDictionary(std::string_view text);

/// The canonical text, or what cannot be written: an integer out of range, a string or a key with forbidden characters. An
/// empty List or Dictionary gives an empty text: the field is then not sent at all.
tl::expected<std::string, std::string_view> serialised(const Item &item);
tl::expected<std::string, std::string_view> serialised(const List &list);
tl::expected<std::string, std::string_view> serialised(const Dictionary &dictionary);

/// The parameter of that key, or null.
const BareItem *find(const Parameters &parameters, std::string_view key);
const Member *find(const Dictionary &dictionary, std::string_view key);

} // namespace throttlescope::signals::sf
