// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/first_breaks.h"

#include <fmt/format.h>

namespace throttlescope {

FirstBreaks::FirstBreaks(const Scenario &scenario, Describe describe)
    : m_describe(std::move(describe))
    , m_suspected(scenario.expectations.size(), Judged{{}, false, {}, {}, {}, {}, 0, {}})
    , m_seen(m_suspected.size())
    , m_open(m_suspected.size())
    , m_finder(scenario, m_suspected)
{
}

void FirstBreaks::accept(const journal::Event &event)
{
    if (m_open == 0)
        return;
    m_finder.accept(event);
    for (std::size_t i = 0; i < m_suspected.size(); ++i) {
        if (!m_suspected[i].at || m_seen[i])
            continue;
        m_seen[i] = true;
        --m_open;
        if (m_describe)
            m_suspected[i].atWhat += fmt::format(" ({})", m_describe(event));
    }
}

void FirstBreaks::explain(std::vector<Judged> &judged) const
{
    for (std::size_t i = 0; i < m_suspected.size() && i < judged.size(); ++i) {
        if (judged[i].passed || !m_suspected[i].at)
            continue;
        judged[i].at = m_suspected[i].at;
        judged[i].op = m_suspected[i].op;
        judged[i].atWhat = m_suspected[i].atWhat;
    }
}

} // namespace throttlescope
