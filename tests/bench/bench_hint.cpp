// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

/// `hint --stdin` against `jq -c .`, which only parses and prints: 300,000 lines of ours in the time of 100,000 of jq's.
/// Runs of both alternate, and the medians are compared, so that another load on the machine falls on both.
namespace {

constexpr int kRounds = 5;
constexpr int kTheirLines = 100'000, kOurLines = 300'000;

/// Another second and another count each, as a log has them.
std::string retryAfter(int i)
{
    return R"({"now":"2026-03-01T00:00:)" + std::to_string(10 + i % 50) + R"(Z","status":429,"headers":[["Retry-After",")"
        + std::to_string(i % 3600) + "\"]]}\n";
}

std::string gitHub403(int i)
{
    return R"({"now":"2026-06-02T09:00:)" + std::to_string(10 + i % 50)
        + R"(Z","status":403,"headers":[["server","github.com"],["date","Tue, 02 Jun 2026 09:00:12 GMT"],)"
          R"(["content-type","application/json; charset=utf-8"],["x-ratelimit-limit","60"],["x-ratelimit-remaining","0"],)"
          R"(["x-ratelimit-reset","17803)"
        + std::to_string(90'859 + i % 3600)
        + R"("],["x-ratelimit-resource","core"],["x-ratelimit-used","60"],["x-github-request-id","0401:6ECA:4D1E2:5A2F1:6A1B2C3D"],)"
          R"(["access-control-allow-origin","*"],["content-length","280"],["x-content-type-options","nosniff"]]})"
          "\n";
}

std::string ietfList(int i)
{
    return R"({"now":"2026-06-02T09:00:12Z","status":429,"headers":[["Date","Tue, 02 Jun 2026 09:00:12 GMT"],)"
           R"(["RateLimit","\"minute\";r=0;t=)"
        + std::to_string(i % 60) + R"(, \"day\";r=960"],["RateLimit-Policy","\"minute\";q=30;w=60, \"day\";q=1000;w=86400"]]})" + "\n";
}

void write(const std::filesystem::path &file, int lines, const std::function<std::string(int)> &line)
{
    std::ofstream out{file};
    for (int i = 0; i < lines; ++i)
        out << line(i);
}

double seconds(const std::string &command)
{
    const auto start = std::chrono::steady_clock::now();
    if (std::system(command.c_str()) != 0) {
        std::fprintf(stderr, "failed: %s\n", command.c_str());
        std::exit(3);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
    return values[kRounds / 2];
}

void compare(const std::filesystem::path &folder, const char *what, const std::function<std::string(int)> &line)
{
    const auto theirs = folder / "theirs.jsonl", ours = folder / "ours.jsonl";
    write(theirs, kTheirLines, line);
    write(ours, kOurLines, line);
    std::vector<double> jq, hint;
    for (int round = 0; round < kRounds; ++round) {
        jq.push_back(seconds("jq -c . < " + theirs.string() + " > /dev/null"));
        hint.push_back(seconds(THROTTLESCOPE_BINARY " hint --stdin < " + ours.string() + " > /dev/null"));
    }
    const double ratio = median(jq) / median(hint);
    std::printf("%-44s jq %7.0f ns a line, hint %6.0f ns a line, %5.2fx  (goal: 1x) %s\n", what, median(jq) / kTheirLines * 1e9,
        median(hint) / kOurLines * 1e9, ratio, ratio >= 1 ? "ok" : "MISSED");
}

} // namespace

int main()
{
    if (std::system("jq --version > /dev/null 2>&1") != 0) {
        std::printf("hint --stdin against jq: skipped, there is no jq\n");
        return 0;
    }
    std::string pattern = (std::filesystem::temp_directory_path() / "throttlescope-bench-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
        return 3;
    const std::filesystem::path folder = pattern;
    std::printf("%d lines of hint --stdin in the time of %d lines of jq -c .\n", kOurLines, kTheirLines);
    compare(folder, "  a Retry-After", retryAfter);
    compare(folder, "  a GitHub 403 of 12 headers", gitHub403);
    compare(folder, "  an IETF list of two windows", ietfList);
    std::filesystem::remove_all(folder);
    return 0;
}
