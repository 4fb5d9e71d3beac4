// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/redactor.h"
#include "core/journal/event.h"

#include <deque>
#include <string>

namespace throttlescope::fetch {

/// An event with its texts fit for a file: no secret in any, and no query of a URL in what a server sent. Owns what it
/// changed; the event that it was made from must outlive it.
class RedactedEvent {
public:
    RedactedEvent(const journal::Event &event, const Redactor &secrets);
    RedactedEvent(const RedactedEvent &) = delete;
    RedactedEvent &operator=(const RedactedEvent &) = delete;

    const journal::Event &event() const { return m_event; }

private:
    void clean(journal::OperationFinished &finished);
    void clean(journal::AttemptFinished &finished);
    void clean(journal::RateLimitDetected &detected);
    void clean(journal::RetryScheduled &scheduled) { scheduled.decision = cleaned(*scheduled.decision); }
    void clean(journal::RetryRefused &refused) { refused.decision = cleaned(*refused.decision); }
    void clean(auto &) { } // has no text of a server's

    std::string_view ours(std::string_view text);
    std::string serverText(std::string_view text) const { return withoutQueries(m_secrets.redacted(text)); }
    void cleanHint(signals::Hint &hint) const;
    const Decision *cleaned(const Decision &decision);

    const Redactor &m_secrets;
    journal::Event m_event;
    std::deque<std::string> m_texts; ///< what the event views
    signals::Hint m_hint;
    signals::RateLimitState m_state;
    Decision m_decision;
};

} // namespace throttlescope::fetch
