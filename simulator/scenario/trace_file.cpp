// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/trace_file.h"

#include "simulator/scenario/file_text.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace throttlescope {

namespace {

constexpr std::uintmax_t kLargestTrace = std::uintmax_t{64} << 20;
constexpr std::array<std::string_view, 8> kColumns{"at", "operation", "server", "method", "class", "idempotent", "units", "key"};

struct Cell {
    std::string_view text;
    int column = 1;
};

std::vector<Cell> cellsOf(std::string_view line)
{
    std::vector<Cell> cells;
    for (std::size_t from = 0; from <= line.size();) {
        const std::size_t comma = std::min(line.find(',', from), line.size());
        cells.push_back({line.substr(from, comma - from), static_cast<int>(from) + 1});
        from = comma + 1;
    }
    return cells;
}

class TraceReader {
public:
    TraceReader(std::string file, Problems &problems) : m_file(std::move(file)), m_problems(problems) {}

    bool header(std::string_view line)
    {
        for (const Cell &cell : cellsOf(line)) {
            const auto known = std::find(kColumns.begin(), kColumns.end(), cell.text);
            if (known == kColumns.end())
                return wrong(1, cell, fmt::format("unknown column '{}'{}", cell.text.substr(0, 40), suggestion(cell.text, {kColumns.begin(), kColumns.end()})));
            m_columns.push_back(static_cast<std::size_t>(known - kColumns.begin()));
        }
        if (m_columns.size() < 2 || m_columns[0] != 0 || m_columns[1] != 1)
            return wrong(1, {}, "expected the header line to begin with at,operation");
        return true;
    }

    bool line(std::string_view text, int number, TracedOperation &operation)
    {
        const std::vector<Cell> cells = cellsOf(text);
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
        const std::string text{cell.text};
        if (text.empty() && column > 1)
            return true;
        switch (column) {
        case 0: {
            const auto bare = parseNumber(text); // seconds where there is no unit
            const auto at = bare ? Parsed<Duration>{durationFromSeconds(*bare)} : parseDuration(text);
            if (!at || *at < Duration::zero() || *at > std::chrono::hours{24 * 366 * 100})
                return wrong(number, cell, fmt::format("'{}' is no time since the start, expected seconds or a duration", text.substr(0, 40)));
            operation.at = *at;
            return true;
        }
        case 1:
            operation.operation = text;
            return !text.empty() || wrong(number, cell, "the operation is empty, expected a name");
        case 2: operation.server = text; return true;
        case 3:
            operation.method = text;
            for (char &c : *operation.method)
                c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
            return true;
        case 4: return operationClass(text, cell, number, operation);
        case 5: {
            const auto idempotent = parseTruth(text);
            operation.idempotent = idempotent ? std::optional{*idempotent} : std::nullopt;
            return idempotent || wrong(number, cell, idempotent.error());
        }
        case 6: {
            const auto units = parseInteger(text);
            if (!units || *units < 0)
                return wrong(number, cell, fmt::format("'{}' is no number of units, expected digits", text.substr(0, 40)));
            operation.units = static_cast<std::uint64_t>(*units);
            return true;
        }
        default: operation.key = text; return true;
        }
    }

    bool operationClass(const std::string &text, const Cell &cell, int number, TracedOperation &operation)
    {
        constexpr std::array<std::pair<std::string_view, OperationClass>, 4> classes{{{"read", OperationClass::Read}, {"write", OperationClass::Write}, {"action", OperationClass::Action}, {"probe", OperationClass::Probe}}};
        for (const auto &[name, meaning] : classes) {
            if (name == text) {
                operation.operationClass = meaning;
                return true;
            }
        }
        return wrong(number, cell, fmt::format("unknown class '{}'{}", text.substr(0, 40), suggestion(text, {"read", "write", "action", "probe"})));
    }

    std::string m_file;
    Problems &m_problems;
    std::vector<std::size_t> m_columns;
};

} // namespace

std::shared_ptr<const std::vector<TracedOperation>> readTraceText(std::string_view text, const std::string &file, Problems &problems)
{
    auto operations = std::make_shared<std::vector<TracedOperation>>();
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
        if (problems.count() > before + 20)
            return nullptr;
    }
    if (number == 0)
        problems.add(file, {1, 1}, "the trace is empty, expected the header line at,operation");
    if (problems.count() > before)
        return nullptr;
    std::stable_sort(operations->begin(), operations->end(), [](const TracedOperation &a, const TracedOperation &b) { return a.at < b.at; });
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
