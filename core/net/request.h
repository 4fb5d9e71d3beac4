// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"
#include "core/engine/policy.h"
#include "core/engine/replay.h"

#include <QByteArray>
#include <QIODevice>
#include <QUrl>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

/// What the caller of net::Client asks for, as plain values.
namespace throttlescope::net {

/// A fresh device at its beginning for every attempt, or null where there is none any more: that attempt then fails as a
/// transport failure. Called in the client's thread.
using DeviceFactory = std::function<std::unique_ptr<QIODevice>()>;
/// Nothing, bytes, a factory, or a device that can be sent once: a second attempt would be `body_not_replayable`. Such a
/// device must belong to the calling thread and have no parent; it moves to the client's.
using Body = std::variant<std::monostate, QByteArray, DeviceFactory, std::shared_ptr<QIODevice>>;

/// Receives a piece of a body.
using BodyHandler = std::function<void(const QByteArray &)>;

/// Per-call `retry: inherit | off | policy`. `off` keeps the timeouts of the client's policy.
struct InheritPolicy {
    bool operator==(const InheritPolicy &) const = default;
};
struct RetryOff {
    bool operator==(const RetryOff &) const = default;
};
using Retry = std::variant<InheritPolicy, RetryOff, std::shared_ptr<const Policy>>;

struct Request {
    QUrl url; ///< http or https, without user information: credentials belong in a header
    /// Sent as they stand; several lines of one name are joined with ", " (RFC 9110 5.3). Content-Length and
    /// Transfer-Encoding are the client's own. Without an Accept-Encoding of yours, none is asked for.
    Headers headers;
    std::string method = "GET";
    Body body;

    std::string operation; ///< its name in the journal; empty: the method
    std::string server; ///< its name in the journal; empty: serverName()
    std::optional<OperationClass> operationClass;
    std::optional<bool> idempotent;
    std::optional<ReplayRule> replay; ///< the call's own; raising an action or a probe is an error
    std::uint64_t units = 1;
    Retry retry; ///< of a fallback, InheritPolicy means: one attempt
    std::optional<std::string> scope; ///< what shares pacer, breaker and budget; absent: the policy's scope, else the server
    /// Requests of different groups share no connection: each group has kConnectionsPerHost of its own to a host.
    std::string connectionGroup;
    std::shared_ptr<const Request> fallback;

    /// Makes the call a streaming one: the body of an answer below 400 is handed on here, as it comes, and is not kept;
    /// once a byte was handed on there is no retry (`streaming_started`). Called in the client's thread; it may use the
    /// client, but must not destroy it.
    BodyHandler onBody;

    std::optional<std::uint64_t> drawKey; ///< keys the random draws; absent: of its own. See operationDrawKey()
};

/// Empty where the request can be sent, its fallback apart, else what is wrong with it. `method` is in upper case. Never names a
/// header's value or the URL.
std::string requestProblem(const Request &request);

/// Host and, where it is not the scheme's own, port: "h", "h:8080", "[::1]:8080".
std::string serverName(const QUrl &url);
/// That of the URL, else the scheme's own.
int portOf(const QUrl &url);

} // namespace throttlescope::net
