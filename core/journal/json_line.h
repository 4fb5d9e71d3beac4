// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::journal {

/// Appends one JSON object to a string, member by member, in the order written. Text that is not UTF-8 is written with
/// U+FFFD in place of what cannot be read: a header may hold anything, a journal is always valid JSON.
class JsonLine {
public:
    explicit JsonLine(std::string &out)
        : m_out(out)
    {
        m_out.push_back('{');
    }

    void member(std::string_view key, std::string_view text);
    void member(std::string_view key, const char *text) { member(key, std::string_view{text}); }
    void member(std::string_view key, bool value);
    void member(std::string_view key, double value);
    void member(std::string_view key, std::integral auto value) { integer(key, static_cast<std::int64_t>(value)); }
    /// In seconds, always with six decimals.
    void member(std::string_view key, Duration value);
    void member(std::string_view key, MonotonicTime time) { member(key, time.time_since_epoch()); }
    template <typename T>
    void member(std::string_view key, const std::optional<T> &value)
    {
        if (value)
            member(key, *value);
    }
    void null(std::string_view key);
    void raw(std::string_view key, std::string_view json);

    void open(std::string_view key, char bracket);
    void openItem();
    void close(char bracket) { m_out.push_back(bracket); }
    void end() { m_out.push_back('}'); }

private:
    void key(std::string_view key);
    void integer(std::string_view key, std::int64_t value);

    std::string &m_out;
};

void appendJsonText(std::string &out, std::string_view text);
/// "12.345678"
void appendSeconds(std::string &out, Duration value);
/// RFC 3339 in UTC with microseconds: "2026-06-02T09:00:12.000000Z".
void appendRfc3339(std::string &out, WallTime time);

} // namespace throttlescope::journal
