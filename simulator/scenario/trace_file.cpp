// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/trace_file.h"

#include "core/engine/outcome.h"
#include "simulator/scenario/file_text.h"
#include "simulator/scenario/node.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace throttlescope {

namespace {

constexpr std::uintmax_t kLargestTrace = std::uintmax_t{64} << 20;
constexpr std::size_t kMostOperations = 2'000'000; ///< half a gigabyte of them
constexpr Duration kLatest = std::chrono::hours{24 * 366 * 100};
constexpr std::size_t kLongestCell = 200;
constexpr std::array<std::string_view, 8> kColumns{"at", "operation", "server", "method", "class", "idempotent", "units", "key"};

struct Cell {
    std::string text;
    int column = 1;
};

/// The cells of a line; a cell in quotes may hold commas and, doubled, quotes (RFC 4180), but no line end. None where a
/// quote is not closed.
std::optional<std::vector<Cell>> cellsOf(std::string_view line)
{
    std::vector<Cell> cells;
    for (std::size_t at = 0; at <= line.size(); ++at) {
        Cell cell{{}, static_cast<int>(at) + 1};
        if (at < line.size() && line[at] == '"') {
            for (++at; at < line.size() && (line[at] != '"' || (at + 1 < line.size() && line[at + 1] == '"')); ++at) {
                cell.text += line[at];
                at += line[at] == '"' ? 1 : 0;
            }
            if (at >= line.size() || (at + 1 < line.size() && line[at + 1] != ','))
                return std::nullopt;
            ++at;
        } else {
            const std::size_t comma = std::min(line.find(',', at), line.size());
            cell.text = line.substr(at, comma - at);
            at = comma;
        }
        cells.push_back(std::move(cell));
    }
    return cells;
}

class TraceReader {
public:
    TraceReader(std::string file, Problems &problems)
        : m_file(std::move(file))
        , m_problems(problems)
    {
    }

    bool header(std::string_view line)
    {
        const auto cells = cellsOf(line);
        if (!cells)
            return wrong(1, {}, "a quote that does not end with its cell, expected the header line at,operation");
        for (const Cell &cell : *cells) {
            const auto known = std::find(kColumns.begin(), kColumns.end(), cell.text);
            if (known == kColumns.end())
                return wrong(1, cell,
                    fmt::format("unknown column '{}'{}", shown(cell.text), suggestion(cell.text, {kColumns.begin(), kColumns.end()})));
            const auto column = static_cast<std::size_t>(known - kColumns.begin());
            if (std::find(m_columns.begin(), m_columns.end(), column) != m_columns.end())
                return wrong(1, cell, fmt::format("a second column '{}', expected it once", cell.text));
            m_columns.push_back(column);
        }
        if (m_columns.size() < 2 || m_columns[0] != 0 || m_columns[1] != 1)
            return wrong(1, {}, "expected the header line to begin with at,operation");
        return true;
    }

    bool line(std::string_view text, int number, TracedOperation &operation)
    {
        const auto split = cellsOf(text);
        if (!split)
            return wrong(number, {}, "a quote that does not end with its cell, expected a closing quote before the comma");
        const std::vector<Cell> &cells = *split;
        if (cells.size() != m_columns.size())
            return wrong(number, cells.back(), fmt::format("{} fields, expected {}", cells.size(), m_columns.size()));
        operation.line = number;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!cell(m_columns[i], cells[i], number, operation))
                return false;
        }
        return true;
    }

private:
    bool wrong(int line, const Cell &cell, std::string text)
    {
        m_problems.add(m_file, {line, cell.column}, std::move(text));
        return false;
    }

    bool cell(std::size_t column, const Cell &cell, int number, TracedOperation &operation)
    {
        const std::string &text = cell.text;
        if (text.size() > kLongestCell)
            return wrong(number, cell, fmt::format("a cell of {} bytes, expected at most {}", text.size(), kLongestCell));
        if (text.empty() && column > 1)
            return true;
        switch (column) {
        case 0: {
            const auto bare = parseNumber(text); // seconds where there is no unit
            const auto at = bare ? Parsed<Duration>{durationFromSeconds(*bare)} : parseDuration(text);
            if (!at || *at < Duration::zero() || *at > kLatest)
                return wrong(number, cell, fmt::format("'{}' is no time since the start, expected seconds or a duration", shown(text)));
            operation.at = *at;
            return true;
        }
        case 1: operation.operation = text; return !text.empty() || wrong(number, cell, "the operation is empty, expected a name");
        case 2: operation.server = text; return true;
        case 3:
            operation.method = upperCase(std::string{text});
            return std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); })
                || wrong(number, cell, fmt::format("'{}' is no method, expected one such as GET or POST", shown(text)));
        case 4: return operationClass(text, cell, number, operation);
        case 5: {
            const auto idempotent = parseTruth(text);
            operation.idempotent = idempotent ? std::optional{*idempotent} : std::nullopt;
            return idempotent || wrong(number, cell, idempotent.error());
        }
        case 6: {
            const auto units = parseInteger(text);
            if (!units || *units < 0)
                return wrong(number, cell, fmt::format("'{}' is no number of units, expected digits", shown(text)));
            operation.units = static_cast<std::uint64_t>(*units);
            return true;
        }
        default: operation.key = text; return true;
        }
    }

    bool operationClass(const std::string &text, const Cell &cell, int number, TracedOperation &operation)
    {
        constexpr std::array<std::pair<std::string_view, OperationClass>, 4> classes{{{"read", OperationClass::Read},
            {"write", OperationClass::Write}, {"action", OperationClass::Action}, {"probe", OperationClass::Probe}}};
        for (const auto &[name, meaning] : classes) {
            if (name == text) {
                operation.operationClass = meaning;
                return true;
            }
        }
        return wrong(
            number, cell, fmt::format("unknown class '{}'{}", shown(text), suggestion(text, {"read", "write", "action", "probe"})));
    }

    std::string m_file;
    Problems &m_problems;
    std::vector<std::size_t> m_columns;
};

} // namespace

std::shared_ptr<const std::vector<TracedOperation>> readTraceText(std::string_view text, const std::string &file, Problems &problems)
{
    auto operations = std::make_shared<std::vector<TracedOperation>>();
    if (text.substr(0, 3) == "\xEF\xBB\xBF")
        text.remove_prefix(3);
    if (const auto bad = firstNonText(text)) {
        const std::string_view before = text.substr(0, *bad);
        const std::size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
        problems.add(file, {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1, static_cast<int>(*bad - lineStart) + 1},
            fmt::format("byte 0x{:02x} is no text, expected CSV in UTF-8", static_cast<unsigned>(static_cast<unsigned char>(text[*bad]))));
        return nullptr;
    }
    TraceReader reader{file, problems};
    int number = 0;
    const std::size_t before = problems.count();
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(text.size(), end + 1));
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        ++number;
        if (number == 1) {
            if (!reader.header(line))
                return nullptr;
            continue;
        }
        TracedOperation operation;
        if (!line.empty() && reader.line(line, number, operation))
            operations->push_back(std::move(operation));
        if (operations->size() > kMostOperations)
            problems.add(file, {number, 1}, fmt::format("more than {} operations, expected a shorter trace", kMostOperations));
        if (problems.count() > before + 20 || operations->size() > kMostOperations)
            return nullptr;
    }
    if (number == 0)
        problems.add(file, {1, 1}, "the trace is empty, expected the header line at,operation");
    if (problems.count() > before)
        return nullptr;
    std::stable_sort(
        operations->begin(), operations->end(), [](const TracedOperation &a, const TracedOperation &b) { return a.at < b.at; });
    return operations;
}

std::shared_ptr<const std::vector<TracedOperation>> readTrace(const std::filesystem::path &file, Problems &problems)
{
    const auto text = readFile(file, kLargestTrace);
    if (!text) {
        problems.add(file.string(), {1, 1}, text.error());
        return nullptr;
    }
    return readTraceText(*text, file.string(), problems);
}

} // namespace throttlescope
