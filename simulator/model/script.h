// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/server_model.h"

#include <vector>

namespace throttlescope::model {

/// The answers a server was told to give, asked before anything else.
class Script {
public:
    /// `entries` outlive it.
    explicit Script(const std::vector<ScriptEntry> &entries);

    /// The first entry that meets the request and is not used up; it is used up by one. Null: the server is on its own.
    const ScriptAnswer *answer(const Request &request);

private:
    struct Row {
        const ScriptEntry *entry;
        std::uint64_t met = 0; ///< requests that met the keys other than `nth`
        std::int64_t used = 0;
    };

    std::vector<Row> m_rows;
};

} // namespace throttlescope::model
