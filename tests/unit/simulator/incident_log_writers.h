// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_formats.h"
#include "simulator/incident/log_reader.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What was called, written as each program would have logged it: fields and their order as its documentation has them.
namespace throttlescope::testing {

/// One request as its server saw it.
struct LoggedCall {
    WallTime at{}; ///< it arrived
    Duration took{};
    int status = 200; ///< 0: the client had gone, and each program has its own word for that
    bool byThisProxy = false; ///< a refusal of the program that writes the log
    std::optional<Duration> told; ///< Retry-After
    std::uint32_t client = 0;
    std::string method;
    std::string path;
    std::uint64_t size = 0; ///< of the request's body
    std::uint64_t operation = 0;
    std::uint32_t attempt = 1;

    bool isRefused() const { return status == 429 || byThisProxy; }
    WallTime end() const { return at + took; }
};

struct LogDialect {
    const char *name;
    incident::FormatChoice format;
    void (*write)(std::string &out, const LoggedCall &call);
    std::chrono::microseconds precision;
    bool byStart = false; ///< its lines stand in order of the requests' beginnings
    bool tellsClient = true;
    bool tellsRetryAfter = true;
    const char *logFormat = "";
};

namespace dialects {

inline std::int64_t microseconds(WallTime at)
{
    return at.time_since_epoch().count();
}

struct Civil {
    int year;
    unsigned month, day;
    std::int64_t hour, minute, second, rest; ///< rest: microseconds
};
inline Civil civil(WallTime at)
{
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::int64_t of = (at - WallTime{day}).count(), second = of / 1'000'000;
    return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), second / 3600,
        second / 60 % 60, second % 60, of % 1'000'000};
}
/// 10/Oct/2000:13:55:36 +0000
inline std::string clfTime(WallTime at)
{
    static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const Civil c = civil(at);
    return fmt::format("{:02}/{}/{}:{:02}:{:02}:{:02} +0000", c.day, kMonths[c.month - 1], c.year, c.hour, c.minute, c.second);
}
/// 2016-04-15T20:17:00.310Z, cut to that many digits.
inline std::string isoTime(WallTime at, int digits)
{
    const Civil c = civil(at);
    const std::string fraction = fmt::format("{:06}000", c.rest).substr(0, static_cast<std::size_t>(digits));
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{}Z", c.year, c.month, c.day, c.hour, c.minute, c.second, fraction);
}
inline std::string seconds(Duration value, int digits)
{
    return fmt::format("{:.{}f}", static_cast<double>(value.count()) / 1e6, digits);
}
inline std::string epochMilliseconds(WallTime at)
{
    const std::int64_t milliseconds = microseconds(at) / 1000;
    return fmt::format("{}.{:03}", milliseconds / 1000, milliseconds % 1000);
}
inline std::int64_t milliseconds(Duration value)
{
    return value.count() / 1000;
}
inline std::string client(const LoggedCall &call)
{
    return fmt::format("198.51.100.{}", call.client + 1);
}
inline std::string retryAfter(const LoggedCall &call)
{
    return call.told && call.isRefused() ? std::to_string((call.told->count() + 999'999) / 1'000'000) : std::string{};
}
inline int statusOr(const LoggedCall &call, int aborted)
{
    return call.status == 0 ? aborted : call.status;
}
inline std::string target(const LoggedCall &call)
{
    return call.path + "?trace=7f";
}

/// nginx.org/en/docs/http/ngx_http_log_module.html; the time is that of the request's end.
inline void nginxCombined(std::string &out, const LoggedCall &call)
{
    fmt::format_to(std::back_inserter(out), "{} - - [{}] \"{} {} HTTP/1.1\" {} 153 \"-\" \"okhttp/4.9.3\"\n", client(call),
        clfTime(call.end()), call.method, target(call), statusOr(call, 499));
}

inline constexpr const char *kNginxLogFormat
    = "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent \"$http_referer\" \"$http_user_agent\" $msec "
      "$request_time $request_length $upstream_status $limit_req_status \"$sent_http_retry_after\"";
inline void nginxLogFormat(std::string &out, const LoggedCall &call)
{
    const std::string told = retryAfter(call);
    fmt::format_to(std::back_inserter(out), "{} - - [{}] \"{} {} HTTP/1.1\" {} 153 \"-\" \"okhttp/4.9.3\" {} {} {} {} {} \"{}\"\n",
        client(call), clfTime(call.end()), call.method, target(call), statusOr(call, 499), epochMilliseconds(call.end()),
        seconds(call.took, 3), call.size + 412, call.byThisProxy || call.status == 0 ? "-" : std::to_string(call.status),
        call.byThisProxy ? "REJECTED" : "PASSED", told.empty() ? "-" : told);
}

/// Only what `limit_req` turned away, at the moment at which it did.
inline void nginxError(std::string &out, const LoggedCall &call)
{
    if (!call.byThisProxy)
        return;
    const Civil c = civil(call.at);
    fmt::format_to(std::back_inserter(out),
        "{:04}/{:02}/{:02} {:02}:{:02}:{:02} [error] 31#31: *{} limiting requests, excess: 20.350 by zone \"per_ip\", client: {}, "
        "server: api.example, request: \"{} {} HTTP/1.1\", host: \"api.example\"\n",
        c.year, c.month, c.day, c.hour, c.minute, c.second, call.operation + 7, client(call), call.method, target(call));
}

/// httpd.apache.org/docs/2.4/mod/mod_log_config.html: %t is the time the request was received.
inline void apacheCombined(std::string &out, const LoggedCall &call)
{
    fmt::format_to(std::back_inserter(out),
        "{} - frank [{}] \"{} {} HTTP/1.1\" {} 2326 \"http://www.example.com/start.html\" \"okhttp/4.9.3\"\n", client(call),
        clfTime(call.at), call.method, target(call), statusOr(call, 408));
}

inline void envoyText(std::string &out, const LoggedCall &call)
{
    fmt::format_to(std::back_inserter(out),
        "[{}] \"{} {} HTTP/2\" {} {} {} 0 {} {} \"{}\" \"nsq2http\" \"cc21d9b0-cf5c-432b-8c7e-{:012x}\" \"api.example\" "
        "\"tcp://10.0.2.1:80\"\n",
        isoTime(call.at, 3), call.method, target(call), call.status, call.status == 0 ? "DC" : "-", call.size, milliseconds(call.took),
        milliseconds(call.took), client(call), 1000 * call.operation + call.attempt);
}

inline void envoyJson(std::string &out, const LoggedCall &call)
{
    const std::string told = retryAfter(call);
    fmt::format_to(std::back_inserter(out),
        R"({{":authority":"api.example","bytes_received":{},"bytes_sent":1258,"connection_termination_details":null,)"
        R"("downstream_local_address":"10.42.0.77:10443","downstream_remote_address":"{}:59292","duration":{},"method":"{}",)"
        R"("protocol":"HTTP/2","requested_server_name":null,"response_code":{},"response_code_details":"{}",)"
        R"("response_flags":"{}","retry-after":{},"route_name":"r","start_time":"{}","upstream_cluster":"c",)"
        R"("upstream_host":"10.42.0.82:8080","user-agent":"okhttp/4.9.3","x-envoy-origin-path":"{}","x-forwarded-for":"{}",)"
        R"("x-request-id":"3bbc0252-2d5c-49fe-bd89-{:012x}"}})"
        "\n",
        call.size, client(call), milliseconds(call.took), call.method, call.status,
        call.status == 0 ? "downstream_remote_disconnect" : "via_upstream", call.status == 0 ? "DC" : "-",
        told.empty() ? "null" : '"' + told + '"', isoTime(call.at, 3), target(call), client(call), 1000 * call.operation + call.attempt);
}

inline void envoyJsonBehindCri(std::string &out, const LoggedCall &call)
{
    std::string written = isoTime(call.end(), 9);
    written.replace(written.size() - 1, 1, "+00:00");
    out += written + " stdout F ";
    envoyJson(out, call);
}

/// caddyserver.com/docs/logging: `ts` is when it was written, at the request's end.
inline void caddy(std::string &out, const LoggedCall &call)
{
    const std::string told = retryAfter(call);
    fmt::format_to(std::back_inserter(out),
        R"({{"level":"info","ts":{}.{:06},"logger":"http.log.access.log0","msg":"handled request","request":{{"remote_ip":"{}",)"
        R"("remote_port":"44790","client_ip":"{}","proto":"HTTP/1.1","method":"{}","host":"api.example:8443","uri":"{}",)"
        R"("headers":{{"User-Agent":["okhttp/4.9.3"]}}}},"bytes_read":{},"user_id":"","duration":{},"size":12,"status":{},)"
        R"("resp_headers":{{"Server":["gunicorn"],"Via":["1.1 Caddy"]{}}}}})"
        "\n",
        microseconds(call.end()) / 1'000'000, microseconds(call.end()) % 1'000'000, client(call), client(call), call.method, target(call),
        call.size, seconds(call.took, 9), call.status, told.empty() ? "" : fmt::format(R"(,"Retry-After":["{}"])", told));
}

inline void traefikJson(std::string &out, const LoggedCall &call)
{
    const std::string told = retryAfter(call);
    fmt::format_to(std::back_inserter(out),
        R"({{"ClientAddr":"{}:39496","ClientHost":"{}","ClientPort":"39496","ClientUsername":"-","DownstreamContentSize":357,)"
        R"("DownstreamStatus":{},"Duration":{},"OriginContentSize":357,"OriginDuration":{},"OriginStatus":{},"Overhead":32644,)"
        R"("RequestAddr":"api.example","RequestContentSize":{},"RequestCount":190,"RequestHost":"api.example","RequestMethod":"{}",)"
        R"("RequestPath":"{}","RequestPort":"-","RequestProtocol":"HTTP/1.1","RequestScheme":"http","RetryAttempts":0,)"
        R"("RouterName":"test@docker","ServiceAddr":"172.17.0.3:80","ServiceName":"test@docker","ServiceURL":{{"Scheme":"http"}},)"
        R"("StartLocal":"{}","StartUTC":"{}",{}"entryPointName":"http","level":"info","msg":"","time":"{:.19}Z"}})"
        "\n",
        client(call), client(call), statusOr(call, 499), call.took.count() * 1000, call.took.count() * 1000 - 32644, statusOr(call, 499),
        call.size, call.method, target(call), isoTime(call.at, 9), isoTime(call.at, 9),
        told.empty() ? "" : fmt::format(R"("downstream_Retry-After":"{}",)", told), isoTime(call.end(), 3));
}

inline void traefikClf(std::string &out, const LoggedCall &call)
{
    fmt::format_to(std::back_inserter(out),
        "{} - - [{}] \"{} {} HTTP/2\" {} 352 \"-\" \"okhttp/4.9.3\" 244 \"api@docker\" \"http://172.17.0.3:80\" {}ms\n", client(call),
        clfTime(call.at), call.method, target(call), statusOr(call, 499), milliseconds(call.took));
}

/// docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html: the time is the end's.
inline void awsAlb(std::string &out, const LoggedCall &call)
{
    fmt::format_to(std::back_inserter(out),
        "https {} app/api/50dc6c495c0c9188 {}:2817 10.0.0.1:80 0.000 {} 0.000 {} {} {} 57 \"{} https://api.example:443{} HTTP/1.1\" "
        "\"okhttp/4.9.3\" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 "
        "arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/api/73e2d6bc24d8a067 \"Root=1-58337281-{:024x}\" "
        "\"api.example\" \"arn:aws:acm:us-east-2:123456789012:certificate/12345678\" 1 {} \"forward\" \"-\" \"-\" \"10.0.0.1:80\" "
        "\"{}\" \"-\" \"-\"\n",
        isoTime(call.end(), 6), client(call), seconds(call.took, 3), statusOr(call, 460),
        call.status == 0 ? "-" : std::to_string(call.status), call.size, call.method, target(call), 1000 * call.operation + call.attempt,
        isoTime(call.at, 6), call.status == 0 ? "-" : std::to_string(call.status));
}

inline void jsonLines(std::string &out, const LoggedCall &call)
{
    const std::string told = retryAfter(call);
    fmt::format_to(std::back_inserter(out),
        R"({{"time":"{}","level":"INFO","method":"{}","url":"https://api.example{}","status":{},"client_ip":"{}","request_length":{},)"
        R"("duration_ms":{},"retry_after":{}}})"
        "\n",
        isoTime(call.end(), 6), call.method, target(call), statusOr(call, 499), client(call), call.size, seconds(call.took * 1000, 3),
        told.empty() ? "null" : told);
}

/// An entry; whoever writes the file puts them into `log.entries`.
inline void har(std::string &out, const LoggedCall &call)
{
    const std::string told = retryAfter(call);
    fmt::format_to(std::back_inserter(out),
        R"({{"startedDateTime":"{}","time":{},"request":{{"method":"{}","url":"https://api.example{}","httpVersion":"HTTP/1.1",)"
        R"("headers":[{{"name":"user-agent","value":"okhttp"}}],"cookies":[],"queryString":[],"headersSize":312,"bodySize":{}}},)"
        R"("response":{{"status":{},"statusText":"","httpVersion":"HTTP/1.1","headers":[{}],"cookies":[],)"
        R"("content":{{"size":2,"mimeType":"application/json","text":"{{}}"}},"redirectURL":"","headersSize":1,"bodySize":2}},)"
        R"("cache":{{}},"timings":{{"send":0,"wait":1,"receive":0}}}})"
        "\n",
        isoTime(call.at, 3), seconds(call.took * 1000, 3), call.method, target(call), call.size, call.status,
        told.empty() ? "" : fmt::format(R"({{"name":"retry-after","value":"{}"}})", told));
}

} // namespace dialects

using incident::LogFormat;

/// The journal apart, which writes itself. nginx's error log goes with an access log, which has the requests that passed.
inline const std::vector<LogDialect> &logDialects()
{
    using namespace std::chrono_literals;
    static const std::vector<LogDialect> all{
        {"nginx combined", {LogFormat::Combined}, dialects::nginxCombined, 1s, false, true, false},
        {"nginx log_format", {LogFormat::NginxLogFormat}, dialects::nginxLogFormat, 1ms, false, true, true, dialects::kNginxLogFormat},
        {"nginx combined and error log", {LogFormat::Combined}, dialects::nginxCombined, 1s, false, true, false},
        {"Apache combined", {LogFormat::Combined}, dialects::apacheCombined, 1s, false, true, false},
        {"Envoy text", {LogFormat::EnvoyText}, dialects::envoyText, 1ms, false, true, false},
        {"Envoy JSON", {LogFormat::EnvoyJson}, dialects::envoyJson, 1ms},
        {"Envoy JSON behind CRI", {LogFormat::EnvoyJson, true}, dialects::envoyJsonBehindCri, 1ms},
        {"Caddy JSON", {LogFormat::Caddy}, dialects::caddy, 1us},
        {"Traefik JSON", {LogFormat::TraefikJson}, dialects::traefikJson, 1us},
        {"Traefik CLF", {LogFormat::TraefikClf}, dialects::traefikClf, 1s, false, true, false},
        {"AWS ALB", {LogFormat::AwsAlb}, dialects::awsAlb, 1us, false, true, false},
        {"JSON Lines", {LogFormat::JsonLines}, dialects::jsonLines, 1us},
        {"HAR", {LogFormat::Har}, dialects::har, 1ms, true, false},
        {"journal", {LogFormat::Journal}, nullptr, 1us, false, false, true},
    };
    return all;
}

} // namespace throttlescope::testing
