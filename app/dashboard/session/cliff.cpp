// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/cliff.h"

#include <algorithm>
#include <new>

namespace throttlescope::dashboard {

Cliff::Cliff(QObject *parent)
    : QObject(parent)
    , m_thread([this] { work(); })
{
}

Cliff::~Cliff()
{
    {
        const std::lock_guard lock{m_mutex};
        m_quit = true;
        m_cancelled = true;
    }
    m_woken.notify_all();
    m_thread.join();
}

void Cliff::compute(CliffQuery query)
{
    {
        const std::lock_guard lock{m_mutex};
        m_next = std::move(query);
        m_curve = nullptr; // the answer to another question
        m_cancelled = true;
    }
    m_woken.notify_all();
}

void Cliff::cancel()
{
    const std::lock_guard lock{m_mutex};
    m_next.reset();
    m_curve = nullptr;
    m_cancelled = true;
}

void Cliff::work()
{
    std::unique_lock lock{m_mutex};
    for (;;) {
        m_woken.wait(lock, [this] { return m_quit || m_next; });
        if (m_quit)
            return;
        const CliffQuery query = std::move(*m_next);
        m_next.reset();
        m_cancelled = false;
        lock.unlock();
        answer(query);
        lock.lock();
    }
}

void Cliff::answer(const CliffQuery &query)
{
    CliffPoints &known = remembered(query.key);
    const std::size_t before = known.size();
    auto published = std::chrono::steady_clock::now() - kInterval;
    const auto onCurve = [&](const CliffCurve &curve) {
        const auto now = std::chrono::steady_clock::now();
        if (now - published < kInterval)
            return;
        published = now;
        publish(curve);
    };
    CliffCurve curve;
    try {
        curve = computeCliff(query, known, m_cancelled, onCurve);
    } catch (const std::bad_alloc &) {
        curve.key = query.key;
        curve.path = query.path;
        curve.failure = "out of memory, the runs were stopped";
    }
    m_runs += known.size() - before;
    publish(curve);
}

CliffPoints &Cliff::remembered(const std::string &key)
{
    const auto found = std::find_if(m_memory.begin(), m_memory.end(), [&key](const auto &entry) { return entry.first == key; });
    if (found != m_memory.end())
        m_memory.splice(m_memory.begin(), m_memory, found);
    else
        m_memory.emplace_front(key, CliffPoints{});
    if (m_memory.size() > kMostRemembered)
        m_memory.pop_back();
    return m_memory.front().second;
}

void Cliff::publish(const CliffCurve &curve)
{
    auto shared = std::make_shared<const CliffCurve>(curve);
    const std::lock_guard lock{m_mutex};
    if (m_cancelled) // nobody asks any more
        return;
    if (!std::exchange(m_curve, std::move(shared)))
        QMetaObject::invokeMethod(this, &Cliff::deliver, Qt::QueuedConnection);
}

void Cliff::deliver()
{
    CurvePointer curve;
    {
        const std::lock_guard lock{m_mutex};
        curve = std::exchange(m_curve, nullptr);
    }
    if (curve)
        Q_EMIT changed(curve);
}

} // namespace throttlescope::dashboard
