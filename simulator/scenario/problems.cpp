// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/problems.h"

#include <fmt/format.h>
#include <numeric>
#include <tuple>

namespace throttlescope {

namespace {

constexpr std::size_t kMostErrors = 20;
constexpr std::size_t kMostKept = 1'000;
constexpr std::size_t kLongestShown = 60;
constexpr std::size_t kMostListed = 24;
constexpr std::size_t kLongestWord = 64;

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

std::string onOneLine(std::string_view text)
{
    std::string line;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)
            line += c;
        else
            line += c == '\n' ? std::string{"\\n"} : fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return line;
}

} // namespace

std::string LoadError::format() const
{
    return fmt::format("{}:{}:{}: {}", file, mark.line, mark.column, text);
}

void Problems::add(std::string file, Mark mark, std::string text)
{
    if (!full())
        m_errors.push_back({std::move(file), mark, onOneLine(text)});
}

bool Problems::full() const
{
    return m_errors.size() >= kMostKept;
}

std::vector<LoadError> Problems::sorted() const
{
    std::vector<LoadError> errors = m_errors;
    const auto rank = [this](const LoadError &error) { return error.file.rfind("--set", 0) == 0 ? 0 : error.file == m_file ? 1 : 2; };
    std::stable_sort(errors.begin(), errors.end(), [&rank](const LoadError &a, const LoadError &b) {
        return std::tuple{rank(a), a.mark.line, a.mark.column} < std::tuple{rank(b), b.mark.line, b.mark.column};
    });
    // A policy that several rows overlay is bound once for each of them, and is wrong each time.
    errors.erase(std::unique(errors.begin(), errors.end()), errors.end());
    if (errors.size() > kMostErrors)
        errors.resize(kMostErrors);
    return errors;
}

std::string shown(std::string_view text)
{
    if (text.size() <= kLongestShown)
        return std::string{text};
    std::size_t end = kLongestShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end;
    return fmt::format("{}…", text.substr(0, end));
}

std::string suggestion(std::string_view word, const std::vector<std::string> &known)
{
    if (known.empty())
        return ", there is none";
    const std::string *nearest = nullptr;
    std::size_t least = word.empty() ? 0 : word.size() / 3 + 2; // more edits than that is no slip of the pen
    for (const std::string &candidate : known) {
        const std::size_t distance = word.size() > kLongestWord ? least : editDistance(word, candidate);
        if (distance < least) {
            least = distance;
            nearest = &candidate;
        }
    }
    if (nearest)
        return fmt::format(", did you mean '{}'?", *nearest);
    const auto shown = static_cast<std::ptrdiff_t>(std::min(known.size(), kMostListed));
    return fmt::format(", expected {}{}{}", known.size() > 1 ? "one of " : "", fmt::join(known.begin(), known.begin() + shown, ", "),
        known.size() > kMostListed ? ", …" : "");
}

} // namespace throttlescope
