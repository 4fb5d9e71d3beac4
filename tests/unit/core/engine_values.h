// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/draw.h"
#include "core/engine/outcome.h"
#include "core/engine/time.h"

#include <cmath>
#include <map>

/// Values that the engine's tests share.
namespace throttlescope::testing {

inline const double kJustUnderOne = std::nextafter(1.0, 0.0);

constexpr MonotonicTime at(Duration since)
{
    return MonotonicTime{since};
}

/// The same number for every key of a stream: `otherwise`, unless the stream has its own.
class FixedDraw final : public Draw {
public:
    explicit FixedDraw(double otherwise, std::map<Stream, double> streams = {})
        : m_otherwise(otherwise)
        , m_streams(std::move(streams))
    {
    }
    double operator()(const DrawKey &key) const override
    {
        const auto own = m_streams.find(key.stream);
        return own == m_streams.end() ? m_otherwise : own->second;
    }

private:
    double m_otherwise;
    std::map<Stream, double> m_streams;
};

inline Outcome answer(int status, Headers headers = {}, std::string body = {})
{
    return Response{.status = status, .headers = std::move(headers), .body = std::move(body)};
}

inline Outcome throttled(std::string retryAfter = {})
{
    return answer(429, retryAfter.empty() ? Headers{} : Headers{{"Retry-After", std::move(retryAfter)}});
}

inline Outcome lost(TransportFailureKind kind = TransportFailureKind::ConnectionReset)
{
    return TransportFailure{kind};
}

} // namespace throttlescope::testing
