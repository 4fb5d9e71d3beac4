// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/policy.h"
#include "core/journal/event.h"
#include "simulator/run/runner.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace throttlescope::dashboard {

using Policies = std::map<std::string, std::shared_ptr<const Policy>>;

/// Something that sends requests over sockets and tells of each event until it is over. Made in the owner's thread, then used
/// in one of its own.
class Traffic {
public:
    virtual ~Traffic() = default;
    /// Runs an event loop until it is over, or until `cancelled` is seen true, within 20 ms. `sink` outlives the call.
    virtual RunReport run(journal::EventSink &sink, const std::atomic<bool> &cancelled) = 0;
    /// From within that event loop: replaces what of these is used, from the next decision on.
    virtual void retune(const Policies &policies) = 0;
    /// Journal time, from within that event loop.
    virtual MonotonicTime now() const = 0;

    /// Takes lines for a person, in the thread of run().
    void setOnSaid(std::function<void(const std::string &)> onSaid) { m_onSaid = std::move(onSaid); }

protected:
    void say(const std::string &line) const
    {
        if (m_onSaid)
            m_onSaid(line);
    }

private:
    std::function<void(const std::string &)> m_onSaid;
};

} // namespace throttlescope::dashboard
