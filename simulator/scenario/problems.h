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
    void add(std::string file, Mark mark, std::string text) { m_errors.push_back({std::move(file), mark, std::move(text)}); }
    bool none() const { return m_errors.empty(); }
    std::size_t count() const { return m_errors.size(); }
    /// In order of place, the first twenty.
    std::vector<LoadError> sorted() const;

private:
    std::vector<LoadError> m_errors;
};

/// ", did you mean 'quota'?" or ", expected one of …": the nearest of `known` where one is near, else all of them.
std::string suggestion(std::string_view word, const std::vector<std::string> &known);

} // namespace throttlescope
