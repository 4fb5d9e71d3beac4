// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/server_model.h"
#include "simulator/model/windows.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace throttlescope {

/// All limits of one server: a request is admitted only if every one admits it, decided on arrival.
class Limits {
public:
    Limits(const Server &server, const ServerClock &clock);

    struct Verdict {
        bool admitted = true;
        std::size_t decisive = 0;                    ///< index of the limit whose refusal is answered
        const OnLimit *onLimit = nullptr;            ///< of that limit; the server's where admitted
        std::optional<MonotonicTime> reportedReset;  ///< what `reports` makes of the limits' resets
    };
    Verdict arrive(MonotonicTime now, const Request &request);
    /// A request that was admitted leaves the server.
    void release(MonotonicTime now, const Request &request);

    const std::vector<WindowReading> &readings() const { return m_readings; }
    std::vector<WindowReading> &readings() { return m_readings; }
    const Limit &limit(std::size_t index) const { return m_limits[index].limit; }

private:
    struct Entry {
        const Limit &limit;
        WindowState single;
        std::unordered_map<std::string, WindowState> byKey; ///< for `key: header:NAME`
    };
    struct Asked {
        WindowState *state = nullptr;
        std::uint64_t units = 1;
        bool violated = false;
        std::optional<MonotonicTime> reset; ///< when it would admit, or else its own reset
    };
    WindowState &stateFor(Entry &entry, const Request &request, std::size_t index);
    void ask(MonotonicTime now, const Request &request);
    std::size_t decisiveViolation() const;
    std::optional<MonotonicTime> reported(Reports reports) const;
    void read(std::size_t index, bool changed);

    const Server &m_server;
    const ServerClock &m_clock;
    bool m_countsAll = false;
    std::vector<Entry> m_limits;
    std::vector<Asked> m_asked;
    std::vector<std::string> m_keys; ///< of the last request, by limit
    std::vector<WindowReading> m_readings;
};

} // namespace throttlescope
