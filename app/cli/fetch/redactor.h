// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::fetch {

/// Takes secrets out of a text of somebody else's, whichever way it repeats them. Knows nothing of JSON: it is asked before
/// a text is written. Constant after it was made; its members may be called from any thread.
class Redactor {
public:
    Redactor() = default;
    /// A secret of less than 8 bytes is found only where it stands alone, as a word: within others it is there by chance.
    /// Of a longer one, its first 8 bytes at the end of a text are enough: the rest was cut off.
    explicit Redactor(std::vector<std::string> secrets);

    bool finds(std::string_view text) const { return next(text, 0).has_value(); }
    /// With *** in place of each secret.
    std::string redacted(std::string_view text) const;

private:
    struct Match {
        std::size_t at = 0;
        std::size_t size = 0;
    };
    std::optional<Match> next(std::string_view text, std::size_t from) const;

    std::vector<std::string> m_secrets; ///< the longest first
};

/// A text of a server's, without the queries of the URLs in it: from each question mark to what cannot stand in a URL.
std::string withoutQueries(std::string_view text);

} // namespace throttlescope::fetch
