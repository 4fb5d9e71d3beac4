// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/line_reader.h"

#include <algorithm>

namespace throttlescope::incident {

void LineReader::setTime(LogEntry &entry, const LogTime &time, const LogTimeZone &zone, Duration took)
{
    if (time.offset) {
        entry.at = WallTime{time.local - *time.offset};
        m_writtenOffset = time.offset;
    } else {
        entry.at = zone.moment(time.local, m_last);
        m_last = entry.at;
    }
    entry.precision = time.precision;
    // Years 0 to 9999 and a duration that saturates: the difference fits.
    entry.at -= std::clamp(took, Duration::zero(), Duration{std::chrono::hours{24 * 365}});
}

} // namespace throttlescope::incident
