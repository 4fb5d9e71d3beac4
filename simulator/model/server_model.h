// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/draw.h"
#include "core/engine/outcome.h"
#include "simulator/scenario/scenario.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace throttlescope {

/// What the model sees of a request when it arrives.
struct Request {
    std::string_view operation;
    std::uint64_t drawKey = 0; ///< the operation's stable key: faults and latency are drawn by (key, attempt)
    std::uint32_t attempt = 1;
    std::string_view method; ///< upper case
    std::string_view path;
    const Headers *headers = nullptr;
    std::uint64_t units = 1;
    std::string_view key; ///< the trace's client key; used by a keyed limit whose header the request lacks
    /// The moment this operation was last told to come back, if it was told (for early_retry).
    std::optional<MonotonicTime> due;
};

/// One limit's state after a request, as `server.window` reports it.
struct WindowReading {
    std::string_view limit;
    std::string_view key; ///< of a keyed limit: #1, #2, … in order of appearance, never the header's value
    std::uint64_t used = 0; ///< concurrency: in flight; token bucket: taken from the burst
    std::uint64_t quota = 0;
    std::optional<MonotonicTime> begins; ///< fixed windows only
    std::optional<MonotonicTime> resets; ///< none for concurrency
    bool changed = false; ///< by this request
};

enum class AnswerKind : std::uint8_t { Respond, Reset, Timeout, Refuse };

struct Answer {
    AnswerKind kind = AnswerKind::Respond;
    Response response; ///< for Respond; `bodyComplete` false where the body breaks off
    Duration serverTime{}; ///< from arrival to the answer leaving the server; without meaning for Timeout
    std::uint64_t bodySize = 0; ///< of the whole body, as Content-Length has it
    std::uint64_t bytesBeforeBreak = 0; ///< of the body; all of it unless it breaks off
    bool admitted = false; ///< by the limits; false also where script or fault answered first
    bool executed = false; ///< the operation's effect happened
    bool plain = false; ///< there is nothing to it but its kind, `admitted`, the status and its date
    Duration travelBack{}; ///< from the server to the client
    /// Of a row that is read and written: the version read. While it is here the write is still to come, and no answer is made.
    std::optional<std::uint64_t> versionRead;
    std::string_view violated; ///< name of the limit that refused (the one that is reported), or empty
    std::string_view fault; ///< "script", "503", "reset", … or empty
    /// The moment before which the client was told not to come back; none where nothing readable was said.
    std::optional<MonotonicTime> due;
};

/// Who writes the headers of a plain answer.
enum class PlainHeaders {
    Now,
    Later, ///< writePlain(), when it is delivered: most answers take no memory on their way
};

/// How scenario time looks to a client that lives in real time. All that a response says of time is said in the client's.
struct ClientClock {
    std::int64_t scale = 1; ///< scenario seconds in one of the client's; ≥ 1
    WallTime start; ///< the client's wall clock at monotonic 0
};

/// The fake server's behaviour, decided on arrival, exact to the microsecond. Arrivals come in order of time.
/// Monotonic time 0 is the scenario's `start`. Single-threaded; knows no queue, no socket and no client.
class ServerModel {
public:
    /// `timeline` may hold other servers' entries; `start` is the true wall time at monotonic 0. Only `draw` must
    /// outlive the model. Without a `client` clients live in scenario time.
    ServerModel(const Server &server, const std::vector<TimelineEntry> &timeline, WallTime start, const Draw &draw,
        const std::optional<ClientClock> &client = {});
    ~ServerModel();
    ServerModel(ServerModel &&) noexcept;
    ServerModel &operator=(ServerModel &&) noexcept;

    /// How long this attempt travels to the server.
    Duration travelOut(std::uint64_t drawKey, std::uint32_t attempt) const;
    /// A request arrives. It occupies the server (concurrency limits, per_concurrent) until `finished`.
    /// `answer` is an out-parameter so that its buffers are reused from request to request.
    void arrive(MonotonicTime now, const Request &request, Answer &answer, PlainHeaders headers = PlainHeaders::Now);
    /// The response of a plain answer to a request that arrived at `arrived`.
    void writePlain(MonotonicTime arrived, int status, Response &response);
    /// The write of an answer with `versionRead`, at arrival + serverTime and before `finished`: it is answered now. One that
    /// is never called does not happen.
    void write(MonotonicTime now, const Request &request, Answer &answer);
    /// Whether a request that is given up leaves at once.
    bool freesAbandoned() const;
    /// The request that arrived with this key leaves the server, answered or abandoned: at arrival + serverTime, for a
    /// Timeout, or where `freesAbandoned`, when the driver gives it up for good. `Refuse` and `Reset` never occupied it.
    void finished(MonotonicTime now, const Request &request, const Answer &answer);
    /// State of every limit as the last `arrive` or `finished` left it, in order of the file.
    const std::vector<WindowReading> &windows() const;
    /// Whether some of them were changed by the last request, or have a key: a refusal mostly leaves them alone.
    bool touchedWindows() const;
    int inFlight() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace throttlescope
