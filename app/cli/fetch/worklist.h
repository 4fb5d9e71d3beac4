// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/problem.h"
#include "core/engine/outcome.h"
#include "core/engine/replay.h"
#include "core/net/request.h"
#include "simulator/scenario/problems.h"

#include <QByteArray>
#include <QUrl>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::fetch {

/// One line of a worklist.
struct Item {
    std::string id; ///< unique; see defaultId() and shownId()
    int line = 0;
    std::string method = "GET"; ///< upper case
    QUrl url; ///< http or https, without user information and fragment
    Headers headers;
    std::optional<QByteArray> body;
    std::optional<OperationClass> operationClass;
    std::optional<bool> idempotent;
    std::uint64_t units = 1;
    bool operator==(const Item &) const = default;
};

struct Worklist {
    std::vector<Item> items;
    std::vector<LoadError> skipped; ///< lines that are none, in order of line
};

inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

/// One URL a line, or JSON Lines; blank lines and `#` comments are skipped. `file` names the text in errors.
Worklist parseWorklist(std::string_view text, const std::string &file);
OrProblem<Worklist> readWorklist(const std::filesystem::path &file);

/// SHA-256 over id, method, URL, the headers' names and the body's digest of each item, in order.
std::string fingerprint(const std::vector<Item> &items);

/// The URL without user information, query and fragment.
std::string shownUrl(const QUrl &url);
/// The URL itself; a query, which may hold what is nobody's business, is replaced by a digest of the URL.
std::string defaultId(const QUrl &url);
/// An id as it may be shown: where it is a URL, or the path of one, with defaultId()'s digest in place of a query.
std::string shownId(const std::string &id);
net::Request requestOf(const Item &item);

} // namespace throttlescope::fetch
