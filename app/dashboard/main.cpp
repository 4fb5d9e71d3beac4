// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/main_window.h"
#include "app/dashboard/window/render.h"
#include "core/version.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <algorithm>
#include <cstdio>
#include <string_view>

using namespace throttlescope::dashboard;

namespace {

constexpr int kUsage = 2;

std::optional<LookChoice> lookNamed(const QString &name)
{
    if (name == "dark")
        return LookChoice::Dark;
    if (name == "light")
        return LookChoice::Light;
    return name == "system" ? std::optional{LookChoice::System} : std::nullopt;
}

/// "1600x1000"; none where it is no size.
std::optional<QSize> sizeOf(const QString &text)
{
    const QStringList parts = text.split('x');
    const QSize size = parts.size() == 2 ? QSize{parts[0].toInt(), parts[1].toInt()} : QSize{};
    const bool sound = size.width() >= 320 && size.height() >= 240 && size.width() <= 10'000 && size.height() <= 10'000;
    return sound ? std::optional{size} : std::nullopt;
}

int wrong(const QString &message)
{
    std::fprintf(stderr, "throttlescope-dashboard: %s\n", qPrintable(message));
    return kUsage;
}

/// Before there is an application: what only draws or answers needs no display, and what Qt has to say about the lack of one
/// goes nowhere, for stderr is for what went wrong.
void chooseDisplay(int argc, char **argv)
{
    const bool shows = std::none_of(argv + 1, argv + argc, [](const char *each) {
        const std::string_view argument{each};
        return argument.starts_with("--render") || argument == "--help" || argument == "-h" || argument == "--version";
    });
    if (!shows && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && qEnvironmentVariableIsEmpty("DISPLAY")
        && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!shows)
        qInstallMessageHandler([](QtMsgType type, const QMessageLogContext &, const QString &message) {
            if (type == QtCriticalMsg || type == QtFatalMsg)
                std::fprintf(stderr, "throttlescope-dashboard: %s\n", qPrintable(message));
        });
}

} // namespace

int main(int argc, char **argv)
{
    chooseDisplay(argc, argv);
    QApplication application{argc, argv};
    QApplication::setOrganizationName("throttlescope");
    QApplication::setApplicationName("throttlescope-dashboard");
    const std::string_view version = throttlescope::version();
    QApplication::setApplicationVersion(QString::fromUtf8(version.data(), static_cast<qsizetype>(version.size())));

    QApplication::setWindowIcon(QIcon::fromTheme("throttlescope", QIcon{":/throttlescope.svg"}));

    QCommandLineParser parser;
    parser.setApplicationDescription(
        "See what retries and rate limits do: plays a scenario, reads and follows a journal (.jsonl), or shows a sweep.\n"
        "Example: throttlescope-dashboard scenarios/minute-window.yaml --set policies.batch.rate_limit.max_wait=30s");
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption versionOption = parser.addVersionOption();
    const QCommandLineOption set{"set", "Changes a value of the scenario; can be given again.", "PATH=VALUE"};
    const QCommandLineOption theme{"theme", "dark, light or system.", "THEME"};
    const QCommandLineOption out{"render", "Draws into a file (.png, .svg, .pdf, .html) and ends; needs no display.", "OUT"};
    const QCommandLineOption size{"size", "Of the picture or the window, such as 1600x1000.", "WxH"};
    parser.addOptions({set, theme, out, size});
    parser.addPositionalArgument(
        "FILE", "A scenario (.yaml), a journal (.jsonl) or a file of sweep --out; several with --render.", "[FILE...]");
    if (!parser.parse(QApplication::arguments()))
        return wrong(parser.errorText());
    if (parser.isSet(help))
        parser.showHelp();
    if (parser.isSet(versionOption))
        parser.showVersion();
    const auto look = parser.isSet(theme) ? lookNamed(parser.value(theme)) : std::nullopt;
    if (parser.isSet(theme) && !look)
        return wrong("--theme: expected dark, light or system");
    const auto wanted = parser.isSet(size) ? sizeOf(parser.value(size)) : std::nullopt;
    if (parser.isSet(size) && !wanted)
        return wrong("--size: expected WIDTHxHEIGHT, from 320x240 to 10000x10000");

    const QStringList files = parser.positionalArguments();
    if (parser.isSet(out)) {
        applyLook(application, look.value_or(LookChoice::Light));
        const RenderResult result = render({parser.value(out), files, parser.values(set), wanted.value_or(QSize{1600, 1000})});
        if (!result.problem.isEmpty())
            std::fprintf(stderr, "throttlescope-dashboard: %s\n", qPrintable(result.problem));
        return result.exitCode;
    }
    if (files.size() > 1)
        return wrong("expected one file; several are for --render");
    MainWindow window{look};
    if (wanted)
        window.resize(*wanted);
    window.show();
    if (!files.isEmpty()) {
        throttlescope::LoadOptions options;
        for (const QString &each : parser.values(set))
            options.set.push_back(each.toStdString());
        window.open(files.front(), options);
    }
    return QApplication::exec();
}
