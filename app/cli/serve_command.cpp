// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/option_checks.h"
#include "app/cli/output_paths.h"
#include "app/cli/run_output.h"
#include "app/cli/scenario_files.h"
#include "app/cli/serve_session.h"
#include "simulator/http/time_scale.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QHostAddress>
#include <fmt/format.h>
#include <sys/resource.h>

namespace throttlescope::cli {

namespace {

struct ServeArguments {
    std::string file;
    std::vector<std::string> command;
    LoadOptions load;
    http::ServeOptions serve;
    std::string clock = "real";
    std::string readyFile;
    std::string junit;
    bool json = false;
};

/// As many connections as are served, if the system lets us; fewer where it does not.
void makeRoomForConnections(http::ConnectionLimits &limits)
{
    constexpr rlim_t ours = 64; // listeners, files, a client's pipes
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, std::max<rlim_t>(limit.rlim_cur, limits.connections + ours));
    setrlimit(RLIMIT_NOFILE, &limit);
    limits.connections = std::min<std::size_t>(limits.connections, limit.rlim_cur > ours ? limit.rlim_cur - ours : 1);
}

bool checkArguments(ServeArguments &arguments)
{
    http::ServeOptions &serve = arguments.serve;
    serve.clock = arguments.clock == "manual" ? http::RunClock::Kind::Manual : http::RunClock::Kind::Real;
    if (serve.clock == http::RunClock::Kind::Manual && serve.scale != 1) {
        fmt::print(stderr, "throttlescope: --time-scale has no meaning with --clock manual\n");
        return false;
    }
    if (!serve.address.empty() && !QHostAddress{QString::fromStdString(serve.address)}.isLoopback())
        fmt::print(stderr, "throttlescope: warning: {} can be reached from other machines, and anybody there can control this server\n",
            serve.address);
    return true;
}

CLI::Validator addressGiven()
{
    return CLI::Validator{[](std::string &text) {
                              return QHostAddress{QString::fromStdString(text)}.isNull()
                                  ? fmt::format("{} is no address, expected one such as 0.0.0.0", text.empty() ? "''" : text)
                                  : std::string{};
                          },
        ""};
}

std::vector<Output> outputsOf(const ServeArguments &arguments)
{
    std::vector<Output> outputs{
        {arguments.serve.journal, "the journal"}, {arguments.junit, "the JUnit report"}, {arguments.readyFile, "the ready file"}};
    if (arguments.serve.tls && !arguments.readyFile.empty())
        outputs.push_back({certificateBeside(arguments.readyFile), "the certificate"});
    return outputs;
}

void tell(const http::ScenarioServer &server, const std::vector<std::string> &leftOut, const QString &certificate)
{
    for (const http::Endpoint &endpoint : server.endpoints())
        fmt::print(stderr, "{}  {}\n", endpoint.server, endpoint.url);
    if (!certificate.isEmpty())
        fmt::print(stderr, "certificate  {}\n", certificate.toStdString());
    if (!leftOut.empty())
        fmt::print(stderr, "not judged, only the client's own engine knows: {}\n", fmt::join(leftOut, ", "));
}

int verdict(const ServeArguments &arguments, const FinishedRun &run, ServeSession::End end)
{
    if (!run.report.error.empty() || end == ServeSession::End::ClientMissing)
        return kCouldNotRun;
    if (end == ServeSession::End::Signal && !arguments.command.empty())
        return kInterrupted;
    return run.report.passed() && end != ServeSession::End::ClientFailed ? kPassed : kFailed;
}

int report(const ServeArguments &arguments, const LoadedScenario &loaded, FinishedRun &run, ServeSession::End end)
{
    if (end == ServeSession::End::ClientMissing) { // nobody was there to be judged
        run.report.judged.clear();
        run.report.error = fmt::format("{} cannot be started", arguments.command.front());
    }
    if (arguments.json)
        printJson({run});
    else
        LinePrinter{{loaded}}.print(run, Manners::Always);
    if (!arguments.junit.empty() && !writeJUnit({run}, arguments.junit))
        return kCouldNotRun;
    return verdict(arguments, run, end);
}

int serve(ServeArguments &arguments)
{
    if (!checkArguments(arguments))
        return kUsage;
    auto scenarios = loadAll({arguments.file}, arguments.load);
    if (scenarios.empty() || !keptApart(outputsOf(arguments), scenarios))
        return kUsage;
    const auto scaled = http::scaledForClients(scenarios.front().scenario, arguments.serve.scale);
    if (!scaled) {
        fmt::print(stderr, "throttlescope: {}\n", scaled.error());
        return kUsage;
    }
    const http::ServerSide side = http::serverSide(*scaled);

    makeRoomForConnections(arguments.serve.limits);
    int count = 1;
    std::string name = "throttlescope";
    char *argv[] = {name.data(), nullptr};
    const QCoreApplication application{count, argv};
    Interrupts interrupts; // before the ports are open, so that none is lost
    http::ScenarioServer server{side.scenario, arguments.serve};
    if (const auto error = server.listen()) {
        fmt::print(stderr, "throttlescope: {}\n", *error);
        return kCouldNotRun;
    }
    removeReadyFile(arguments.readyFile); // of another run: whoever waits for it must not read that one's
    CertificateFile certificate;
    if (!certificate.write(server.certificate(), arguments.readyFile))
        return kCouldNotRun;
    tell(server, side.leftOut, certificate.path());
    if (!arguments.readyFile.empty() && !writeReadyFile(arguments.readyFile, side.scenario.name, server.endpoints(), certificate.path()))
        return kCouldNotRun;

    const auto begin = std::chrono::steady_clock::now();
    const ReadyFileGuard guard{arguments.readyFile};
    ServeSession session{server, interrupts, arguments.command, certificate.path(), arguments.json};
    const ServeSession::End end = session.run();
    FinishedRun run;
    run.scenario = &side.scenario;
    run.live = arguments.serve.clock == http::RunClock::Kind::Real;
    run.report = server.finish(end == ServeSession::End::Stop);
    run.journal = arguments.serve.journal;
    run.wall = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    return report(arguments, scenarios.front(), run, end);
}

} // namespace

void addServeCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<ServeArguments>();
    CLI::App *command = app.add_subcommand("serve", "Serve a scenario on real sockets, and judge the clients that call it");
    command->add_option("file", arguments->file, "Scenario file")->required();
    command->add_option("command", arguments->command, "After --: a client to start, with THROTTLESCOPE_URL set; the run ends with it");
    command->add_option("--port", arguments->serve.port, "Of the first server, the others follow; 0: any free one")
        ->check(wholeNumber(0, 65535))
        ->capture_default_str();
    command->add_option("--listen", arguments->serve.address, "This address instead of the loopback; others can then control the server")
        ->check(addressGiven());
    command->add_flag("--tls", arguments->serve.tls, "HTTPS, with a certificate made on the spot");
    command->add_option("--ready-file", arguments->readyFile, "Write addresses (and the certificate, as FILE.pem) once all ports are open")
        ->check(pathGiven());
    command->add_option("--time-scale", arguments->serve.scale, "Windows, hints and latencies are N times shorter")
        ->check(wholeNumber(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--clock", arguments->clock, "manual: moved by POST /_throttlescope/advance?by=30s")
        ->check(CLI::IsMember({"real", "manual"}))
        ->capture_default_str();
    command->add_option("--seed", arguments->load.seed, "Instead of the scenario's own")->check(wholeNumber(0));
    command->add_option("--set", arguments->load.set, "PATH=VALUE, over everything else")->allow_extra_args(false);
    command->add_option("--journal", arguments->serve.journal, "Write the journal to this file")->check(pathGiven());
    command->add_option("--junit", arguments->junit, "Write a JUnit report, one testcase an expectation")->check(pathGiven());
    command->add_flag("--json", arguments->json, "Print metrics and verdicts as JSON; the client's output goes to stderr");
    command->footer(
        "Example: throttlescope serve scenarios/date-hint.yaml -- python3 client.py\n         throttlescope serve "
        "scenarios/minute-window.yaml --port 8080 --time-scale 20\nBelow /_throttlescope/: health, state, journal, reset, advance.");
    command->callback([arguments, &exitCode] { exitCode = serve(*arguments); });
}

} // namespace throttlescope::cli
