// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"
#include "simulator/http/request_reader.h"
#include "simulator/run/server_events.h"
#include "simulator/scenario/scenario.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace throttlescope::http {

/// What operations of a kind have in common: the workload row that describes them, or a name made of method and path.
struct OperationKind {
    std::string name;
    const WorkloadRow *row = nullptr;
    std::string method;
    std::uint64_t units = 1;
    std::uint64_t started = 0;
};

/// Whether doing it twice is one time too many: class write or action; where no class is declared, a method that is neither
/// safe nor idempotent (RFC 9110 9.2), unless the row says that it is.
bool hasEffect(const OperationKind &kind, std::string_view method);

/// One logical call as the server can tell it: requests that belong together.
struct Operation {
    journal::OperationId id = 0;
    OperationKind *kind = nullptr;
    std::uint64_t key = 0;
    std::uint64_t drawKey = 0;
    std::uint32_t attempts = 0;
    std::uint32_t underWay = 0; ///< attempts that have not ended
    OperationAtServer atServer;
    std::optional<int> status; ///< of the last answer
    std::optional<MonotonicTime> ended; ///< its last attempt did
    bool throttled = false; ///< its last answer
    bool cutOff = false; ///< its last attempt, by the end of the run
    journal::OperationMetadata metadata;
    bool finished = false; ///< the journal has its end; kept where a header names it, for a replay to be seen
    bool waiting = false;
    Operation *nextWaiting = nullptr;
};

/// Tells a server's requests apart by its `correlate` key. A request without operation under way takes up the one that has
/// waited longest for its next attempt; where a header names it, that one. Bounded: see kMost.
class Operations {
public:
    static constexpr std::size_t kMost = 100'000; ///< open or remembered; beyond, what has not moved for longest is given up
    static constexpr std::size_t kMostNames = 256; ///< made of method and path; beyond, one for all

    Operations(const Server &server, const std::vector<WorkloadRow> &workload);

    bool needsBody() const { return m_correlate.by == Correlate::By::MethodPathAndBody; }
    /// The operation of a request that arrives; `id` 0 where it is a new one. `givenUp` is what had to go for it.
    Operation &claim(const ReceivedRequest &request, const Operation *&givenUp);
    /// An attempt ended, and the operation with it or not.
    void release(Operation &operation, bool finished);
    template <typename Visit>
    void forEachOpen(Visit visit)
    {
        for (Operation &operation : m_slots) {
            if (operation.id != 0 && !operation.finished)
                visit(operation);
        }
    }

private:
    struct Line {
        Operation *first = nullptr;
        Operation *last = nullptr;
    };

    std::uint64_t keyOf(const ReceivedRequest &request, bool &named) const;
    OperationKind &kindOf(const ReceivedRequest &request);
    Operation &create(const ReceivedRequest &request, std::uint64_t key, const Operation *&givenUp);
    Operation *evict(const Operation *&givenUp);
    void append(Operation &operation);
    void takeOut(Operation &operation);

    const Correlate m_correlate;
    std::vector<OperationKind *> m_rows; ///< this server's, the longest path first
    std::map<std::string, OperationKind, std::less<>> m_kinds;
    std::size_t m_namesMade = 0;
    std::deque<Operation> m_slots;
    std::vector<Operation *> m_free;
    std::size_t m_hand = 0;
    std::unordered_map<std::uint64_t, Line> m_waiting;
    std::unordered_map<std::uint64_t, Operation *> m_named;
    Operation m_evicted;
    std::string m_scratch;
};

} // namespace throttlescope::http
