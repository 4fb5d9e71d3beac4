// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/request_reader.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace throttlescope::http {

namespace beast = boost::beast;
using beast::http::error;

namespace {

constexpr std::size_t kLastChunkSize = 5; ///< "0\r\n\r\n"
constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325;
constexpr std::uint64_t kFnvPrime = 0x100000001b3;

std::string_view viewOf(beast::string_view text)
{
    return {text.data(), text.size()};
}

int statusOf(const beast::error_code &code)
{
    if (code == error::header_limit)
        return 431;
    if (code == error::body_limit)
        return 413;
    return 400;
}

bool isUnknownVersion(std::string_view line)
{
    const std::size_t end = line.find("\r\n");
    const std::size_t version = line.substr(0, end).rfind(" HTTP/");
    if (end == std::string_view::npos || version == std::string_view::npos || end - version != std::string_view{" HTTP/1.1"}.size())
        return false;
    const auto digit = [&line](std::size_t at) { return line[at] >= '0' && line[at] <= '9'; };
    return digit(end - 3) && line[end - 2] == '.' && digit(end - 1) && line[end - 3] != '1';
}

} // namespace

std::string_view ReceivedRequest::path() const
{
    std::string_view path = target;
    path = path.substr(0, std::min(path.find('?'), path.find('#')));
    if (path.empty() || path.front() == '/')
        return path;
    const std::size_t authority = path.find("://"); // absolute-form
    if (authority == std::string_view::npos)
        return path;
    const std::size_t slash = path.find('/', authority + 3);
    return slash == std::string_view::npos ? "/" : path.substr(slash);
}

/// Writes what Beast finds straight into the request.
class RequestReader::Parser final : public beast::http::basic_parser<true> {
public:
    Parser(ReceivedRequest &request, const RequestBounds &bounds)
        : m_request(request)
        , m_bodyBound(bounds.body)
    {
        header_limit(bounds.header);
        body_limit(bounds.body);
        eager(true);
        request.bodySize = 0;
        request.bodyHash = kFnvBasis;
    }

    bool wantsContinue() const { return m_expects && !m_unknownExpectation; }
    bool unknownExpectation() const { return m_unknownExpectation; }
    bool unknownCoding() const { return m_coded && !chunked(); }
    int hosts() const { return m_hosts; }

private:
    void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int version, beast::error_code &) override
    {
        m_request.method.assign(method.data(), method.size());
        m_request.target.assign(target.data(), target.size());
        m_request.oldVersion = version < 11;
    }
    void on_response_impl(int, beast::string_view, int, beast::error_code &) override { }
    void on_field_impl(beast::http::field field, beast::string_view name, beast::string_view value, beast::error_code &) override
    {
        if (m_headerRead)
            return;
        if (m_fields == m_request.headers.size())
            m_request.headers.emplace_back();
        HeaderField &line = m_request.headers[m_fields++];
        line.name.assign(name.data(), name.size());
        line.value.assign(value.data(), value.size());
        if (field == beast::http::field::host) {
            ++m_hosts;
        } else if (field == beast::http::field::transfer_encoding) {
            m_coded = true;
        } else if (field == beast::http::field::expect) {
            m_expects = true;
            m_unknownExpectation = m_unknownExpectation || !sameHeaderName(viewOf(value), "100-continue");
        }
    }
    void on_header_impl(beast::error_code &) override
    {
        m_headerRead = true;
        m_request.headers.resize(m_fields);
        m_request.keepAlive = keep_alive();
    }
    void on_body_init_impl(const boost::optional<std::uint64_t> &, beast::error_code &) override { }
    std::size_t on_body_impl(beast::string_view body, beast::error_code &code) override { return take(body, code); }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, beast::error_code &) override { }
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, beast::error_code &code) override { return take(body, code); }
    void on_finish_impl(beast::error_code &) override { }

    std::size_t take(beast::string_view body, beast::error_code &code)
    {
        m_request.bodySize += body.size();
        if (m_request.bodySize > m_bodyBound)
            code = error::body_limit;
        std::uint64_t hash = m_request.bodyHash;
        for (const char c : body)
            hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
        m_request.bodyHash = hash;
        return body.size();
    }

    ReceivedRequest &m_request;
    const std::uint64_t m_bodyBound;
    std::size_t m_fields = 0;
    int m_hosts = 0;
    bool m_headerRead = false;
    bool m_coded = false;
    bool m_expects = false;
    bool m_unknownExpectation = false;
};

RequestReader::RequestReader(const RequestBounds &bounds)
    : m_bounds(bounds)
{
}

RequestReader::~RequestReader() = default;

void RequestReader::begin(ReceivedRequest &request)
{
    m_request = &request;
    m_parser.reset();
    m_begun = m_continued = false;
}

bool RequestReader::headerRead() const
{
    return m_parser && m_parser->is_header_done();
}

RequestReader::Progress RequestReader::refused(int status, std::size_t consumed)
{
    m_status = status;
    return {Step::Refused, consumed};
}

/// What Beast leaves to the server: RFC 9112 3.2 (Host), 6.1 (codings), RFC 9110 10.1.1 (expectations).
RequestReader::Progress RequestReader::afterHeader(std::size_t consumed)
{
    if (m_request->method == "CONNECT") // RFC 9110 9.3.6: for proxies
        return refused(501, consumed);
    if (m_parser->hosts() > 1 || (m_parser->hosts() == 0 && !m_request->oldVersion))
        return refused(400, consumed);
    if (m_parser->unknownCoding())
        return refused(m_request->oldVersion ? 400 : 501, consumed);
    if (m_parser->unknownExpectation())
        return refused(417, consumed);
    if (m_parser->is_done())
        return {Step::Complete, consumed};
    m_continued = true;
    if (m_parser->wantsContinue() && !m_request->oldVersion && m_request->bodySize == 0)
        return {Step::Continue, consumed};
    return {Step::NeedMore, consumed};
}

RequestReader::Progress RequestReader::feed(std::string_view bytes)
{
    if (m_status != 0)
        return {Step::Refused, 0};
    std::size_t skipped = 0;
    if (!m_parser) {
        while (skipped < bytes.size() && (bytes[skipped] == '\r' || bytes[skipped] == '\n'))
            ++skipped; // RFC 9112 2.2: empty lines before a request are ignored
        if (skipped == bytes.size())
            return {Step::NeedMore, skipped};
        m_begun = true;
        m_parser = std::make_unique<Parser>(*m_request, m_bounds);
    }
    const std::string_view rest = bytes.substr(skipped);
    // Beast asserts five bytes where it reads on in the last chunk. No chunked body ends in fewer, so it can wait for them.
    if (m_parser->is_header_done() && m_parser->chunked() && rest.size() < kLastChunkSize)
        return {Step::NeedMore, skipped};
    beast::error_code code;
    const std::size_t used = rest.empty() ? 0 : m_parser->put(boost::asio::const_buffer{rest.data(), rest.size()}, code);
    const std::size_t consumed = skipped + used;
    if (code && code != error::need_more) {
        const bool unknownVersion = code == error::bad_version && isUnknownVersion(rest);
        return refused(unknownVersion ? 505 : statusOf(code), consumed);
    }
    if (m_parser->is_header_done() && !m_continued) {
        if (const Progress progress = afterHeader(consumed); progress.step != Step::NeedMore)
            return progress;
    }
    if (m_parser->is_done())
        return {Step::Complete, consumed};
    if (bytes.size() - consumed >= m_bounds.header)
        return refused(m_parser->is_header_done() ? 400 : 431, consumed);
    return {Step::NeedMore, consumed};
}

} // namespace throttlescope::http
