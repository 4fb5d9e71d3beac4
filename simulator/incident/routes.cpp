// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/routes.h"

#include <utility>

namespace throttlescope::incident {

namespace {

constexpr std::string_view kAny = "{…}";
constexpr std::string_view kRest = "…";
constexpr std::uint32_t kNoPath = 0;
constexpr std::uint32_t kRoot = 1;

} // namespace

RouteBook::RouteBook()
{
    m_nodes.push_back({"(no path)", kNoPath, kNoPath, {}, false});
    m_nodes.push_back({"/", kRoot, kRoot, {}, false});
}

std::uint32_t RouteBook::take(std::string_view path)
{
    if (path.empty())
        return kNoPath;
    path = path.substr(0, path.find_first_of("?#")); // a reader has cut these off; nothing here must rely on it
    std::uint32_t node = kRoot;
    std::string_view before;
    for (std::size_t depth = 0; !path.empty();) {
        const std::size_t slash = path.find('/');
        const std::string_view segment = segmentTemplate(path.substr(0, slash), before);
        path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
        if (segment.empty())
            continue;
        if (++depth > kDeepest)
            return child(node, kRest);
        node = child(node, segment);
        before = segment;
    }
    return node;
}

std::uint32_t RouteBook::child(std::uint32_t parent, std::string_view segment)
{
    if (m_nodes[parent].collapsed)
        segment = kAny;
    if (const auto found = m_nodes[parent].children.find(segment); found != m_nodes[parent].children.end())
        return found->second;
    if (segment == kAny || m_nodes[parent].children.size() < kMostValues) {
        if (m_nodes.size() < kMostNodes || segment == kAny)
            return m_nodes.size() < 2 * kMostNodes ? added(parent, segment) : parent;
    }
    collapse(parent);
    return child(parent, kAny);
}

std::uint32_t RouteBook::added(std::uint32_t parent, std::string_view segment)
{
    const auto number = static_cast<std::uint32_t>(m_nodes.size());
    m_nodes.push_back({std::string{segment}, parent, number, {}, false});
    m_nodes[parent].children.emplace(segment, number);
    return number;
}

/// Too many values: they are one from now on, and those that were are as well.
void RouteBook::collapse(std::uint32_t parent)
{
    m_nodes[parent].collapsed = true;
    auto children = std::exchange(m_nodes[parent].children, {});
    const auto any = children.find(kAny);
    const std::uint32_t into = any == children.end() ? added(parent, kAny) : any->second;
    m_nodes[parent].children.insert_or_assign(std::string{kAny}, into);
    for (const auto &[segment, number] : children) {
        if (number != into)
            merge(number, into);
    }
}

void RouteBook::merge(std::uint32_t from, std::uint32_t into)
{
    m_nodes[from].standsFor = into;
    const bool wasCollapsed = m_nodes[from].collapsed;
    const auto children = std::exchange(m_nodes[from].children, {});
    if (wasCollapsed && !m_nodes[into].collapsed)
        collapse(into);
    for (const auto &[segment, number] : children) {
        const auto same = m_nodes[into].children.find(m_nodes[into].collapsed ? kAny : std::string_view{segment});
        if (same != m_nodes[into].children.end()) {
            merge(number, same->second);
            continue;
        }
        m_nodes[number].parent = into;
        m_nodes[into].children.emplace(segment, number);
        if (m_nodes[into].children.size() > kMostValues)
            collapse(into);
    }
}

std::uint32_t RouteBook::route(std::uint32_t taken) const
{
    while (m_nodes[taken].standsFor != taken)
        taken = m_nodes[taken].standsFor;
    return taken;
}

std::string RouteBook::text(std::uint32_t route) const
{
    route = this->route(route);
    if (route <= kRoot)
        return m_nodes[route].segment;
    std::string text;
    for (; route != kRoot; route = this->route(m_nodes[route].parent))
        text.insert(0, "/" + m_nodes[route].segment);
    return text;
}

} // namespace throttlescope::incident
