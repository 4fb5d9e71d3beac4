// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace throttlescope::incident {

/// Bytes in order, in memory that does not grow with them.
class ByteSource {
public:
    virtual ~ByteSource() = default;

    /// At least one byte where there is one; 0 at the end, and where a fault ended it.
    virtual std::size_t read(std::span<char> into) = 0;
    /// Why it ended before its end: "ends in the middle of the gzip stream". Empty where nothing is wrong.
    const std::string &fault() const { return m_fault; }

protected:
    std::string m_fault;
};

/// A file or "-", the standard input, as it lies there. The error is one sentence without the name. Once `stop` is true, which
/// a signal's handler may see to, it ends, also while it waits for a pipe.
tl::expected<std::unique_ptr<ByteSource>, std::string> openBytes(const std::string &path, const std::atomic<bool> *stop = nullptr);
/// Whether it can be opened a second time and gives the same: a pipe cannot.
bool canReadAgain(const std::string &path);

/// The same bytes, expanded where they begin as gzip or zstd does, whatever the file's name; several members one after
/// another are one. What is cut gives all that could be read, then the fault. Of other compressions the fault says which.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed);

/// `text`, then what `rest` still has (or nothing, if null).
std::unique_ptr<ByteSource> prefixed(std::string text, std::unique_ptr<ByteSource> rest);

} // namespace throttlescope::incident
