// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/concurrency_window.h"
#include "simulator/model/fixed_window.h"
#include "simulator/model/server_model.h"
#include "simulator/model/sliding_window.h"
#include "simulator/model/token_bucket.h"

#include <functional>
#include <string>
#include <unordered_map>
#include <variant>

namespace throttlescope::model {

/// One limit of the server with its window, or with one window a key. It is asked about one request at a time, the one
/// that was selected last. Its address must not change: the windows point at its rules.
class TrackedLimit {
public:
    static constexpr std::size_t kMostKeys = 100'000; ///< with a window of their own; beyond, the others share one

    /// `limit` and `serverRules` outlive it.
    TrackedLimit(const Limit &limit, const OnLimit &serverRules, const ServerClock &clock);
    TrackedLimit(const TrackedLimit &) = delete;
    TrackedLimit &operator=(const TrackedLimit &) = delete;

    /// Turns to the request's window. Nothing is judged yet: `violated` is false.
    void select(MonotonicTime now, const Request &request);
    /// Whether the selected request fits; else the limit is violated.
    bool admits();
    void count(MonotonicTime now);
    void restart(MonotonicTime now);
    void release();
    /// When the selected request could be admitted, if the limit is violated; else when what is used is given back.
    std::optional<MonotonicTime> reset(MonotonicTime now) const;

    const Limit &limit() const { return m_limit; }
    const OnLimit &onLimit() const { return m_onLimit; }
    bool violated() const { return m_violated; }
    /// The last request changed its window, or tells a key by its arrival.
    bool touched() const { return m_changed || !m_alias.empty(); }
    bool isConcurrency() const { return m_limit.window == WindowKind::Concurrency; }
    std::uint64_t used() const;
    std::uint64_t capacity() const { return m_rules.capacity; }
    Duration length() const;
    WindowReading reading(MonotonicTime now);

private:
    using Window = std::variant<FixedWindow, SlidingWindow, TokenBucket, ConcurrencyWindow>;

    struct KeyedWindow {
        Window window;
        std::string alias; ///< stands for the key, which may be a credential: #1, #2, … in order of appearance, #more
    };
    struct KeyHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
    };

    static WindowRules rulesOf(const Limit &limit, const ServerClock &clock);
    static Window initialWindow(const Limit &limit, const WindowRules &rules);
    std::string_view keyOf(const Request &request) const;
    void selectKey(MonotonicTime now, std::string_view key);
    void forgetUnused(MonotonicTime now);

    const Limit &m_limit;
    const OnLimit &m_onLimit;
    const WindowRules m_rules;
    Window m_initial; ///< as at t = 0; the only window where the limit has no key
    std::unordered_map<std::string, KeyedWindow, KeyHash, std::equal_to<>> m_windows;
    KeyedWindow m_more; ///< of the keys beyond kMostKeys
    std::uint64_t m_keysSeen = 0;
    MonotonicTime m_sweptAt = MonotonicTime::min();
    Window *m_window = &m_initial;
    std::string_view m_alias;
    std::uint64_t m_units = 1;
    bool m_violated = false;
    bool m_changed = false;
};

} // namespace throttlescope::model
