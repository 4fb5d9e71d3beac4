// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/dashboard/data/chunk.h"
#include "app/dashboard/data/event_store.h"
#include "core/journal/event_writer.h"
#include "core/journal/tee.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"

#include <QDir>
#include <QFile>
#include <QString>
#include <QStringList>
#include <string>
#include <vector>

namespace throttlescope::dashboard::test {

inline MonotonicTime at(Duration sinceStart)
{
    return MonotonicTime{sinceStart};
}

inline Scenario scenarioFrom(const std::string &text)
{
    auto loaded = loadScenarioText(text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().front().format().c_str());
    return std::move(loaded->scenario);
}

inline QString shippedFile(const QString &name)
{
    return QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/") + name;
}
inline QStringList shippedNames()
{
    return QDir{shippedFile({})}.entryList({"*.yaml"}, QDir::Files, QDir::Name);
}
inline Scenario shipped(const QString &name)
{
    auto loaded = loadScenario(shippedFile(name).toStdString());
    if (!loaded)
        qFatal("%s", loaded.error().front().format().c_str());
    return std::move(loaded->scenario);
}
/// A shipped scenario, a word of its text replaced.
inline Scenario shippedWith(const QString &name, const QString &before, const QString &after)
{
    QFile file{shippedFile(name)};
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s", qPrintable(name));
    const QString text = QString::fromUtf8(file.readAll());
    if (!text.contains(before))
        qFatal("%s has no %s", qPrintable(name), qPrintable(before));
    return scenarioFrom(QString{text}.replace(before, after).toStdString());
}

#ifdef THROTTLESCOPE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
/// Minute-window grown to some 1.3 million events; under a sanitizer, which slows everything down, to some thousands.
inline Scenario largeMinuteWindow()
{
    return shippedWith(
        "minute-window.yaml", "workers: 2, count: 200", kSanitized ? "workers: 4, count: 2000" : "workers: 4, count: 190000");
}

/// Takes chunks of a fixed size into a store, as they would come from another thread.
class StoreSink final : public journal::EventSink {
public:
    explicit StoreSink(EventStore &store, std::size_t chunkSize = 4096)
        : m_store(store)
        , m_chunkSize(chunkSize)
    {
    }
    ~StoreSink() override { flush(); }
    StoreSink(const StoreSink &) = delete;
    StoreSink &operator=(const StoreSink &) = delete;

    void accept(const journal::Event &event) override
    {
        m_builder.accept(event);
        if (m_builder.size() >= m_chunkSize)
            flush();
    }
    void flush() { m_store.append(*m_builder.take()); }

private:
    EventStore &m_store;
    std::size_t m_chunkSize;
    ChunkBuilder m_builder;
};

inline void runInto(const Scenario &scenario, journal::EventSink &sink)
{
    Simulation simulation{scenario, &sink};
    simulation.run();
}
inline EventStore storeOf(const Scenario &scenario, std::size_t chunkSize = 4096)
{
    EventStore store;
    StoreSink sink{store, chunkSize};
    runInto(scenario, sink);
    sink.flush();
    return store;
}

/// Events by hand: each `at` a moment, numbered as they come.
class Journal {
public:
    explicit Journal(EventStore &store)
        : m_store(store)
    {
    }
    void add(Duration time, journal::OperationId op, int attempt, journal::Payload payload, const char *operation = "call",
        const char *server = "api")
    {
        journal::Event event;
        event.seq = ++m_seq;
        event.at = {at(time), WallTime{time}};
        event.op = op;
        event.attempt = attempt;
        if (op > 0)
            event.operation = operation;
        event.server = server;
        event.payload = std::move(payload);
        m_builder.accept(event);
    }
    void flush() { m_store.append(*m_builder.take()); }

private:
    EventStore &m_store;
    ChunkBuilder m_builder;
    std::uint64_t m_seq = 0;
};

/// Each event as its journal line.
class LineSink final : public journal::EventSink {
public:
    void accept(const journal::Event &event) override { journal::appendJson(lines.emplace_back(), event); }
    std::vector<std::string> lines;
};

} // namespace throttlescope::dashboard::test
