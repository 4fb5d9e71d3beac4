// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/scenario.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope {

/// What is wrong with a file, where, and what was expected.
struct LoadError {
    std::string file;
    Mark mark;
    std::string text;
    /// "file:line:column: text", one line.
    std::string format() const;
    bool operator==(const LoadError &) const = default;
};

/// Collects the errors of one load.
class Problems {
public:
    Problems() = default;
    /// `file` is the one that is loaded: its errors come before those of other files, and after those of options.
    explicit Problems(std::string file)
        : m_file(std::move(file))
    {
    }

    void add(std::string file, Mark mark, std::string text);
    bool none() const { return m_errors.empty(); }
    std::size_t count() const { return m_errors.size(); }
    /// So many that nobody reads another: a reader may stop.
    bool full() const;
    /// In order of place, each once, the first twenty.
    std::vector<LoadError> sorted() const;

private:
    std::string m_file;
    std::vector<LoadError> m_errors;
};

/// A word from a file as an error shows it: on one line, and not a megabyte of it.
std::string shown(std::string_view text);

/// ", did you mean 'quota'?" or ", expected one of …": the nearest of `known` where one is near, else all of them.
std::string suggestion(std::string_view word, const std::vector<std::string> &known);

} // namespace throttlescope
