// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fetch/worklist.h"
#include "core/net/request.h"
#include "require.h"

#include <cstddef>
#include <cstdint>
#include <set>

using namespace throttlescope;

/// Any text is a worklist: each line an item, skipped and named, or nothing. What is an item can be sent.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char *>(data), size};
    const fetch::Worklist list = fetch::parseWorklist(text, "list");
    std::set<std::string> ids;
    int line = 0;
    for (const fetch::Item &item : list.items) {
        REQUIRE(item.line > line);
        line = item.line;
        REQUIRE(ids.insert(item.id).second);
        REQUIRE(fetch::shownId(item.id) == item.id);
        REQUIRE(item.url.userInfo().isEmpty());
        REQUIRE(net::requestProblem(fetch::requestOf(item)).empty());
        REQUIRE(fetch::shownUrl(item.url).find('?') == std::string::npos);
    }
    for (const LoadError &skipped : list.skipped)
        REQUIRE(skipped.mark.line > 0 && !skipped.text.empty());
    REQUIRE(fetch::fingerprint(list.items) == fetch::fingerprint(fetch::parseWorklist(text, "other").items));
    return 0;
}
