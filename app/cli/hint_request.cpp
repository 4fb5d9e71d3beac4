// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hint_request.h"

#include "core/signals/dialects.h"
#include "simulator/scenario/text_values.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace throttlescope::cli {

namespace {

using simdjson::dom::element;

constexpr std::size_t kKeepParserUpTo = std::size_t{1} << 20; ///< bytes of a line; a parser's memory is several times that

} // namespace

struct HintRequestReader::Private {
    explicit Private(HintRequest given)
        : defaults(std::move(given))
    {
    }

    bool member(std::string_view key, element value);
    bool readNow(element value);
    bool readStatus(element value);
    bool readHeaders(element value);
    bool readDialect(element value);
    bool fail(std::string text)
    {
        error = std::move(text);
        return false;
    }

    HintRequest defaults;
    HintRequest request;
    simdjson::dom::parser parser;
    std::string error;
    std::string lastNow; ///< requests of one log mostly share their time, or a part of it
    WallTime lastMoment{};
    bool hasHeaders = false;
};

bool HintRequestReader::Private::member(std::string_view key, element value)
{
    if (value.is_null())
        return true;
    if (key == "headers")
        return readHeaders(value);
    if (key == "now")
        return readNow(value);
    if (key == "status")
        return readStatus(value);
    if (key == "dialect")
        return readDialect(value);
    if (key == "body") {
        std::string_view text;
        if (value.get_string().get(text))
            return fail("'body' is no text, expected the response's body as one string");
        request.response.body = text;
    } else if (key == "strict") {
        if (value.get_bool().get(request.options.strict))
            return fail("'strict' is neither true nor false");
    }
    return true;
}

bool HintRequestReader::Private::readNow(element value)
{
    std::string_view text;
    if (value.get_string().get(text))
        return fail("'now' is no text, expected RFC 3339 such as 2026-06-02T09:00:12Z");
    if (text != lastNow) {
        const auto moment = parseRfc3339(text);
        if (!moment)
            return fail("'now' is no moment, expected RFC 3339 such as 2026-06-02T09:00:12Z");
        lastNow = text;
        lastMoment = *moment;
    }
    request.now = lastMoment;
    return true;
}

bool HintRequestReader::Private::readStatus(element value)
{
    std::int64_t status = 0;
    if (value.get_int64().get(status) || status < 100 || status > 999)
        return fail("'status' is no status code, expected a whole number from 100 to 999");
    request.response.status = static_cast<int>(status);
    return true;
}

bool HintRequestReader::Private::readHeaders(element value)
{
    simdjson::dom::array lines;
    if (value.get_array().get(lines))
        return fail("'headers' is no list, expected [[name, value], …]");
    Headers &headers = request.response.headers;
    std::size_t count = 0;
    for (const element line : lines) {
        std::string_view name;
        std::string_view text;
        simdjson::dom::array pair;
        if (line.get_array().get(pair) || pair.size() != 2 || pair.at(0).get_string().get(name) || pair.at(1).get_string().get(text))
            return fail(fmt::format("header {} is no [name, value] of two texts", count + 1));
        if (count == headers.size())
            headers.emplace_back();
        headers[count].name.assign(name);
        headers[count].value.assign(text);
        ++count;
    }
    headers.resize(count);
    hasHeaders = true;
    return true;
}

bool HintRequestReader::Private::readDialect(element value)
{
    std::string_view name;
    if (value.get_string().get(name))
        return fail("'dialect' is no text, expected a dialect's name");
    request.options.dialect = signals::dialectNamed(name);
    return request.options.dialect || fail("'dialect' names no dialect that is known");
}

HintRequestReader::HintRequestReader(HintRequest defaults)
    : d(std::make_unique<Private>(std::move(defaults)))
{
}

HintRequestReader::~HintRequestReader() = default;

const std::string &HintRequestReader::error() const
{
    return d->error;
}

const HintRequest *HintRequestReader::read(std::string_view line)
{
    d->request.now = d->defaults.now;
    d->request.response.status = d->defaults.response.status;
    d->request.response.body.clear();
    d->request.options = d->defaults.options;
    d->hasHeaders = false;
    if (d->parser.capacity() > kKeepParserUpTo && line.size() <= kKeepParserUpTo)
        d->parser = simdjson::dom::parser{};
    element document;
    simdjson::dom::object object;
    if (const auto error = d->parser.parse(line.data(), line.size(), false).get(document)) {
        d->fail(fmt::format("no JSON: {}", simdjson::error_message(error)));
        return nullptr;
    }
    if (document.get_object().get(object)) {
        d->fail("no JSON object");
        return nullptr;
    }
    for (const auto pair : object) {
        if (!d->member(pair.key, pair.value))
            return nullptr;
    }
    if (!d->hasHeaders) {
        d->fail("'headers' is missing, expected [[name, value], …]");
        return nullptr;
    }
    return &d->request;
}

} // namespace throttlescope::cli
