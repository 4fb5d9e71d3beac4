// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/redacted_event.h"

namespace throttlescope::fetch {

RedactedEvent::RedactedEvent(const journal::Event &event, const Redactor &secrets)
    : m_secrets(secrets)
    , m_event(event)
{
    m_event.operation = ours(event.operation);
    m_event.server = ours(event.server);
    std::visit([this](auto &payload) { clean(payload); }, m_event.payload);
}

/// What the worklist says. Its ids have a digest in place of a query.
std::string_view RedactedEvent::ours(std::string_view text)
{
    return m_secrets.finds(text) ? std::string_view{m_texts.emplace_back(m_secrets.redacted(text))} : text;
}

void RedactedEvent::cleanHint(signals::Hint &hint) const
{
    const std::string raw = serverText(hint.raw);
    if (raw != hint.raw)
        hint.why.clear(); // repeats it
    hint.raw = raw;
    hint.why = serverText(hint.why);
    hint.header = serverText(hint.header);
}

void RedactedEvent::clean(journal::OperationFinished &finished)
{
    finished.retryAfter = m_texts.emplace_back(serverText(finished.retryAfter));
}

void RedactedEvent::clean(journal::AttemptFinished &finished)
{
    if (!finished.state)
        return;
    m_state = *finished.state;
    for (signals::Window &window : m_state.windows)
        window.name = serverText(window.name);
    for (signals::Unreadable &header : m_state.unreadable) {
        header.header = serverText(header.header);
        header.raw = serverText(header.raw);
        header.why = serverText(header.why);
    }
    finished.state = &m_state;
}

void RedactedEvent::clean(journal::RateLimitDetected &detected)
{
    if (!detected.hint)
        return;
    m_hint = *detected.hint;
    cleanHint(m_hint);
    detected.hint = &m_hint;
}

const Decision *RedactedEvent::cleaned(const Decision &decision)
{
    m_decision = decision;
    if (m_decision.hint)
        cleanHint(*m_decision.hint);
    m_decision.windowExhausted = serverText(m_decision.windowExhausted);
    m_decision.extractionError = serverText(m_decision.extractionError);
    return &m_decision;
}

} // namespace throttlescope::fetch
