// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace throttlescope::incident {

namespace {

class DescriptorBytes final : public ByteSource {
public:
    DescriptorBytes(int descriptor, bool owned, const std::atomic<bool> *stop)
        : m_descriptor(descriptor)
        , m_owned(owned)
        , m_stop(stop)
    {
    }
    ~DescriptorBytes() override
    {
        if (m_owned)
            ::close(m_descriptor);
    }
    DescriptorBytes(const DescriptorBytes &) = delete;
    DescriptorBytes &operator=(const DescriptorBytes &) = delete;

    std::size_t read(std::span<char> into) override
    {
        while (m_fault.empty()) {
            // A signal between the look and the read would be missed: a pipe is not waited for without end.
            pollfd incoming{m_descriptor, POLLIN, 0};
            if (m_stop && (m_stop->load() || ::poll(&incoming, 1, kLooksEvery) <= 0)) {
                if (m_stop->load())
                    m_fault = "was interrupted";
                continue;
            }
            const ssize_t count = ::read(m_descriptor, into.data(), into.size());
            if (count >= 0)
                return static_cast<std::size_t>(count);
            if (errno == EAGAIN || errno == EWOULDBLOCK) { // a standard input that somebody made so
                pollfd waiting{m_descriptor, POLLIN, 0};
                ::poll(&waiting, 1, -1);
            } else if (errno != EINTR) {
                m_fault = fmt::format("cannot be read any further ({})", std::strerror(errno));
            }
        }
        return 0;
    }

private:
    static constexpr int kLooksEvery = 200; ///< milliseconds

    int m_descriptor;
    bool m_owned;
    const std::atomic<bool> *m_stop;
};

class PrefixedBytes final : public ByteSource {
public:
    PrefixedBytes(std::string text, std::unique_ptr<ByteSource> rest)
        : m_text(std::move(text))
        , m_rest(std::move(rest))
    {
    }

    std::size_t read(std::span<char> into) override
    {
        if (m_at < m_text.size()) {
            const std::size_t count = m_text.copy(into.data(), into.size(), m_at);
            m_at += count;
            if (m_at == m_text.size()) {
                std::string{}.swap(m_text);
                m_at = 0;
            }
            return count;
        }
        const std::size_t count = m_rest ? m_rest->read(into) : 0;
        if (count == 0 && m_rest)
            m_fault = m_rest->fault();
        return count;
    }

private:
    std::string m_text;
    std::unique_ptr<ByteSource> m_rest;
    std::size_t m_at = 0;
};

} // namespace

tl::expected<std::unique_ptr<ByteSource>, std::string> openBytes(const std::string &path, const std::atomic<bool> *stop)
{
    if (path == "-")
        return std::make_unique<DescriptorBytes>(STDIN_FILENO, false, stop);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return tl::unexpected(fmt::format("cannot be read ({}), expected a log file", std::strerror(errno)));
    struct stat status { };
    if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
        ::close(descriptor);
        return tl::unexpected(std::string{"is a folder, expected a log file"});
    }
    return std::make_unique<DescriptorBytes>(descriptor, true, stop);
}

bool canReadAgain(const std::string &path)
{
    struct stat status { };
    return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::unique_ptr<ByteSource> prefixed(std::string text, std::unique_ptr<ByteSource> rest)
{
    return std::make_unique<PrefixedBytes>(std::move(text), std::move(rest));
}

} // namespace throttlescope::incident
