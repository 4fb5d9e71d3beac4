// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace throttlescope::dashboard {

/// `PATH=VALUE` of one `--set`.
struct Edit {
    std::string path;
    std::string value;
    std::string text() const { return path + '=' + value; }
    bool operator==(const Edit &) const = default;
};
using Edits = std::vector<Edit>;

/// The edits with one more: what it replaces is left out.
Edits withEdit(Edits edits, const Edit &edit);
Edits withoutEdit(Edits edits, const std::string &path);
/// In quotes where a POSIX shell needs them.
std::string shellWord(const std::string &text);

} // namespace throttlescope::dashboard
