// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::incident {

/// Paths as templates: `/users/17/orders` is `/users/{id}/orders`. What looks like an id, a token or a person's name never
/// gets in here, and a segment with many different values becomes `{…}`: 200,000 paths are a few routes, whatever their
/// order. Memory is bounded.
class RouteBook {
public:
    static constexpr std::size_t kMostValues = 24; ///< of one segment that are told apart
    static constexpr std::size_t kMostNodes = 4'000; ///< what comes later is `{…}`
    static constexpr std::size_t kDeepest = 8; ///< segments; the rest of the path is `…`

    RouteBook();

    /// The path's route for now; several of them may turn out to be one, see route().
    std::uint32_t take(std::string_view path);
    /// The one that stands for it, after all paths were taken.
    std::uint32_t route(std::uint32_t taken) const;
    /// "/users/{id}"; "/" of the root, "(no path)" of what has none.
    std::string text(std::uint32_t route) const;
    std::size_t size() const { return m_nodes.size(); }

private:
    struct Node {
        std::string segment;
        std::uint32_t parent = 0;
        std::uint32_t standsFor = 0; ///< itself, or the one that it was merged into
        std::map<std::string, std::uint32_t, std::less<>> children;
        bool collapsed = false; ///< its children are all `{…}`
    };

    std::uint32_t child(std::uint32_t parent, std::string_view segment);
    std::uint32_t added(std::uint32_t parent, std::string_view segment);
    void collapse(std::uint32_t parent);
    void merge(std::uint32_t from, std::uint32_t into);

    std::vector<Node> m_nodes;
};

/// A segment as a template has it: itself where it is a word of an interface, else `{id}`, `{uuid}`, `{hex}`, `{token}`,
/// `{…}`. `before` is the one before it: what comes after `users` is somebody.
std::string_view segmentTemplate(std::string_view segment, std::string_view before);

} // namespace throttlescope::incident
