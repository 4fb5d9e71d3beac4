// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/request_reader.h"
#include "tests/fuzz/require.h"

#include <algorithm>
#include <string>
#include <vector>

/// A connection's bytes: whatever they are and wherever they are cut, the same requests come out, nothing is read twice, and
/// what is kept stays bounded.
using namespace throttlescope::http;

namespace {

constexpr RequestBounds kBounds{1024, 4096}; // small, so that the fuzzer meets them

struct Seen {
    std::vector<std::string> requests;
    int status = 0;
    bool operator==(const Seen &) const = default;
};

/// Hands the bytes over in pieces of these sizes, over and over; no sizes: all at once.
Seen read(std::string_view bytes, const std::vector<std::size_t> &pieces)
{
    Seen seen;
    RequestReader reader{kBounds};
    ReceivedRequest request;
    reader.begin(request);
    std::string input;
    for (std::size_t piece = 0; !bytes.empty() || !input.empty(); ++piece) {
        const std::size_t size = pieces.empty() ? bytes.size() : std::min(bytes.size(), pieces[piece % pieces.size()]);
        input.append(bytes.substr(0, size));
        bytes.remove_prefix(size);
        bool more = true;
        while (more) {
            const auto [step, consumed] = reader.feed(input);
            REQUIRE(consumed <= input.size());
            input.erase(0, consumed);
            more = step == RequestReader::Step::Continue || (step == RequestReader::Step::Complete && !input.empty());
            if (step == RequestReader::Step::Refused) {
                seen.status = reader.status();
                REQUIRE(seen.status >= 400 && seen.status < 600);
                return seen;
            }
            if (step == RequestReader::Step::Complete) {
                REQUIRE(request.bodySize <= kBounds.body);
                std::string text = request.method + ' ' + request.target + ' ' + std::to_string(request.bodySize) + ' '
                    + std::to_string(request.bodyHash) + (request.keepAlive ? " keep " : " close ") + std::string{request.path()};
                for (const auto &field : request.headers)
                    text += '\n' + field.name + ": " + field.value;
                seen.requests.push_back(std::move(text));
                reader.begin(request);
            }
        }
        REQUIRE(input.size() < kBounds.header);
        if (bytes.empty())
            return seen;
    }
    return seen;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size < 4)
        return 0;
    const std::vector<std::size_t> pieces{std::size_t{1} + data[0] % 64, std::size_t{1} + data[1], std::size_t{1} + data[2] % 7};
    const std::string_view bytes{reinterpret_cast<const char *>(data) + 3, size - 3};
    const Seen whole = read(bytes, {});
    const Seen cut = read(bytes, pieces);
    // A limit may strike at another byte of a message that is too long anyway; what was whole before it is the same.
    const std::size_t common = std::min(whole.requests.size(), cut.requests.size());
    REQUIRE(std::equal(whole.requests.begin(), whole.requests.begin() + static_cast<std::ptrdiff_t>(common), cut.requests.begin()));
    const auto limit = [](int status) { return status == 413 || status == 431; };
    if (!limit(whole.status) && !limit(cut.status))
        REQUIRE(whole == cut);
    return 0;
}
