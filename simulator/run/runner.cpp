// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/runner.h"

#include "core/journal/event_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace throttlescope {

namespace {

class Tee final : public journal::EventSink {
public:
    Tee(journal::EventSink &first, journal::EventSink *second)
        : m_first(first)
        , m_second(second)
    {
    }
    void accept(const journal::Event &event) override
    {
        m_first.accept(event);
        if (m_second)
            m_second->accept(event);
    }

private:
    journal::EventSink &m_first;
    journal::EventSink *m_second;
};

std::string cannotWrite(const std::filesystem::path &file, int error)
{
    return fmt::format("{}: the journal cannot be written ({})", file.string(), std::strerror(error));
}

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};

} // namespace

bool RunReport::passed() const
{
    return error.empty() && !interrupted && std::all_of(judged.begin(), judged.end(), [](const Judged &each) { return each.passed; });
}

RunReport runScenario(const Scenario &scenario, const RunOptions &options)
{
    RunReport report;
    std::unique_ptr<std::FILE, CloseFile> file;
    std::optional<journal::JsonLinesWriter> writer;
    if (!options.journal.empty()) {
        file.reset(std::fopen(options.journal.c_str(), "wb"));
        if (!file) {
            report.error = cannotWrite(options.journal, errno);
            return report;
        }
        writer.emplace(file.get());
    }
    Expectations expectations{scenario};
    Tee sink{expectations, writer ? &*writer : nullptr};
    Simulation simulation{scenario, &sink, options.mostOpen};
    simulation.run(options.interrupted);
    if (writer && !writer->flush())
        report.error = cannotWrite(options.journal, writer->error());
    else if (!simulation.failure().empty())
        report.error = simulation.failure();
    report.metrics = expectations.metrics().total();
    report.byOperation = expectations.metrics().byOperation();
    report.operations = simulation.operationsStarted();
    report.interrupted = options.interrupted && options.interrupted->load();
    if (report.interrupted || !simulation.failure().empty())
        return report; // what was not run to its end is not judged
    report.judged = expectations.judge(simulation.stopped());
    if (!report.passed()) {
        ExcessFinder finder{scenario, report.judged};
        Simulation again{scenario, &finder};
        again.run(options.interrupted);
    }
    return report;
}

} // namespace throttlescope
