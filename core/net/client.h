// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"
#include "core/net/clock.h"
#include "core/net/request.h"
#include "core/net/result.h"

#include <QFuture>
#include <QObject>
#include <QSslConfiguration>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace throttlescope::net {

/// What run.started says of the run. All of it may stay empty.
struct RunInfo {
    std::string scenario;
    std::string scenarioHash;
    std::string policiesJson; ///< the resolved policies, one JSON object by name
    journal::Traffic traffic = journal::Traffic::Real;
};

struct ClientOptions {
    std::shared_ptr<const Policy> policy; ///< of every call that inherits; null: one attempt (`none`)
    std::shared_ptr<journal::EventSink> journal; ///< called in the client's thread; null: nobody listens
    RunInfo run;
    std::optional<std::uint64_t> seed; ///< of all draws; absent: from the operating system
    std::shared_ptr<const Clock> clock; ///< of the engine and the journal; null: the machine's, from zero when the client is made
    std::optional<QSslConfiguration> tls; ///< certificates to trust; that the peer is verified cannot be turned off
    /// Bytes of a body that is kept, unpacked. A longer one is broken off there: `interrupted`.
    std::uint64_t largestBody = std::uint64_t{16} << 20;
    std::string userAgent = "throttlescope"; ///< of a request without a User-Agent of its own
    /// Sends `X-Throttlescope-Attempt: OPERATION.ATTEMPT`, so that a server can tell an attempt that Qt sent twice from a
    /// retry. Off: the request of a retry is the same to the byte.
    bool attemptHeader = false;
};

/// As many connections as Qt opens to one host, for each connectionGroup of requests (the first 32 pairs of group and host;
/// later ones share). Requests beyond wait in the pacer's queue and are journalled so. Probes do not wait: of more than these
/// at once to one host, Qt itself queues the rest.
inline constexpr int kConnectionsPerHost = 6;

class Driver;

/// HTTP with the engine deciding what happens after a 429, a 503 or a lost connection. Redirects are not followed, HTTP/2
/// is off, no cookie is kept, nothing is cached, no authentication is answered, TLS is always verified.
///
/// Lives in the thread that created it, which needs an event loop; is destroyed there, and not from one of its own
/// handlers or a continuation that runs in them. send() and replacePolicy() may be called from any thread.
///
/// A request is sent at most once an attempt, with two exceptions where Qt repeats it by itself when the connection closes
/// before an answer: HEAD, and GET and OPTIONS without a body where the call is safe to replay; and a body from a device that
/// cannot seek. Such an attempt is journalled as `transport.resent` and counted in resends().
class Client : public QObject {
    Q_OBJECT

public:
    explicit Client(ClientOptions options, QObject *parent = nullptr);
    /// Ends what is open as `unfinished`; every future finishes.
    ~Client() override;

    /// Cancelling the future cancels the operation, also in the middle of a wait or an attempt; such a future finishes
    /// without a result. Any other has exactly one.
    QFuture<Result> send(Request request);

    /// Replaces the policy of that name from the next decision on (DESIGN.md section 4, Retuning), for calls under way (their
    /// fallbacks apart) and to come. `json` is the policy as the journal shows it; may be empty.
    void replacePolicy(std::shared_ptr<const Policy> policy, std::string json = {});

    std::uint64_t seed() const;
    /// Journal time. Any thread.
    Now now() const;

    // In the client's thread only.

    /// Ends what is open as `unfinished`, refuses what comes, and ends the journal, which says whether that was `early`.
    /// Without it, the destructor does so. Not from a handler.
    void stop(bool early);
    /// Writes an event of the caller's own into the run, in order with the client's.
    void record(journal::Event &&event);
    std::uint64_t attemptsSent() const;
    /// Requests that Qt was seen to send beyond the first of their attempt.
    std::uint64_t resends() const;
    std::size_t open() const; ///< operations not finished
    std::map<std::string, PolicyCounters> counters() const; ///< by policy

private:
    std::unique_ptr<Driver> m_driver;
};

} // namespace throttlescope::net
