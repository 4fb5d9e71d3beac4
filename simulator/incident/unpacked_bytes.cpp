// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/byte_source.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kPackedBuffer = std::size_t{64} << 10;
/// 64 MiB of history: what `zstd -19` needs, and `--long=26`. A file may not ask for more memory than a log is worth.
constexpr int kLargestWindow = 26;

/// What both have: packed bytes that wait to be expanded.
class PackedInput : public ByteSource {
protected:
    explicit PackedInput(std::unique_ptr<ByteSource> packed)
        : m_packed(std::move(packed))
        , m_buffer(kPackedBuffer)
    {
    }

    /// Whether there is anything to expand.
    bool fill()
    {
        if (m_left == 0) {
            m_at = 0;
            m_left = m_packed->read(m_buffer);
        }
        return m_left > 0;
    }
    const char *next() const { return m_buffer.data() + m_at; }
    std::size_t left() const { return m_left; }
    void consume(std::size_t count)
    {
        m_at += count;
        m_left -= count;
    }
    /// The packed bytes are over, and their stream is not.
    void cut(std::string_view kind)
    {
        m_fault = m_packed->fault().empty() ? fmt::format("ends in the middle of the {} stream", kind) : m_packed->fault();
    }

private:
    std::unique_ptr<ByteSource> m_packed;
    std::vector<char> m_buffer;
    std::size_t m_at = 0;
    std::size_t m_left = 0;
};

class GzipBytes final : public PackedInput {
public:
    explicit GzipBytes(std::unique_ptr<ByteSource> packed)
        : PackedInput(std::move(packed))
    {
        constexpr int kGzipOnly = 16;
        m_ready = ::inflateInit2(&m_stream, kGzipOnly + MAX_WBITS) == Z_OK;
        if (!m_ready)
            m_fault = "cannot be expanded, no memory for it";
    }
    ~GzipBytes() override
    {
        if (m_ready)
            ::inflateEnd(&m_stream);
    }
    GzipBytes(const GzipBytes &) = delete;
    GzipBytes &operator=(const GzipBytes &) = delete;

    std::size_t read(std::span<char> into) override
    {
        while (m_fault.empty() && !m_over) {
            if (!fill()) {
                if (m_within)
                    cut("gzip");
                m_over = true;
                break;
            }
            if (!m_within && !begin())
                break;
            const std::size_t count = expand(into);
            if (count > 0)
                return count;
        }
        return 0;
    }

private:
    /// Of the next member; zeros behind the last one are padding.
    bool begin()
    {
        std::size_t zeros = 0;
        while (m_members > 0 && zeros < left() && next()[zeros] == '\0')
            ++zeros;
        consume(zeros);
        if (left() == 0)
            return true; // more may come
        m_within = true;
        ++m_members;
        ::inflateReset(&m_stream);
        return true;
    }

    std::size_t expand(std::span<char> into)
    {
        if (left() == 0)
            return 0;
        m_stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(next()));
        m_stream.avail_in = static_cast<uInt>(left());
        m_stream.next_out = reinterpret_cast<Bytef *>(into.data());
        m_stream.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), 1U << 30));
        const uInt room = m_stream.avail_out;
        const int result = ::inflate(&m_stream, Z_NO_FLUSH);
        consume(left() - m_stream.avail_in);
        if (result == Z_STREAM_END)
            m_within = false;
        else if (result != Z_OK && result != Z_BUF_ERROR)
            m_fault = m_members > 1 && m_stream.total_out == 0
                ? "has something behind its gzip stream that is none"
                : fmt::format("is damaged within the gzip stream ({})", m_stream.msg ? m_stream.msg : "no data");
        return room - m_stream.avail_out;
    }

    z_stream m_stream{};
    bool m_ready = false;
    bool m_within = false; ///< a member has begun and not ended
    bool m_over = false;
    std::size_t m_members = 0;
};

class ZstdBytes final : public PackedInput {
public:
    explicit ZstdBytes(std::unique_ptr<ByteSource> packed)
        : PackedInput(std::move(packed))
        , m_stream(::ZSTD_createDStream(), &::ZSTD_freeDStream)
    {
        if (!m_stream)
            m_fault = "cannot be expanded, no memory for it";
        else
            ::ZSTD_DCtx_setParameter(m_stream.get(), ZSTD_d_windowLogMax, kLargestWindow);
    }

    std::size_t read(std::span<char> into) override
    {
        while (m_fault.empty()) {
            // What is left within the decoder comes first: a small `into` takes several calls.
            if (!m_pending && !fill()) {
                if (m_within)
                    cut("zstd");
                break;
            }
            ZSTD_inBuffer input{next(), left(), 0};
            ZSTD_outBuffer output{into.data(), into.size(), 0};
            const std::size_t result = ::ZSTD_decompressStream(m_stream.get(), &output, &input);
            consume(input.pos);
            if (::ZSTD_isError(result)) {
                m_fault = ::ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge
                    ? "needs more than 64 MiB to be expanded; expand it before: zstd -dc --long=31"
                    : fmt::format("is damaged within the zstd stream ({})", ::ZSTD_getErrorName(result));
                break;
            }
            m_within = result != 0;
            m_pending = output.pos == output.size;
            if (output.pos > 0)
                return output.pos;
        }
        return 0;
    }

private:
    std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream *)> m_stream;
    bool m_within = false;
    bool m_pending = false;
};

/// Has a fault and nothing else.
class NoBytes final : public ByteSource {
public:
    explicit NoBytes(std::string fault) { m_fault = std::move(fault); }
    std::size_t read(std::span<char>) override { return 0; }
};

struct Magic {
    std::string_view bytes;
    std::string_view kind;
    std::string_view command;
};
constexpr std::array<Magic, 5> kOthers{{
    {{"\xFD"
      "7zXZ\0",
         6},
        "xz", "xz -dc"},
    {"BZh", "bzip2", "bzip2 -dc"},
    {{"PK\x03\x04", 4}, "zip", "unzip -p"},
    {{"\x04\x22\x4D\x18", 4}, "lz4", "lz4 -dc"},
    {{"7z\xBC\xAF\x27\x1C", 6}, "7z", "7z x -so"},
}};

} // namespace

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed)
{
    std::string head(6, '\0');
    std::size_t size = 0;
    while (size < head.size()) {
        const std::size_t count = packed->read(std::span{head}.subspan(size));
        if (count == 0)
            break;
        size += count;
    }
    head.resize(size);
    const std::string_view begin = head;
    for (const Magic &magic : kOthers) {
        if (begin.starts_with(magic.bytes))
            return std::make_unique<NoBytes>(
                fmt::format("is compressed with {}, which is not read here; expand it before: {}", magic.kind, magic.command));
    }
    const bool gzip = begin.starts_with("\x1F\x8B");
    // A skippable frame (RFC 8878 3.1.2) may come first.
    const bool zstd
        = begin.starts_with("\x28\xB5\x2F\xFD") || (size >= 4 && begin.substr(1, 3) == "\x2A\x4D\x18" && (begin[0] & 0xF0) == 0x50);
    auto whole = prefixed(std::move(head), std::move(packed));
    if (gzip)
        return std::make_unique<GzipBytes>(std::move(whole));
    if (zstd)
        return std::make_unique<ZstdBytes>(std::move(whole));
    return whole;
}

} // namespace throttlescope::incident
