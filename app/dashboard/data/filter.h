// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_store.h"

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

/// The event table's filter: `op:31 event:rate_limit wait>30s`. Terms are parted by spaces and all have to hold;
/// `a|b` are alternatives within a value, a leading `-` turns a term around, quotes keep spaces together.
/// filterHelp() is the reference: one row a key.
namespace throttlescope::dashboard {

enum class FilterKey : std::uint8_t {
    Op,
    Event,
    Operation,
    Server,
    Attempt,
    Status,
    Outcome,
    Result,
    Reason,
    Wait,
    Took,
    Time,
    Label,
    Words, ///< no key: a word by itself
};

enum class Comparison : std::uint8_t { Is, Below, AtMost, AtLeast, Above };

/// One alternative of a value. Which member counts, the key says.
struct FilterValue {
    std::string text; ///< lower case where case does not count
    std::int64_t low = 0, high = 0; ///< a number, a status class or µs, both ends included
    bool prefix = false; ///< `name*`
    bool operator==(const FilterValue &) const = default;
};

/// One term: a chip that can be taken away.
struct FilterTerm {
    FilterKey key = FilterKey::Words;
    Comparison comparison = Comparison::Is;
    bool negated = false;
    std::vector<FilterValue> values; ///< one of them
    std::string text; ///< as written
    bool operator==(const FilterTerm &) const = default;
};

struct FilterError {
    int column = 1; ///< from 1, in characters
    std::string message; ///< what was expected
    bool operator==(const FilterError &) const = default;
};

struct Filter {
    std::vector<FilterTerm> terms;

    bool isEmpty() const { return terms.empty(); }
    std::string text() const; ///< reads back to the same filter
    Filter without(std::size_t term) const;
    bool operator==(const Filter &) const = default;
};

tl::expected<Filter, FilterError> parseFilter(std::string_view text);

/// A row of the reference.
struct FilterHelp {
    std::string_view key; ///< empty: words without a key
    std::string_view values;
    std::string_view meaning;
    std::string_view example;
};
const std::vector<FilterHelp> &filterHelp();

/// Says of the rows of one store whether they pass. Most terms look at columns only; words look into the event itself.
class RowMatcher {
public:
    RowMatcher(Filter filter, const EventStore &store);

    bool matches(Row row);

private:
    struct LabelRows {
        std::string label; ///< in lower case
        Row begin;
        Row end = kNoRow;
    };

    bool matches(const FilterTerm &term, Row row);
    bool anyText(const FilterTerm &term, std::string_view text) const;
    bool anyNumber(const FilterTerm &term, std::optional<std::int64_t> number) const;
    bool anyWord(const FilterTerm &term, Row row);
    bool inLabel(const FilterTerm &term, Row row);
    void learnLabels(Row row);

    Filter m_filter;
    const EventStore &m_store;
    EventBuffer m_buffer;
    std::size_t m_markersSeen = 0;
    std::vector<LabelRows> m_labels;
};

} // namespace throttlescope::dashboard
