// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope {

/// What the engine decided for each operation of a run, step by step, as text: attempts and what came back, hints, the delay
/// that was chosen and why, refusals, the end. Left out is what a machine adds to time: moments, and waits as slept.
class DecisionLog final : public journal::EventSink {
public:
    struct Operation {
        std::string name;
        std::vector<std::string> steps;
        bool operator==(const Operation &) const = default;
    };

    void accept(const journal::Event &event) override;
    const std::map<journal::OperationId, Operation> &operations() const { return m_operations; }

private:
    std::map<journal::OperationId, Operation> m_operations; ///< those of the run, in order of start
};

/// The first decision, by operation and then by step, in which two runs of one workload differ.
struct DecisionDifference {
    journal::OperationId op = 0;
    std::size_t step = 0; ///< from 1
    std::string name;
    std::string first, second; ///< "nothing more" where a run has no such step
};
std::optional<DecisionDifference> firstDifference(const DecisionLog &first, const DecisionLog &second);

} // namespace throttlescope
