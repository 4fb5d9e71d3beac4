// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace throttlescope::http {

/// What a peer may make us keep of one request, in bytes.
struct RequestBounds {
    std::uint32_t header = 64 * 1024; ///< request line and fields; also of trailers and of a chunk's own line
    std::uint64_t body = std::uint64_t{16} << 20; ///< decoded
};

/// A request as it came in. The body itself is not kept: its size and hash are.
struct ReceivedRequest {
    std::string method;
    std::string target; ///< with its query, which never reaches the journal
    Headers headers; ///< trailers left out
    std::uint64_t bodySize = 0;
    std::uint64_t bodyHash = 0;
    bool keepAlive = true; ///< RFC 9112 9.3
    bool oldVersion = false; ///< HTTP/1.0

    /// Of the target, in whichever form it came (RFC 9112 3.2), without the query.
    std::string_view path() const;
};

/// Reads one connection's requests (RFC 9112) from bytes cut anywhere. Sans-I/O, bounded by RequestBounds, one thread.
class RequestReader {
public:
    enum class Step {
        NeedMore, ///< everything that could be read was; hand the rest over again with more behind it
        Continue, ///< the fields are read and the peer waits for a 100 before it sends the body (RFC 9110 10.1.1)
        Complete, ///< the request is whole; `begin` comes before the next byte
        Refused, ///< with `status()`; the connection is of no more use
    };
    struct Progress {
        Step step = Step::NeedMore;
        std::size_t consumed = 0;
    };

    explicit RequestReader(const RequestBounds &bounds = {});
    ~RequestReader();
    RequestReader(const RequestReader &) = delete;
    RequestReader &operator=(const RequestReader &) = delete;

    /// The next request is written into `request`, whose buffers are used again. It must stay until the request is whole.
    void begin(ReceivedRequest &request);
    /// `bytes` begins with what the last call did not consume.
    Progress feed(std::string_view bytes);

    /// 400, 413, 417, 431, 501 or 505; 0 while nothing was refused.
    int status() const { return m_status; }
    /// A byte of the request has come.
    bool begun() const { return m_begun; }
    bool headerRead() const;

private:
    class Parser;

    Progress refused(int status, std::size_t consumed);
    Progress afterHeader(std::size_t consumed);

    const RequestBounds m_bounds;
    ReceivedRequest *m_request = nullptr;
    std::unique_ptr<Parser> m_parser; ///< of the request under way; none between two
    int m_status = 0;
    bool m_begun = false;
    bool m_continued = false;
};

} // namespace throttlescope::http
