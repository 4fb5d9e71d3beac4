// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/dialect_headers.h"

namespace throttlescope::model {

struct DialectOutput {
    HeaderSink &sink;
    const std::vector<DialectWindow> &windows; ///< at least one
    WallTime wall; ///< the server's, at the arrival
    std::optional<Duration> told; ///< the refusing limit's reset, as the first dialect that tells it does

    /// Where to write the field's value; null where the response has that field already.
    std::string *field(std::string_view name) { return sink.has(name) ? nullptr : &sink.add(name); }
    void tell(const DialectWindow &window, Duration reset)
    {
        if (window.isRefusing && window.reset && !told)
            told = reset;
    }
};

void writeDialect(Dialect dialect, DialectOutput &output);

} // namespace throttlescope::model
