// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/policy.h"
#include "core/engine/replay.h"
#include "core/engine/time.h"
#include "core/signals/dialects.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// A scenario as plain values: what a file says, resolved (presets and precedence applied), nothing of how it is written.
/// DESIGN.md section 7 is the source of every meaning.
namespace throttlescope {

/// A place in a file, 1-based; 0 where there is none.
struct Mark {
    int line = 0;
    int column = 0;
    bool operator==(const Mark &) const = default;
};

// --- servers: latency ---------------------------------------------------------------------------------------------
struct FixedLatency {
    Duration value{};
    bool operator==(const FixedLatency &) const = default;
};
struct UniformLatency {
    Duration min{}, max{};
    bool operator==(const UniformLatency &) const = default;
};
struct NormalLatency {
    Duration mean{}, deviation{};
    bool operator==(const NormalLatency &) const = default;
}; ///< below 0: 0
struct LognormalLatency {
    Duration median{}, p99{};
    bool operator==(const LognormalLatency &) const = default;
};
struct ExponentialLatency {
    Duration mean{};
    bool operator==(const ExponentialLatency &) const = default;
};

using Distribution = std::variant<FixedLatency, UniformLatency, NormalLatency, LognormalLatency, ExponentialLatency>;

/// A part of the latency that was drawn.
struct LatencyShare {
    double value = 0;
    bool operator==(const LatencyShare &) const = default;
};
/// What a request that its client has given up still costs the server.
enum class Abandoned { Occupied, Freed };

struct Latency {
    Distribution kind;
    std::variant<Duration, LatencyShare> perConcurrent; ///< added for every request already at the server
    Abandoned abandoned = Abandoned::Occupied;
    bool operator==(const Latency &) const = default;
};

struct Network {
    Distribution out, back;
    bool operator==(const Network &) const = default;
};

/// What a request does at a server: it is answered; or it reads one versioned row, goes back, and comes again to write it
/// (optimistic concurrency control).
enum class ServerKind { Plain, Occ };

// --- servers: limits ----------------------------------------------------------------------------------------------
enum class WindowKind { Fixed, Sliding, TokenBucket, Concurrency };
enum class Align { Calendar, FirstRequest };
enum class Unit { Requests, Units };

/// `1d` and `1mo` are civil days and months where the window is aligned to the calendar; else 24 h (and a month is an error).
struct Period {
    enum class Civil { None, Day, Month };
    Duration length{};
    Civil civil = Civil::None;
    bool operator==(const Period &) const = default;
};

enum class RetryAfterForm { Seconds, HttpDate, Rfc850Date, AsctimeDate, Milliseconds, None };
struct LiteralRetryAfter {
    std::string text;
    bool operator==(const LiteralRetryAfter &) const = default;
};
using RetryAfterHeader = std::variant<RetryAfterForm, LiteralRetryAfter>;

enum class Reports { Violated, Shortest, Longest };
enum class Counts { Accepted, All };
enum class EarlyRetry { Ignore, Extend };
/// Whose header names and units the server writes with every response.
using signals::Dialect;

struct OnLimit {
    int status = 429;
    RetryAfterHeader retryAfter = RetryAfterForm::Seconds;
    Reports reports = Reports::Violated;
    std::vector<Dialect> headers;
    Counts counts = Counts::Accepted;
    EarlyRetry earlyRetry = EarlyRetry::Ignore;
    std::string body; ///< sent with the refusal
    bool operator==(const OnLimit &) const = default;
};

struct Limit {
    std::string name;
    std::uint64_t quota = 1;
    Period per;
    WindowKind window = WindowKind::Fixed;
    Align align = Align::Calendar;
    std::string timeZone; ///< IANA name; empty: UTC
    std::optional<std::uint64_t> burst; ///< token_bucket capacity; absent: quota
    Unit unit = Unit::Requests;
    std::string keyHeader; ///< `key: header:NAME`, one window a value; empty: one for all
    std::uint64_t used = 0; ///< of the window that contains t = 0
    std::optional<OnLimit> onLimit; ///< the server's, overlaid with the limit's own; absent: the server's
    bool operator==(const Limit &) const = default;
};

// --- servers: scripts ---------------------------------------------------------------------------------------------
struct ScriptWhen {
    std::optional<std::string> operation;
    std::optional<int> attempt;
    std::optional<std::string> method;
    std::optional<std::string> path;
    std::optional<std::uint64_t> nth; ///< the nth request (from 1) that meets the entry's other keys
    Headers headers;
    bool operator==(const ScriptWhen &) const = default;
};

enum class FaultKind { Status, Reset, Timeout, Truncate, Slow, Refuse };

struct ScriptAnswer {
    std::optional<int> status; ///< an answer …
    std::optional<FaultKind> fault; ///< … or a fault (`fault: timeout`), exactly one of the two
    Headers headers;
    std::string body;
    std::optional<std::uint64_t> size; ///< bytes of body; absent: body's own size
    std::optional<double> breakAt; ///< share of the body after which the connection breaks
    std::optional<bool> executed; ///< absent: a status below 400 was executed, anything else was not
    bool operator==(const ScriptAnswer &) const = default;
};

struct ScriptEntry {
    ScriptWhen when;
    std::optional<int> times; ///< absent: never runs out
    ScriptAnswer answer;
    bool operator==(const ScriptEntry &) const = default;
};

/// How requests of a client that says nothing of operations are told apart (`serve`).
struct Correlate {
    enum class By { MethodAndPath, MethodPathAndBody, Header };
    By by = By::MethodAndPath;
    std::string header; ///< for Header
    bool operator==(const Correlate &) const = default;
};

struct Server {
    std::string name;
    ServerKind kind = ServerKind::Plain;
    Network network;
    Latency latency;
    std::vector<Limit> limits;
    OnLimit onLimit;
    Duration clockSkew{};
    std::vector<ScriptEntry> script;
    Correlate correlate;
    Mark mark;
};

// --- timeline -----------------------------------------------------------------------------------------------------
struct FaultShare {
    FaultKind kind = FaultKind::Status;
    int status = 0; ///< for FaultKind::Status
    double share = 0; ///< 0 … 1
    bool operator==(const FaultShare &) const = default;
};

struct TimelineEntry {
    Duration at{};
    std::optional<Duration> span; ///< `for`, half open; absent: an instant, a label without faults
    std::string label;
    std::string server; ///< empty where there are no faults
    std::vector<FaultShare> faults; ///< `faults: refuse` is one row, Refuse with share 1
    Mark mark;
};

// --- workload -----------------------------------------------------------------------------------------------------
struct BatchArrivals {
    std::uint64_t count = 1;
    bool operator==(const BatchArrivals &) const = default;
};
struct RateArrivals {
    Rate rate;
    std::optional<Duration> span; ///< `for`, half open
    std::optional<std::uint64_t> count;
    bool poisson = false;
    bool operator==(const RateArrivals &) const = default;
};
/// A closed loop: each worker starts its next operation when its last one ended.
struct WorkerArrivals {
    int workers = 1;
    std::uint64_t count = 1;
    bool operator==(const WorkerArrivals &) const = default;
};

/// One line of a trace file. What is absent is the row's.
struct TracedOperation {
    Duration at{};
    std::string operation;
    std::optional<std::string> server, method, key;
    std::optional<OperationClass> operationClass;
    std::optional<bool> idempotent;
    std::optional<std::uint64_t> units;
    int line = 0;
};
struct TraceArrivals {
    std::string file; ///< its path, the scenario's folder included
    std::shared_ptr<const std::vector<TracedOperation>> operations; ///< sorted by `at`, stable
    bool operator==(const TraceArrivals &) const = default;
};
using Arrivals = std::variant<BatchArrivals, RateArrivals, WorkerArrivals, TraceArrivals>;

struct WorkloadRow {
    std::string operation;
    std::string server;
    std::string method; ///< upper case; empty: not declared (sent as GET)
    std::string path = "/";
    std::optional<OperationClass> operationClass;
    std::optional<bool> idempotent;
    std::optional<ReplayRule> callReplay;
    DerivedReplay replay{ReplayRule::Never, ""};
    std::uint64_t units = 1;
    bool streaming = false;
    Headers headers;
    int clients = 1; ///< processes: each has scopes of its own
    Duration startAt{};
    std::optional<Duration> cancelAfter;
    std::string fallback; ///< name of another row, or empty
    bool onDemand = false;
    Arrivals arrivals; ///< ignored where onDemand
    std::string policyName; ///< as journalled; "none" where the row names none
    std::shared_ptr<const Policy> policy;
    Mark mark;
};

// --- expectations -------------------------------------------------------------------------------------------------
/// A bound on one metric. Durations are in microseconds, counts and ratios as they are.
struct Expectation {
    enum class Selector { Run, Operation, During };
    Selector selector = Selector::Run;
    std::string of; ///< the operation's name or the label
    std::string metric; ///< dotted path: "operations.succeeded", "waits.max", "refused.deadline", "recovers_within"
    std::optional<double> min, max; ///< inclusive; equal where the file gives one value
    bool isDuration = false;
    Mark mark;
};

enum class DecisionKind { Retry, Refuse, Finish };

struct ExpectedDecision {
    int attempt = 1;
    std::optional<int> status;
    std::optional<Duration> hint;
    DecisionKind decision = DecisionKind::Finish;
    std::optional<Duration> delay; ///< before padding
    std::optional<std::string> source; ///< provider | backoff
    std::optional<std::string> reason;
    std::optional<std::string> result;
    Mark mark;
};

struct ExpectedDecisions {
    std::string operation;
    std::uint64_t index = 1; ///< which operation of that name, from 1 in order of start
    std::vector<ExpectedDecision> is; ///< all of them, in order
    Mark mark;
};

struct Scenario {
    std::string file; ///< as given on the command line
    std::string name;
    std::string summary;
    std::string hash; ///< of the file's bytes, 16 hex digits
    std::uint64_t seed = 1;
    WallTime start{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}}; ///< wall clock at t = 0
    std::optional<Duration> stopAfter;
    std::vector<Server> servers;
    std::map<std::string, std::shared_ptr<const Policy>> policies; ///< by name, those that rows use included
    std::vector<TimelineEntry> timeline;
    std::vector<WorkloadRow> workload;
    std::vector<Expectation> expectations;
    std::vector<ExpectedDecisions> decisions;
};

} // namespace throttlescope
