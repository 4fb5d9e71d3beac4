// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt_flag.h"
#include "app/cli/option_checks.h"
#include "app/cli/output_paths.h"
#include "app/cli/scenario_files.h"
#include "app/cli/sweep_output.h"
#include "app/cli/sweep_report.h"
#include "core/journal/metrics.h"
#include "simulator/scenario/file_text.h"
#include "simulator/scenario/text_values.h"
#include "simulator/sweep/sweep_runner.h"
#include "simulator/sweep/sweep_words.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <thread>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

struct SweepArguments {
    std::string file;
    std::vector<std::string> vary;
    std::optional<std::uint64_t> samples;
    std::uint64_t seeds = 1;
    LoadOptions load;
    std::vector<std::string> metrics;
    int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    std::string shard = "1/1";
    std::string out;
    std::string report;
    std::optional<double> tolerance;
    bool json = false;
    bool csv = false;
};

int wrong(const std::string &text)
{
    fmt::print(stderr, "throttlescope: {}\n", text);
    return kUsage;
}

/// What a sweep is made of, once its arguments are known to be sound.
struct Sweep {
    std::string text; ///< of the scenario, as it was when the sweep began
    SweepPlan plan;
    SweepHeader header;
};

std::string checkMetrics(const std::vector<std::string> &metrics)
{
    for (const std::string &metric : metrics) {
        if (!journal::metricValue({}, metric))
            return fmt::format("--metric {}: no metric{}", shown(metric), suggestion(metric, journal::metricPaths()));
    }
    return {};
}

/// "3/16".
bool readShard(const std::string &text, SweepPlan &plan)
{
    const std::size_t slash = text.find('/');
    const auto shard = parseDigits(text.substr(0, slash));
    const auto shards = slash == std::string::npos ? std::nullopt : parseDigits(text.substr(slash + 1));
    if (!shard || !shards || *shard < 1 || *shard > *shards)
        return false;
    plan.shard = static_cast<std::uint64_t>(*shard);
    plan.shards = static_cast<std::uint64_t>(*shards);
    return true;
}

tl::expected<Sweep, int> prepare(const SweepArguments &arguments)
{
    Sweep sweep;
    std::set<std::string> paths;
    for (const std::string &vary : arguments.vary) {
        auto axis = parseAxis(vary);
        if (!axis)
            return tl::unexpected(wrong("--vary " + axis.error()));
        if (!paths.insert(axis->path).second)
            return tl::unexpected(wrong(fmt::format("--vary {} twice, expected each path once", axis->path)));
        sweep.plan.axes.push_back(std::move(*axis));
    }
    if (!readShard(arguments.shard, sweep.plan))
        return tl::unexpected(wrong(fmt::format("--shard {}: expected a part of a whole, such as 3/16", shown(arguments.shard))));
    if (const std::string problem = checkMetrics(arguments.metrics); !problem.empty())
        return tl::unexpected(wrong(problem));
    const auto loaded = loadAll({arguments.file}, arguments.load);
    if (loaded.empty())
        return tl::unexpected(int{kUsage});
    const auto text = readFile(arguments.file, kLargestScenario);
    if (!text)
        return tl::unexpected(wrong(fmt::format("{}: {}", arguments.file, text.error())));
    sweep.text = *text;
    sweep.plan.samples = arguments.samples;
    sweep.plan.seeds = arguments.seeds;
    sweep.plan.firstSeed = loaded.front().scenario.seed;
    if (sweep.plan.runs() > kMostRuns || sweep.plan.points() > kMostRuns)
        return tl::unexpected(wrong(fmt::format("more than {} runs, expected fewer steps, --samples or fewer --seeds", kMostRuns)));
    SweepHeader &header = sweep.header;
    header.file = arguments.file;
    header.hash = loaded.front().scenario.hash;
    header.vary = arguments.vary;
    header.set = arguments.load.set;
    header.metrics.assign(std::begin(kSweptMetrics), std::end(kSweptMetrics));
    for (const std::string &metric : arguments.metrics) {
        if (std::find(header.metrics.begin(), header.metrics.end(), metric) == header.metrics.end())
            header.metrics.push_back(metric);
    }
    header.samples = arguments.samples;
    header.firstSeed = sweep.plan.firstSeed;
    header.seeds = arguments.seeds;
    header.shard = sweep.plan.shard;
    header.shards = sweep.plan.shards;
    return sweep;
}

/// The file of a sweep: what an earlier call left there is gone on with.
class SweepOutput {
public:
    /// Empty: it is open, or there is none to open. Else what is wrong.
    std::string open(const std::string &path, const SweepHeader &header, std::vector<SweepRow> &rows)
    {
        if (path.empty())
            return {};
        std::error_code error;
        const bool goesOn = std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) > 0;
        error.clear(); // that it is not there yet is none
        if (goesOn) {
            auto known = readSweep(path);
            if (!known)
                return known.error();
            if (known->header != header)
                return fmt::format("{} is of another sweep: expected a file of its own, or the arguments that began it", path);
            rows = std::move(known->rows);
            std::filesystem::resize_file(path, known->wholeBytes, error);
        }
        if (error)
            return fmt::format("{} cannot be written ({})", path, error.message());
        return goesOn ? start(path, "ab", {}) : anew(path, header);
    }
    /// The same, whatever was there.
    std::string anew(const std::string &path, const SweepHeader &header) { return start(path, "wb", headerLine(header)); }

    bool write(const std::string &line)
    {
        return !m_file || (std::fwrite(line.data(), 1, line.size(), m_file.get()) == line.size() && std::fflush(m_file.get()) == 0);
    }
    std::string problem() const { return fmt::format("{} cannot be written ({})", m_path, std::strerror(errno)); }

private:
    std::string start(const std::string &path, const char *mode, const std::string &line)
    {
        m_path = path;
        m_file.reset(std::fopen(path.c_str(), mode));
        return m_file && write(line) ? std::string{} : problem();
    }

    struct Close {
        void operator()(std::FILE *file) const { std::fclose(file); }
    };
    std::string m_path;
    std::unique_ptr<std::FILE, Close> m_file;
};

void print(const SweepArguments &arguments, const SweepFile &done, const std::vector<PointSummary> &points)
{
    if (arguments.csv)
        fmt::print("{}", sweepCsv(done.header, points));
    else
        fmt::print("{}", (arguments.json ? sweepJson : sweepTable)(done.header, points, done.tips.value_or(std::vector<TippingPoint>{})));
}

int sweep(const SweepArguments &arguments)
{
    if (arguments.json && arguments.csv)
        return wrong("--json and --csv are two forms of output, expected one of them");
    if (const std::string problem = reportProblem(arguments.report); !problem.empty())
        return wrong(problem);
    const auto sweep = prepare(arguments);
    if (!sweep)
        return sweep.error();
    if (!keptApart(arguments.out, arguments.file, "the scenario") || !keptApart(arguments.report, arguments.file, "the scenario")
        || !keptApart(arguments.report, arguments.out, "the file of the runs"))
        return kUsage;
    SweepFile done{sweep->header, {}, 0, {}};
    SweepOutput output;
    if (const std::string problem = output.open(arguments.out, sweep->header, done.rows); !problem.empty())
        return wrong(problem);
    const LoadPoint load = loadingFrom(sweep->text, arguments.file, arguments.load);
    const InterruptFlag flag;
    const SweepPlan &plan = sweep->plan;
    const std::uint64_t ours = plan.runs() / plan.shards + (plan.runs() % plan.shards >= plan.shard ? 1 : 0);
    const bool shows = isatty(STDERR_FILENO) != 0;
    bool written = true;
    SweepOptions options{arguments.jobs, done.rows.empty() ? 0 : done.rows.back().run + 1, &interrupted()};
    const auto errors = runSweep(plan, sweep->header.metrics, load, options, [&](const SweepRow &row) {
        written = output.write(rowLine(row));
        done.rows.push_back(row);
        if (shows && done.rows.size() % 64 == 0)
            fmt::print(stderr, "\r\x1b[K{} of {} runs", done.rows.size(), ours);
        return written;
    });
    if (shows)
        fmt::print(stderr, "\r\x1b[K");
    for (const std::string &error : errors)
        fmt::print(stderr, "{}\n", error);
    if (!written) {
        fmt::print(stderr, "throttlescope: {}\n", output.problem());
        return kCouldNotRun;
    }
    if (!errors.empty())
        return kUsage;
    const auto points = summarize(done);
    if (!interrupted())
        done.tips = findTips(plan, points, load, arguments.tolerance, &interrupted());
    print(arguments, done, points);
    const int drawn = arguments.report.empty() || done.rows.empty() ? int{kPassed} : drawSweep(done, arguments.report);
    if (!interrupted())
        return drawn;
    fmt::print(stderr, "throttlescope: interrupted after {} of {} runs{}\n", done.rows.size(), ours,
        arguments.out.empty() ? "" : "; the same command goes on from there");
    return kInterrupted;
}

struct MergeArguments {
    std::vector<std::string> files;
    std::string out;
};

int merge(const MergeArguments &arguments)
{
    for (const std::string &file : arguments.files) {
        if (!keptApart(arguments.out, file, "a shard"))
            return kUsage;
    }
    const auto whole = mergeSweeps({arguments.files.begin(), arguments.files.end()});
    if (!whole)
        return wrong(whole.error());
    SweepOutput output;
    bool written = output.anew(arguments.out, whole->header).empty();
    for (const SweepRow &row : whole->rows)
        written = written && output.write(rowLine(row));
    if (!written) {
        fmt::print(stderr, "throttlescope: {}\n", output.problem());
        return kCouldNotRun;
    }
    fmt::print("{}", sweepTable(whole->header, summarize(*whole), {}));
    return kPassed;
}

void addMerge(CLI::App &command, int &exitCode)
{
    auto arguments = std::make_shared<MergeArguments>();
    CLI::App *merging = command.add_subcommand("merge", "Join the files of all shards into that of the whole sweep, to the byte");
    merging->add_option("files", arguments->files, "Of each shard one")->required();
    merging->add_option("-o,--out", arguments->out, "The whole")->required()->check(pathGiven());
    merging->callback([arguments, &exitCode] { exitCode = merge(*arguments); });
}

} // namespace

void addSweepCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<SweepArguments>();
    CLI::App *command = app.add_subcommand("sweep", "Run a scenario at many values of its knobs: curves, the Pareto set, tipping points");
    command->require_subcommand(0, 1);
    CLI::Option *file = command->add_option("file", arguments->file, "A scenario");
    CLI::Option *vary
        = command->add_option("--vary", arguments->vary, "PATH=5s..120s:24, PATH=1s..1h:10:log or PATH=a,b,c; several make a grid")
              ->allow_extra_args(false);
    command->add_option("--samples", arguments->samples, "So many random points instead of the grid")->check(wholeNumber(1, kMostRuns));
    command->add_option("--seeds", arguments->seeds, "Runs a point, from the scenario's seed on")
        ->check(wholeNumber(1, kMostRuns))
        ->capture_default_str();
    command->add_option("--seed", arguments->load.seed, "The first, instead of the scenario's own")->check(wholeNumber(0));
    command->add_option("--set", arguments->load.set, "PATH=VALUE, for every run")->allow_extra_args(false);
    command->add_option("--metric", arguments->metrics, "Another metric, by its path in a scenario's expect")->allow_extra_args(false);
    command->add_option("--jobs,-j", arguments->jobs, "Points at a time")->check(wholeNumber(1, 1024));
    command->add_option("--shard", arguments->shard, "3/16: every sixteenth run, for another machine each; then sweep merge");
    command->add_option("--out", arguments->out, "Keep each run in this file, and go on from it")->check(pathGiven());
    command
        ->add_option("--report", arguments->report, "Draw curves, maps and the Pareto set into this page, too: .html, .pdf, .png or .svg")
        ->check(pathGiven());
    command->add_option("--tip-tolerance", arguments->tolerance, "How near a tipping point is found, in the axis's unit or in seconds")
        ->check(CLI::PositiveNumber);
    command->add_flag("--json", arguments->json, "Print median, 5 %, 95 % and worst of every metric as JSON");
    command->add_flag("--csv", arguments->csv, "The same as CSV");
    command->footer("Example: throttlescope sweep scenarios/minute-window.yaml --vary policies.batch.rate_limit.max_wait=5s..120s:24");
    addMerge(*command, exitCode);
    command->callback([arguments, command, file, vary, &exitCode] {
        if (!command->get_subcommands().empty())
            return;
        exitCode = file->count() == 0 || vary->count() == 0
            ? wrong("sweep needs a scenario and --vary PATH=VALUES, see throttlescope sweep --help")
            : sweep(*arguments);
    });
}

} // namespace throttlescope::cli
