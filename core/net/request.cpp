// SPDX-License-Identifier: Apache-2.0
#include "core/net/request.h"

#include <string_view>

namespace throttlescope::net {

namespace {

/// RFC 9110 5.5: a line end in a value would start a header of its own.
bool isFieldValue(std::string_view value)
{
    return value.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos;
}

int defaultPort(const QUrl &url)
{
    return url.scheme() == QLatin1String("https") ? 443 : 80;
}

std::string headerProblem(const HeaderField &header)
{
    if (!isToken(header.name))
        return "a header's name is no token";
    if (!isFieldValue(header.value))
        return "the value of header " + header.name + " has a line end or a NUL";
    if (sameHeaderName(header.name, "Content-Length") || sameHeaderName(header.name, "Transfer-Encoding"))
        return "header " + header.name + " is the client's own";
    return {};
}

std::string bodyProblem(const Body &body)
{
    if (const auto *factory = std::get_if<DeviceFactory>(&body); factory && !*factory)
        return "the body's device factory is empty";
    if (const auto *device = std::get_if<std::shared_ptr<QIODevice>>(&body); device && !*device)
        return "the body's device is null";
    return {};
}

} // namespace

std::string requestProblem(const Request &request)
{
    const QString scheme = request.url.scheme();
    if (!request.url.isValid() || request.url.host().isEmpty() || (scheme != QLatin1String("http") && scheme != QLatin1String("https")))
        return "the URL is no http or https URL with a host";
    if (!request.url.userInfo().isEmpty())
        return "the URL has user information, expected a header for credentials";
    if (!isToken(request.method) || request.method == "CONNECT")
        return "the method is no method of a request";
    if (request.method == "HEAD" && request.operationClass == OperationClass::Action)
        return "HEAD has no effect (RFC 9110 9.3.2), expected another method of an action";
    if (request.method == "HEAD" && !std::holds_alternative<std::monostate>(request.body))
        return "HEAD has a body, which Qt cannot send";
    for (const HeaderField &header : request.headers) {
        if (std::string problem = headerProblem(header); !problem.empty())
            return problem;
    }
    if (const auto *policy = std::get_if<std::shared_ptr<const Policy>>(&request.retry); policy && !*policy)
        return "the call's policy is null";
    return bodyProblem(request.body);
}

std::string serverName(const QUrl &url)
{
    const QString host = url.host(QUrl::FullyEncoded);
    if (portOf(url) == defaultPort(url))
        return host.toStdString();
    const QString bracketed = host.contains(QLatin1Char(':')) ? QLatin1Char('[') + host + QLatin1Char(']') : host;
    return (bracketed + QLatin1Char(':') + QString::number(portOf(url))).toStdString();
}

int portOf(const QUrl &url)
{
    return url.port(defaultPort(url));
}

} // namespace throttlescope::net
