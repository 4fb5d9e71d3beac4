// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <string>

namespace throttlescope::model {

/// The three forms of RFC 9110 5.6.7; the part of a second is cut off. Each replaces what `text` held.
void writeImfFixdate(WallTime time, std::string &text); ///< Sun, 06 Nov 1994 08:49:37 GMT
void writeRfc850Date(WallTime time, std::string &text); ///< Sunday, 06-Nov-94 08:49:37 GMT
void writeAsctimeDate(WallTime time, std::string &text); ///< Sun Nov  6 08:49:37 1994

/// The `Date` field (RFC 9110 6.6.1). Every response has one, so only what changed since the last one is written.
class DateText {
public:
    const std::string &at(WallTime time)
    {
        if (time < m_second || time >= m_second + std::chrono::seconds{1})
            format(time);
        return m_text;
    }

private:
    void format(WallTime time);

    WallTime m_second = WallTime::min();
    WallTime m_day = WallTime::min();
    std::string m_text;
};

} // namespace throttlescope::model
