// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/run/expectations.h"

#include <functional>
#include <string>
#include <vector>

namespace throttlescope {

/// Watches a run in real time for the event that first breaks each expectation; there is no second run to look for it.
class FirstBreaks {
public:
    /// Says more of an event than its name: which request it was. May be empty.
    using Describe = std::function<std::string(const journal::Event &)>;

    explicit FirstBreaks(const Scenario &scenario, Describe describe = {});
    void accept(const journal::Event &event);
    /// Adds what was seen to the expectations that failed.
    void explain(std::vector<Judged> &judged) const;

private:
    const Describe m_describe;
    std::vector<Judged> m_suspected; ///< one an expectation, all taken as failed
    std::vector<bool> m_seen;
    std::size_t m_open = 0;
    ExcessFinder m_finder;
};

} // namespace throttlescope
