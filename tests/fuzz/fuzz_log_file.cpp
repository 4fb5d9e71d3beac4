// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_reader.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace throttlescope;
using namespace throttlescope::incident;

class Pieces final : public ByteSource {
public:
    Pieces(std::string text, std::size_t piece)
        : m_text(std::move(text))
        , m_piece(piece)
    {
    }
    std::size_t read(std::span<char> into) override
    {
        const std::size_t count = m_text.copy(into.data(), std::min(into.size(), m_piece), m_at);
        m_at += count;
        return count;
    }

private:
    std::string m_text;
    std::size_t m_piece;
    std::size_t m_at = 0;
};

std::vector<LogEntry> entriesOf(const std::string &text, std::size_t piece)
{
    EntryBudget budget;
    const LogReadOptions options;
    std::vector<LogEntry> entries;
    auto stream = LogStream::probe("log", std::make_unique<Pieces>(text, piece), options.stream, budget);
    if (!stream)
        return entries;
    std::vector<std::unique_ptr<LogStream>> streams;
    streams.push_back(std::move(*stream));
    const auto summary = readStreams(std::move(streams), options, [&entries](LogEntry &entry) { entries.push_back(std::move(entry)); });
    REQUIRE(summary && summary->entries == entries.size());
    REQUIRE(budget.used == 0);
    return entries;
}

} // namespace

/// A whole file: compressed or not, a HAR or lines of any format, cut anywhere. In pieces of any size it is the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string text{reinterpret_cast<const char *>(data + 1), size - 1};
    REQUIRE(entriesOf(text, 65'536) == entriesOf(text, std::size_t{data[0]} + 1));
    return 0;
}
