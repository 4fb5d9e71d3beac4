// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope {

/// What became of an operation.
struct Fate {
    Result result = Result::Unfinished;
    std::optional<RefusalReason> reason; ///< why there was no further attempt, or none at all
    bool viaFallback = false;
    bool operator==(const Fate &) const = default;
};
/// "failed (wait_exceeded)", "succeeded through the fallback".
std::string fateText(const Fate &fate);

/// The fates of a run's operations. The same operation in two runs of one workload is the nth of its name: numbers are given
/// in the order of start, which another policy may change.
class Fates final : public journal::EventSink {
public:
    struct Operation {
        journal::OperationId id = 0;
        Fate fate; ///< `unfinished` until it ends
    };
    using Operations = std::map<std::string, std::vector<Operation>, std::less<>>;

    void accept(const journal::Event &event) override;
    const Operations &byName() const { return m_byName; }

private:
    Operations m_byName;
    std::map<journal::OperationId, std::pair<Operations::value_type *, std::size_t>> m_open; ///< under way: name and place
};

/// Operations that ended one way in the first run and another way in the second.
struct FateChange {
    std::optional<Fate> before, after; ///< none: the run has no such operation
    std::uint64_t count = 0;
    std::string operation; ///< the first of them
    std::uint64_t nth = 0; ///< of its name, from 1
    journal::OperationId firstId = 0, secondId = 0; ///< its number in each run; 0: none
};

/// The most frequent first; of as many, in order of name and place.
std::vector<FateChange> fateChanges(const Fates &before, const Fates &after);

} // namespace throttlescope
