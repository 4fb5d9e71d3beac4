// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace throttlescope::journal {

/// The name of the event's type: "attempt.finished", …
std::string_view eventName(const Payload &payload);
/// "simulated", "loopback", "real"
std::string_view trafficName(Traffic traffic);

/// Appends the event as one JSON object, without a line end. core/journal/README.md lists every key.
void appendJson(std::string &out, const Event &event);

/// Streams events as JSON Lines. Buffered; memory does not grow with the run. A write that fails is remembered and
/// nothing more is written, so that what stands is a whole prefix (a cut last line apart).
class JsonLinesWriter final : public EventSink {
public:
    /// Does not own `file`.
    explicit JsonLinesWriter(std::FILE *file)
        : m_file(file)
    {
    }
    ~JsonLinesWriter() override { flush(); }
    JsonLinesWriter(const JsonLinesWriter &) = delete;
    JsonLinesWriter &operator=(const JsonLinesWriter &) = delete;

    void accept(const Event &event) override;
    /// False once a write failed; `error()` is its errno.
    bool flush();
    int error() const { return m_error; }

private:
    std::FILE *m_file;
    std::string m_buffer;
    int m_error = 0;
};

} // namespace throttlescope::journal
