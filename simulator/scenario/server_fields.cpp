// SPDX-License-Identifier: Apache-2.0
#include "core/signals/dialects.h"
#include "simulator/model/calendar.h"
#include "simulator/scenario/scenario_fields.h"

#include <set>

namespace throttlescope {

namespace {

Codec<OnLimit> makeOnLimitCodec()
{
    const auto retryAfter = variantCodec<RetryAfterHeader>({
        wordAlternative<RetryAfterHeader>("seconds", RetryAfterForm::Seconds),
        wordAlternative<RetryAfterHeader>("http-date", RetryAfterForm::HttpDate),
        wordAlternative<RetryAfterHeader>("rfc850-date", RetryAfterForm::Rfc850Date),
        wordAlternative<RetryAfterHeader>("asctime-date", RetryAfterForm::AsctimeDate),
        wordAlternative<RetryAfterHeader>("milliseconds", RetryAfterForm::Milliseconds),
        wordAlternative<RetryAfterHeader>("none", RetryAfterForm::None),
        mapAlternative<RetryAfterHeader, LiteralRetryAfter>("literal",
            recordCodec<LiteralRetryAfter>({required("literal", &LiteralRetryAfter::text, textCodec(), "The header's text as it is.")})),
    });
    std::vector<std::pair<std::string, Dialect>> words{{"ietf-ratelimit", Dialect::IetfList10},
        {"ietf-ratelimit-03", Dialect::IetfTriple03}, {"ietf-ratelimit-07", Dialect::IetfCombined07},
        {"ietf-ratelimit-10", Dialect::IetfList10}, {"saia", Dialect::Saia}};
    for (const signals::DialectInfo &each : signals::dialects())
        words.emplace_back(each.name, each.id);
    const auto dialects = wordsCodec<Dialect>(std::move(words));
    return recordCodec<OnLimit>({
        field("status", &OnLimit::status, integerCodec<int>(400, 599), "Of the refusal."),
        field("retry_after", &OnLimit::retryAfter, retryAfter, "How the refusal says when to come back."),
        field("reports", &OnLimit::reports,
            wordsCodec<Reports>({{"violated", Reports::Violated}, {"shortest", Reports::Shortest}, {"longest", Reports::Longest}}),
            "Whose reset is told: of the violated limits the longest, or of all limits the shortest or longest."),
        field("headers", &OnLimit::headers, listCodec(dialects), "Dialects sent with every response."),
        field("counts", &OnLimit::counts, wordsCodec<Counts>({{"accepted", Counts::Accepted}, {"all", Counts::All}}),
            "all: refused requests use quota too."),
        field("early_retry", &OnLimit::earlyRetry, wordsCodec<EarlyRetry>({{"ignore", EarlyRetry::Ignore}, {"extend", EarlyRetry::Extend}}),
            "extend: coming back early restarts the window."),
        field("body", &OnLimit::body, textCodec(), "Of the refusal."),
    });
}

Codec<std::string> keyCodec()
{
    const auto read = [](const Node &node, std::string &header, Problems &problems) {
        constexpr std::string_view prefix = "header:";
        if (!node.isScalar() || node.text.rfind(prefix, 0) != 0 || node.text.size() == prefix.size())
            return refuse(node, problems, fmt::format("'{}' is no key, expected header:NAME", shown(node.text)));
        header = node.text.substr(prefix.size());
        return true;
    };
    return {read, [](const std::string &header) { return header.empty() ? Node{} : Node::scalar("header:" + header, true); },
        otherSchema(R"({"type":"string","pattern":"^header:."})", "header:NAME")};
}

Codec<Correlate> correlateCodec()
{
    constexpr std::string_view prefix = "header:";
    const auto read = [prefix](const Node &node, Correlate &correlate, Problems &problems) {
        if (node.isScalar() && node.text == "method+path") {
            correlate = {Correlate::By::MethodAndPath, {}};
        } else if (node.isScalar() && node.text == "method+path+body") {
            correlate = {Correlate::By::MethodPathAndBody, {}};
        } else if (node.isScalar() && node.text.rfind(prefix, 0) == 0 && node.text.size() > prefix.size()) {
            correlate = {Correlate::By::Header, node.text.substr(prefix.size())};
        } else {
            return refuse(node, problems,
                fmt::format("'{}' tells no operations apart, expected header:NAME, method+path or method+path+body", shown(node.text)));
        }
        return true;
    };
    const auto write = [](const Correlate &correlate) {
        switch (correlate.by) {
        case Correlate::By::MethodAndPath: return Node::scalar("method+path", true);
        case Correlate::By::MethodPathAndBody: return Node::scalar("method+path+body", true);
        case Correlate::By::Header: break;
        }
        return Node::scalar("header:" + correlate.header, true);
    };
    return {read, write,
        otherSchema(
            R"({"type":"string","pattern":"^(method\\+path(\\+body)?|header:.+)$"})", "header:NAME, method+path or method+path+body")};
}

/// Refuses the value of a key at its place, or at the map's where it is not written.
bool refuseKey(const Node &node, std::string_view key, Problems &problems, std::string text)
{
    const Node *written = node.find(key);
    return refuse(written ? *written : node, problems, std::move(text));
}

/// What a kind of window needs, and what has no meaning on it.
bool checkWindow(const Node &node, const Limit &limit, Problems &problems)
{
    constexpr Duration day = std::chrono::hours{24};
    const bool calendar = limit.window == WindowKind::Fixed && limit.align == Align::Calendar;
    const bool hasPer = limit.per.length > Duration::zero();
    if (limit.window == WindowKind::Concurrency) {
        if (hasPer)
            return refuseKey(node, "per", problems, "'per' on a concurrency limit, expected none: it has no window");
        if (limit.used > 0)
            return refuseKey(node, "used", problems, "'used' on a concurrency limit, expected none");
    } else if (!hasPer) {
        return refuse(node, problems, fmt::format("'per' is missing, expected the length of the window '{}'", shown(limit.name)));
    }
    if (limit.per.civil == Period::Civil::Month && !calendar)
        return refuseKey(node, "per", problems, "1mo on a window that is not aligned to the calendar, expected a duration");
    if (calendar && limit.per.civil == Period::Civil::None && (limit.per.length > day || day.count() % limit.per.length.count() != 0))
        return refuseKey(node, "per", problems,
            fmt::format("a calendar window of {} does not divide the day, expected one that does, 1d or 1mo", periodText(limit.per)));
    if (node.find("align") && limit.window != WindowKind::Fixed)
        return refuseKey(node, "align", problems, "'align' on a window that is not fixed, expected none");
    if (!limit.timeZone.empty() && !calendar)
        return refuseKey(node, "time_zone", problems, "'time_zone' on a window that is not aligned to the calendar, expected none");
    if (!limit.timeZone.empty() && !knownTimeZone(limit.timeZone))
        return refuseKey(node, "time_zone", problems,
            fmt::format("unknown time zone '{}', expected an IANA name such as Europe/Berlin", shown(limit.timeZone)));
    if (limit.burst && limit.window != WindowKind::TokenBucket)
        return refuseKey(node, "burst", problems, "'burst' on a window that is no token_bucket, expected none");
    return true;
}

Codec<Limit> limitCodec()
{
    const auto kinds = wordsCodec<WindowKind>({{"fixed", WindowKind::Fixed}, {"sliding", WindowKind::Sliding},
        {"token_bucket", WindowKind::TokenBucket}, {"concurrency", WindowKind::Concurrency}});
    const Codec<OnLimit> &own = onLimitCodec();
    // Read by the server, which knows what it overlays; here it is only known as a key.
    const Field<Limit> onLimit{"on_limit", [](const Node &, Limit &, Problems &) { return true; },
        [own](const Limit &limit) { return limit.onLimit ? std::optional{own.write(*limit.onLimit)} : std::nullopt; }, own.schema,
        "Of this limit, over the server's.", false};
    Field<Limit> per = field("per", &Limit::per, periodCodec(), "The window's length; required but for concurrency.");
    per.write = [write = per.write](const Limit &limit) { return limit.per.length > Duration::zero() ? write(limit) : std::nullopt; };
    Codec<Limit> codec = recordCodec<Limit>({
        required("name", &Limit::name, nameCodec(), "As the journal and the headers name it."),
        required(
            "quota", &Limit::quota, integerCodec<std::uint64_t>(1, kManyTimes), "Requests or units a window; at once for concurrency."),
        per,
        field("window", &Limit::window, kinds, "The kind of window."),
        field("align", &Limit::align, wordsCodec<Align>({{"calendar", Align::Calendar}, {"first_request", Align::FirstRequest}}),
            "What a fixed window begins with."),
        field("time_zone", &Limit::timeZone, nameCodec(), "IANA zone of a calendar window; UTC where absent."),
        field("burst", &Limit::burst, integerCodec<std::uint64_t>(1, kManyTimes), "Capacity of a token_bucket; quota where absent."),
        field("unit", &Limit::unit, wordsCodec<Unit>({{"requests", Unit::Requests}, {"units", Unit::Units}}), "What is counted."),
        field("key", &Limit::keyHeader, keyCodec(), "One window for each value of that header."),
        field("used", &Limit::used, integerCodec<std::uint64_t>(0, kManyTimes), "Already used at t = 0."),
        onLimit,
    });
    const auto readFields = codec.read;
    codec.read = [readFields](const Node &node, Limit &limit, Problems &problems) {
        return readFields(node, limit, problems) && checkWindow(node, limit, problems);
    };
    return codec;
}

Codec<Headers> headersCodec()
{
    const Codec<std::string> text = textCodec();
    const auto read = [text](const Node &node, Headers &headers, Problems &problems) {
        if (!node.isMap())
            return refuse(node, problems, fmt::format("{}, expected a map of header names and values", node.kindName()));
        bool good = true;
        for (const Node::Entry &entry : node.entries) {
            std::string value;
            good = text.read(entry.value, value, problems) && good;
            // So that no file can smuggle a second header line in.
            const bool token = isToken(entry.key);
            const bool line = std::none_of(
                value.begin(), value.end(), [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; });
            if (!token || !line)
                good = refuse(
                    entry.value, problems, fmt::format("'{}' is no header line, expected a field name and one line of text", entry.key));
            headers.push_back({entry.key, value});
        }
        return good;
    };
    const auto write = [](const Headers &headers) {
        Node node;
        node.kind = Node::Kind::Map;
        for (const HeaderField &header : headers)
            node.set(header.name, Node::scalar(header.value, true));
        return node;
    };
    return {read, write,
        otherSchema(
            R"({"type":"object","additionalProperties":{"type":["string","number","boolean"]}})", "a map of header names and values")};
}

Codec<ScriptEntry> scriptCodec()
{
    const auto when = recordCodec<ScriptWhen>({
        field("operation", &ScriptWhen::operation, nameCodec(), "Name of the operation."),
        field("attempt", &ScriptWhen::attempt, integerCodec<int>(1, kManyTimes), "Number of the attempt."),
        field("method", &ScriptWhen::method, methodCodec(), "As sent."),
        field("path", &ScriptWhen::path, nameCodec(), "As sent."),
        field("nth", &ScriptWhen::nth, integerCodec<std::uint64_t>(1, kManyTimes), "The nth request that meets the other keys."),
        field("header", &ScriptWhen::headers, headersCodec(), "Header lines it must have."),
    });
    const auto faults
        = wordsCodec<FaultKind>({{"reset", FaultKind::Reset}, {"timeout", FaultKind::Timeout}, {"refuse", FaultKind::Refuse}});
    Codec<ScriptAnswer> answer = recordCodec<ScriptAnswer>({
        field("status", &ScriptAnswer::status, integerCodec<int>(200, 599), "Of the answer."),
        field("fault", &ScriptAnswer::fault, faults, "Instead of an answer."),
        field("headers", &ScriptAnswer::headers, headersCodec(), "Header lines of the answer."),
        field("body", &ScriptAnswer::body, textCodec(), "Of the answer."),
        field("size", &ScriptAnswer::size, sizeCodec(), "Size of the body; body's own where absent."),
        field("break_at", &ScriptAnswer::breakAt, percentCodec(), "The connection breaks after this share of the body."),
        field(
            "executed", &ScriptAnswer::executed, truthCodec(), "Whether the operation's effect happened; where absent, below status 400."),
    });
    const auto readFields = answer.read;
    answer.read = [readFields](const Node &node, ScriptAnswer &value, Problems &problems) {
        if (!readFields(node, value, problems))
            return false;
        if (value.status.has_value() == value.fault.has_value())
            return refuse(node, problems, "an answer has either a status or a fault, expected exactly one of the two");
        if (value.fault && (!value.headers.empty() || !value.body.empty() || value.size || value.breakAt))
            return refuse(node, problems, "a fault sends no answer, expected no headers, body, size or break_at beside it");
        return true;
    };
    return recordCodec<ScriptEntry>({
        field("when", &ScriptEntry::when, when, "What it answers; every request where absent. Keys are AND-ed."),
        field("times", &ScriptEntry::times, integerCodec<int>(1, kManyTimes), "How often; without end where absent."),
        required("answer", &ScriptEntry::answer, answer, "What is answered."),
    });
}

/// Those of the published experiment, where the file writes none.
void setPublishedHops(const Node &server, Network &network)
{
    constexpr NormalLatency hop{std::chrono::milliseconds{10}, std::chrono::milliseconds{2}};
    const auto isWritten = [&server](std::string_view key) {
        const Node *hops = server.find("network");
        const Node *written = hops ? hops->find(key) : nullptr;
        return written && written->kind != Node::Kind::Null;
    };
    if (!isWritten("out"))
        network.out = hop;
    if (!isWritten("back"))
        network.back = hop;
}

Codec<Server> makeServerCodec()
{
    const auto network = recordCodec<Network>(
        {field("out", &Network::out, hopCodec(), "To the server."), field("back", &Network::back, hopCodec(), "From the server.")});
    const auto kinds = wordsCodec<ServerKind>({{"plain", ServerKind::Plain}, {"occ", ServerKind::Occ}});
    Codec<Server> codec = recordCodec<Server>({
        field("model", &Server::kind, kinds,
            "occ: a request reads one versioned row, goes back and comes again to write it; 409 if another write came first. A hop "
            "that is not written is normal, 10 ms by 2 ms. In virtual time only."),
        field("network", &Server::network, network, "Travel time of a request and its answer."),
        field("latency", &Server::latency, latencyCodec(), "From arrival to answer."),
        field("limits", &Server::limits, listCodec(limitCodec()), "All apply; a request is admitted only if every one admits it."),
        field("on_limit", &Server::onLimit, onLimitCodec(), "How a refusal looks."),
        field("clock_skew", &Server::clockSkew, durationCodec(-kLongestDuration), "How far the server's wall clock is ahead."),
        field("script", &Server::script, listCodec(scriptCodec()), "Answers that come before faults and limits."),
        field("correlate", &Server::correlate, correlateCodec(), "What makes requests of a client under `serve` one operation."),
    });
    const auto readFields = codec.read;
    codec.read = [readFields](const Node &node, Server &server, Problems &problems) {
        if (!readFields(node, server, problems))
            return false;
        if (server.kind == ServerKind::Occ)
            setPublishedHops(node, server.network);
        const Node *limits = node.find("limits");
        std::set<std::string> names;
        bool good = true;
        for (std::size_t i = 0; limits && i < server.limits.size(); ++i) {
            Limit &limit = server.limits[i];
            if (!names.insert(limit.name).second)
                good = refuseKey(limits->items[i], "name", problems,
                    fmt::format("a second limit called '{}', expected names that differ", shown(limit.name)));
            const Node *own = limits->items[i].find("on_limit");
            if (!own || own->kind == Node::Kind::Null)
                continue;
            limit.onLimit = server.onLimit;
            good = onLimitCodec().read(*own, *limit.onLimit, problems) && good;
        }
        const Node *onLimit = node.find("on_limit");
        const Node *headers = onLimit ? onLimit->find("headers") : nullptr;
        if (good && server.limits.empty() && headers && !headers->items.empty())
            return refuse(*headers, problems, "'headers' of a server without limits, expected limits: there is nothing to tell");
        return good;
    };
    return codec;
}

} // namespace

const Codec<OnLimit> &onLimitCodec()
{
    static const Codec<OnLimit> codec = makeOnLimitCodec();
    return codec;
}

const Codec<Server> &serverCodec()
{
    static const Codec<Server> codec = makeServerCodec();
    return codec;
}

Codec<Headers> headerLinesCodec()
{
    return headersCodec();
}

Codec<std::string> methodCodec()
{
    Codec<std::string> codec = nameCodec();
    const auto readText = codec.read;
    codec.read = [readText](const Node &node, std::string &method, Problems &problems) {
        if (!readText(node, method, problems))
            return false;
        if (!isToken(method))
            return refuse(node, problems, fmt::format("'{}' is no method, expected one such as GET or POST", shown(method)));
        method = upperCase(std::move(method));
        return true;
    };
    return codec;
}

} // namespace throttlescope
