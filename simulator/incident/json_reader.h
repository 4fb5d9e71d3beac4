// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/line_reader.h"

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::incident {

/// A JSON object's members, by key; what is absent or of another type is none.
class JsonMembers {
public:
    explicit JsonMembers(simdjson::dom::object object)
        : m_object(object)
    {
    }

    bool has(std::string_view key) const { return !m_object.at_key(key).error(); }
    std::string_view text(std::string_view key) const;
    /// A number, or a text that is one: as it would be written.
    std::string scalar(std::string_view key) const { return scalarOf(element(key)); }
    std::optional<std::uint64_t> count(std::string_view key) const;
    std::optional<JsonMembers> object(std::string_view key) const;
    /// The key as it is, else its dots as steps into objects.
    std::optional<simdjson::dom::element> element(std::string_view key) const;
    const simdjson::dom::object &all() const { return m_object; }

    static std::string scalarOf(const std::optional<simdjson::dom::element> &element);
    /// A text, or an array's first.
    static std::string_view firstText(simdjson::dom::element element);

private:
    simdjson::dom::object m_object;
};

/// One JSON object a line.
class JsonReader : public LineReader {
public:
    Reading read(std::string_view line, LogEntry &entry) final;

protected:
    /// `entry` is empty.
    virtual Reading readObject(const JsonMembers &members, LogEntry &entry) = 0;
    /// At the key, where the line has it; else at the line's beginning.
    Reading wrong(std::string_view key, std::string_view what);
    /// Status as number or text; null and 0 mean that nothing was answered. False: it is something else.
    static bool setStatus(LogEntry &entry, const std::optional<simdjson::dom::element> &element);
    static void addHeaders(LogEntry &entry, const std::optional<JsonMembers> &headers);

private:
    simdjson::dom::parser m_parser;
    std::string m_padded; ///< simdjson reads a little beyond the end
    std::string_view m_line;
};

} // namespace throttlescope::incident
