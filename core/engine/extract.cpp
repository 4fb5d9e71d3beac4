// SPDX-License-Identifier: Apache-2.0
#include "core/engine/extract.h"

#include <cmath>
#include <fmt/format.h>
#include <simdjson.h>

namespace throttlescope {

namespace {

using Extracted = RetryAfterExtractor::Extracted;

Extracted extract(const JsonPointerExtractor &extractor, const Response &response)
{
    if (response.body.empty())
        return {};
    simdjson::dom::parser parser;
    simdjson::dom::element document;
    if (const auto error = parser.parse(response.body).get(document))
        return {{}, fmt::format("the body is not JSON ({})", simdjson::error_message(error))};
    simdjson::dom::element value;
    switch (document.at_pointer(extractor.pointer).get(value)) {
    case simdjson::SUCCESS: break;
    case simdjson::INVALID_JSON_POINTER: return {{}, fmt::format("'{}' is no JSON pointer", extractor.pointer)};
    default: return {}; // the body does not have it
    }
    if (value.is_null())
        return {};
    double number = 0;
    if (value.get_double().get(number))
        return {{},
            fmt::format("the value at {} is {}, not a number", extractor.pointer,
                value.type() == simdjson::dom::element_type::STRING ? "text" : "something else")};
    return {extractor.unit == JsonPointerExtractor::Unit::Milliseconds ? number / 1000 : number, {}};
}

struct Reader {
    const Response &response;
    Extracted operator()(const JsonPointerExtractor &extractor) const { return extract(extractor, response); }
    Extracted operator()(const std::shared_ptr<const RetryAfterExtractor> &extractor) const { return extractor->extract(response); }
};

} // namespace

tl::expected<std::optional<signals::Hint>, std::string> extractHint(const Extractor &extractor, const Response &response)
{
    Extracted extracted = std::visit(Reader{response}, extractor);
    if (!extracted.error.empty())
        return tl::unexpected(std::move(extracted.error));
    if (!extracted.seconds)
        return std::optional<signals::Hint>{};
    if (!std::isfinite(*extracted.seconds) || *extracted.seconds < 0)
        return tl::unexpected(fmt::format("{} is not a finite number ≥ 0", *extracted.seconds));
    signals::Hint hint;
    hint.delay = durationFromSeconds(*extracted.seconds);
    hint.form = signals::HintForm::BodyValue;
    const auto *pointer = std::get_if<JsonPointerExtractor>(&extractor);
    hint.header = pointer ? fmt::format("body {}", pointer->pointer) : "extractor";
    hint.raw = fmt::format("{}", *extracted.seconds);
    return hint;
}

} // namespace throttlescope
