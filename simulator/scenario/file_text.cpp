// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/file_text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>

namespace throttlescope {

tl::expected<std::string, std::string> readFile(const std::filesystem::path &file, std::uintmax_t most)
{
    const auto failed
        = [](int error) { return tl::unexpected(fmt::format("cannot be read ({}), expected a readable file", std::strerror(error))); };
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        return tl::unexpected(std::string{"is a folder, expected a file"});
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (!error && size > most)
        return tl::unexpected(fmt::format("{} bytes, expected at most {} MiB", size, most >> 20));
    struct Close {
        void operator()(std::FILE *open) const { std::fclose(open); }
    };
    // A pipe that nobody writes to would make the open itself wait for ever; so it counts as empty.
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return failed(errno);
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    const std::unique_ptr<std::FILE, Close> open{::fdopen(descriptor, "rb")};
    if (!open)
        return failed(errno);
    std::string text;
    char buffer[65536];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, open.get())) {
        text.append(buffer, count);
        if (text.size() > most) // a pipe or a device tells no size
            return tl::unexpected(fmt::format("longer than expected, at most {} MiB", most >> 20));
    }
    if (std::ferror(open.get()))
        return failed(errno);
    return text;
}

} // namespace throttlescope
