// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/dialect_headers.h"

namespace throttlescope::model {

/// Writes fields by the role and the form that the dialect table has for them; no vendor is known here. What a reader of
/// core/signals makes of them is the state that was written.
class DialectWriter {
public:
    /// `windows`: at least one. `delay`: what a refusal tells, counted from the arrival; `wall`: the server's, at the arrival.
    DialectWriter(HeaderSink &sink, const std::vector<DialectWindow> &windows, std::optional<Duration> delay, WallTime wall);

    void write(const std::vector<DialectField> &fields);

private:
    std::string *fieldOf(const DialectField &field) const;
    void writeCount(const DialectField &field, const DialectWindow &window, std::uint64_t value) const;
    void writeDelay(const DialectField &field, Duration delay) const;
    void writeState(const DialectField &field) const;
    void writePolicies(const DialectField &field, bool named) const;
    void writeCounters(const DialectField &field, const DialectWindow &window) const;
    void writeLength(const DialectField &field, const DialectWindow &window) const;
    const DialectWindow &shortest() const;

    HeaderSink &m_sink;
    std::size_t m_before = 0; ///< fields that stood there before the dialect's own
    const std::vector<DialectWindow> &m_windows;
    const DialectWindow &m_tightest; ///< fewest left in proportion: what a field without a window's name tells of
    std::optional<Duration> m_delay;
    WallTime m_wall;
};

} // namespace throttlescope::model
