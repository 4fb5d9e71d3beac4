// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::fetch {

/// Takes secrets out of what is written, whichever way a server repeats them.
class Redactor {
public:
    Redactor() = default;
    explicit Redactor(const std::vector<std::string> &secrets);

    bool finds(std::string_view text) const;
    /// In a line of JSON. A secret that was cut short is found by its first characters.
    void redact(std::string &json) const;

private:
    std::vector<std::string> m_secrets; ///< as JSON has them
};

} // namespace throttlescope::fetch
