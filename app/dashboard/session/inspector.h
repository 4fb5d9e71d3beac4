// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/remedy.h"
#include "core/journal/event.h"

#include <optional>
#include <string>
#include <vector>

namespace throttlescope::dashboard {

/// A delay that a decision could have chosen.
struct Candidate {
    std::string name; ///< "Retry-After", "own backoff", "blind wait", "padding"
    Duration delay{};
    std::string how; ///< "jitter drew 0.42"
    bool chosen = false;
    bool operator==(const Candidate &) const = default;
};

/// A limit and what was held against it.
struct HeldAgainst {
    std::string limit; ///< "max_wait"
    std::string value; ///< "47 s"
    std::string bound; ///< "30 s"
    bool passed = true;
    bool operator==(const HeldAgainst &) const = default;
};

/// One decision, as the table under a story shows it.
struct DecisionStory {
    int attempt = 1;
    MonotonicTime at;
    std::optional<RefusalReason> refusal; ///< none: a retry was scheduled
    std::string outcome; ///< "Waited 48.6 s", "Given up: …"
    std::string header; ///< as received: "Retry-After: 47"; empty: none
    std::string reading; ///< how it was read
    std::vector<std::string> unreadable; ///< headers that are no hint, and why
    std::vector<Candidate> candidates;
    std::string rule; ///< which chose, in words
    std::vector<HeldAgainst> limits;
    Remedy remedy; ///< of a refusal
};

/// One request: what was sent, what came back.
struct Exchange {
    int attempt = 1;
    bool fallback = false;
    MonotonicTime at;
    std::string sent; ///< "to saia, after a wait of 48.6 s"
    std::string cameBack; ///< "429 after 120 ms, rate limited"; empty: still under way
};

/// Anything else that happened to it: pacing, breaker, budget, fallback.
struct Aside {
    MonotonicTime at;
    std::string text;
};

struct Inspection {
    journal::OperationId op = 0;
    std::string operation, server, policy;
    std::string fallback, fallbackServer; ///< where it fell back to
    std::string headline; ///< "Waited 48.6 s, then succeeded"
    std::vector<std::string> sentences; ///< one or two
    std::vector<Exchange> exchanges;
    std::vector<DecisionStory> decisions;
    std::vector<Aside> asides;
    std::optional<Remedy> remedy; ///< of the refusal that ended it

    bool found() const { return op != 0; }
    /// The decision after an attempt, or null.
    const DecisionStory *decisionAfter(int attempt) const;
};

/// The table of one decision.
DecisionStory decisionStory(
    const Decision &decision, MonotonicTime at, const std::string &policy, std::uint64_t units, const PolicyDraft *draft);

/// Listens to the events of a run and tells the story of one operation. Keeps no view of them.
class Inspector final : public journal::EventSink {
public:
    /// `draft` may be null (a journal from elsewhere); it gives the remedies their paths and places.
    explicit Inspector(journal::OperationId op, const PolicyDraft *draft = nullptr)
        : m_op(op)
        , m_draft(draft)
    {
    }
    void accept(const journal::Event &event) override;
    Inspection inspection() const;

private:
    struct Ending {
        Result result = Result::Unfinished;
        std::optional<RefusalReason> reason, rejected;
        std::optional<int> status;
        int attempts = 0;
        bool viaFallback = false;
        Duration waited{}; ///< of a wait that the end interrupted
    };
    class Listener;

    std::string headline() const;
    std::string headlineOfSuccess() const;
    std::vector<std::string> sentences() const;
    std::string reasonOfEnd() const;

    journal::OperationId m_op;
    const PolicyDraft *m_draft;
    Inspection m_seen;
    std::optional<Decision> m_last; ///< decision
    std::optional<Ending> m_ending;
    std::vector<std::string> m_unreadable; ///< of the answer that is decided on next
    std::string m_lateHint; ///< of an answer whose hint nobody asked for
    std::string m_fallbackTo;
    std::uint64_t m_units = 1;
    Duration m_waited{};
    int m_waits = 0;
};

} // namespace throttlescope::dashboard
