// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/entry_window.h"

#include "simulator/incident/entry_fields.h"

#include <algorithm>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kLongText = 256;
constexpr std::size_t kManyHeaders = 2;

/// What is used again is not to keep the memory of the longest text it ever had.
void slim(LogEntry &entry)
{
    if (entry.path.capacity() > kLongText)
        std::string{}.swap(entry.path);
    if (entry.limitHeaders.capacity() > kManyHeaders)
        decltype(entry.limitHeaders){}.swap(entry.limitHeaders);
}

} // namespace

EntryWindow::EntryWindow(Duration span, std::size_t most, EntryBudget &budget)
    : m_span(span)
    , m_most(most)
    , m_budget(budget)
{
}

EntryWindow::~EntryWindow()
{
    while (!empty())
        pop();
}

LogEntry &EntryWindow::blank()
{
    if (m_free.empty()) {
        m_free.push_back(static_cast<std::uint32_t>(m_entries.size()));
        m_entries.emplace_back();
    }
    return m_entries[m_free.back()];
}

void EntryWindow::commit()
{
    const LogEntry &entry = m_entries[m_free.back()];
    const Slot slot{entry.at, ++m_numbers, m_free.back(), static_cast<std::uint32_t>(memoryOf(entry))};
    m_free.pop_back();
    m_budget.used += slot.weight;
    m_outOfOrder += slot.at < m_given ? 1 : 0;
    m_newest = std::max(m_newest, slot.at);
    if (m_inOrder.empty() || slot.at >= m_inOrder.back().at) {
        m_inOrder.push_back(slot);
    } else {
        m_late.push_back(slot);
        std::push_heap(m_late.begin(), m_late.end());
    }
}

bool EntryWindow::lateIsFirst() const
{
    return !m_late.empty() && (m_inOrder.empty() || m_inOrder.front() < m_late.front());
}

bool EntryWindow::ready() const
{
    if (empty())
        return false;
    return m_newest - first().at >= m_span || m_inOrder.size() + m_late.size() >= m_most || m_budget.used > m_budget.limit;
}

LogEntry &EntryWindow::front()
{
    return m_entries[first().index];
}

void EntryWindow::pop()
{
    const Slot slot = first();
    if (lateIsFirst()) {
        std::pop_heap(m_late.begin(), m_late.end());
        m_late.pop_back();
    } else {
        m_inOrder.pop_front();
    }
    m_given = std::max(m_given, slot.at);
    m_budget.used -= slot.weight;
    slim(m_entries[slot.index]);
    m_free.push_back(slot.index);
}

} // namespace throttlescope::incident
