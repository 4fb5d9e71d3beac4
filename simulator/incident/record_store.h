// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"
#include "simulator/incident/follow_ups.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::incident {

/// What is kept of a logged request. Texts are numbers of the digest's tables.
struct KeptRequest {
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    WallTime at{};
    std::uint32_t took = kNone; ///< microseconds, at most an hour; kNone: not logged
    std::uint32_t told = kNone; ///< milliseconds; kNone: it was told nothing
    std::uint32_t gap = 0; ///< milliseconds since the attempt before, see `came`
    std::uint32_t overshoot = 0; ///< milliseconds; of Came::AsTold
    std::uint32_t endpoint = 0; ///< host, method, path
    std::uint32_t client = 0;
    std::uint16_t status = 0; ///< 0: none
    std::uint16_t refusal = 0; ///< who refused and how; 0: nobody
    std::uint8_t attempt = 1; ///< of its operation; 255: that or more
    Came came = Came::First;
    bool coarse = false; ///< `at` is of a whole second

    Duration gapBefore() const { return Duration{std::int64_t{gap} * 1000}; }
    std::optional<Duration> duration() const { return took == kNone ? std::nullopt : std::optional{Duration{took}}; }
    bool operator==(const KeptRequest &) const = default;
};
static_assert(sizeof(KeptRequest) == 40);

/// Records in the order in which they came: the first of them in memory, the others in a temporary file that has no name.
class RecordStore {
public:
    static constexpr std::size_t kInMemory = 1'000'000; ///< 40 MB

    explicit RecordStore(std::size_t inMemory = kInMemory)
        : m_inMemory(inMemory)
    {
    }

    void add(const KeptRequest &record);
    std::uint64_t size() const { return m_size; }
    /// Of the temporary file, in words; empty: nothing went wrong. What was added since is lost.
    const std::string &fault() const { return m_fault; }
    /// In order. Stops where the callback says false. Says what could not be read.
    std::string each(const std::function<bool(const KeptRequest &)> &callback) const;

private:
    struct Close {
        void operator()(std::FILE *file) const { std::fclose(file); }
    };
    void spill();

    std::size_t m_inMemory;
    std::vector<KeptRequest> m_first;
    std::vector<KeptRequest> m_pending; ///< on their way to the file
    std::unique_ptr<std::FILE, Close> m_file;
    std::uint64_t m_size = 0;
    std::string m_fault;
};

} // namespace throttlescope::incident
