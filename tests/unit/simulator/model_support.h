// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/server_model.h"

#include <QtGlobal>

#include <cstdio>
#include <map>
#include <string>

/// What the tests of the fake server's model share: short ways to say a limit, a moment and a request.
namespace throttlescope::test {

using namespace std::chrono_literals;

/// The same number for every key of a stream; 0 where nothing was said.
class StreamDraw : public Draw {
public:
    std::map<Stream, double> values;
    mutable std::map<Stream, int> asked;
    double operator()(const DrawKey &key) const override
    {
        ++asked[key.stream];
        const auto found = values.find(key.stream);
        return found == values.end() ? 0 : found->second;
    }
};

/// "2026-06-02T09:00:12Z"
inline WallTime wall(const std::string &text)
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%dZ", &year, &month, &day, &hour, &minute, &second) != 6)
        qFatal("not a time: %s", text.c_str());
    const std::chrono::sys_days date{std::chrono::year{year} / month / day};
    return date + std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
}

inline MonotonicTime at(Duration sinceStart)
{
    return MonotonicTime{sinceStart};
}

inline Limit limit(std::string name, std::uint64_t quota, Duration per, WindowKind window)
{
    Limit made;
    made.name = std::move(name);
    made.quota = quota;
    made.per.length = per;
    made.window = window;
    return made;
}

inline Limit calendarLimit(std::string name, std::uint64_t quota, Duration per, std::string zone = {})
{
    auto made = limit(std::move(name), quota, per, WindowKind::Fixed);
    made.timeZone = std::move(zone);
    return made;
}

inline Limit civilLimit(std::string name, std::uint64_t quota, Period::Civil civil, std::string zone = {})
{
    auto made = calendarLimit(std::move(name), quota, civil == Period::Civil::Day ? Duration{24h} : Duration{720h}, std::move(zone));
    made.per.civil = civil;
    return made;
}

inline Limit firstRequestLimit(std::string name, std::uint64_t quota, Duration per)
{
    auto made = limit(std::move(name), quota, per, WindowKind::Fixed);
    made.align = Align::FirstRequest;
    return made;
}

inline Server serverWith(std::vector<Limit> limits)
{
    Server server;
    server.name = "api";
    server.limits = std::move(limits);
    return server;
}

/// A model with a clock that starts at a full minute unless told otherwise.
struct Bench {
    explicit Bench(const Server &server, const std::string &start = "2026-06-02T09:00:00Z", const std::vector<TimelineEntry> &timeline = {})
        : model(server, timeline, wall(start), draw)
    {
    }

    const Answer &ask(Duration when, Request request = {})
    {
        model.arrive(at(when), request, answer);
        return answer;
    }
    /// Arrives and leaves at once.
    const Answer &visit(Duration when, Request request = {})
    {
        ask(when, request);
        model.finished(at(when), request, answer);
        return answer;
    }
    /// The value of a header of the last answer, or "-".
    std::string header(std::string_view name) const
    {
        const auto *value = findHeader(answer.response.headers, name);
        return value ? *value : "-";
    }

    StreamDraw draw;
    ServerModel model;
    Answer answer;
};

} // namespace throttlescope::test
