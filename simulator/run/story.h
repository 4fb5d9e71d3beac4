// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"

#include <string>
#include <vector>

namespace throttlescope {

/// The story of one operation in plain words, from its events, with the value that would have changed each refusal.
class Story final : public journal::EventSink {
public:
    explicit Story(journal::OperationId op)
        : m_op(op)
    {
    }

    void accept(const journal::Event &event) override;
    /// False: the journal has no such operation.
    bool found() const { return !m_lines.empty(); }
    std::string text() const;

private:
    void line(const journal::Event &event, const std::string &text);

    journal::OperationId m_op;
    std::string m_headline;
    std::vector<std::string> m_lines;
};

/// "would have waited at max_wait ≥ 47s": what would have changed a refusal; empty where no one value would.
std::string whatWouldHaveChanged(const Decision &decision);
/// "47s, as Retry-After: 47 says (exact)": how a delay was chosen.
std::string delayReason(const Decision &decision);

} // namespace throttlescope
