// SPDX-License-Identifier: Apache-2.0
#include "core/net/client.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QFutureWatcher>
#include <QNetworkAccessManager>
#include <QNetworkReply>

#include <algorithm>
#include <array>
#include <atomic>
#include <benchmark/benchmark.h>
#include <chrono>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

/// net::Client against a bare QNetworkAccessManager: the same loop of GETs over the same server, six at a time, called from
/// the client's own thread. Printed as the median of the ratios of interleaved pairs. And what a waiting operation takes.
namespace {

using namespace throttlescope;
using Clock = std::chrono::steady_clock;

constexpr int kRequests = 20'000;
constexpr int kInFlight = net::kConnectionsPerHost;
constexpr int kWaiting = 10'000;

/// Answers every request on a kept-alive connection with the same bytes; a blocking thread a connection, so that what the
/// server costs is small and the same for both.
class BlockingServer {
public:
    explicit BlockingServer(std::string_view answer)
        : m_answer(answer)
        , m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto *generic = reinterpret_cast<sockaddr *>(&address);
        if (::bind(m_listener, generic, size) != 0 || ::listen(m_listener, 64) != 0 || ::getsockname(m_listener, generic, &size) != 0)
            std::abort();
        m_port = ntohs(address.sin_port);
        m_accepter = std::thread{[this] { accept(); }};
    }
    ~BlockingServer()
    {
        ::shutdown(m_listener, SHUT_RDWR);
        m_accepter.join();
        for (const int connection : m_connections)
            ::shutdown(connection, SHUT_RDWR);
        for (std::thread &thread : m_threads)
            thread.join();
        ::close(m_listener);
    }
    BlockingServer(const BlockingServer &) = delete;
    BlockingServer &operator=(const BlockingServer &) = delete;

    QUrl url() const { return QUrl{QStringLiteral("http://127.0.0.1:%1/x").arg(m_port)}; }

private:
    void accept()
    {
        while (true) {
            const int connection = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
            if (connection < 0)
                return;
            const int on = 1;
            ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            m_connections.push_back(connection);
            m_threads.emplace_back([this, connection] { serve(connection); });
        }
    }
    void serve(int connection) const
    {
        std::string read;
        std::array<char, 4096> block;
        while (true) {
            const ssize_t got = ::read(connection, block.data(), block.size());
            if (got <= 0)
                break;
            read.append(block.data(), static_cast<std::size_t>(got));
            for (std::size_t end = 0; (end = read.find("\r\n\r\n")) != std::string::npos; read.erase(0, end + 4)) {
                if (::send(connection, m_answer.data(), m_answer.size(), MSG_NOSIGNAL) < 0)
                    break;
            }
        }
        ::close(connection);
    }

    std::string_view m_answer;
    int m_listener;
    std::uint16_t m_port = 0;
    std::thread m_accepter;
    std::vector<int> m_connections;
    std::vector<std::thread> m_threads;
};

constexpr std::string_view kOk
    = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-RateLimit-Remaining: 41\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view kThrottled = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n";

struct Cost {
    double wall = 0, processor = 0; ///< seconds; of all threads, Qt's and the server's included

    static Cost now()
    {
        timespec spent{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
        return {std::chrono::duration<double>(Clock::now().time_since_epoch()).count(),
            static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9};
    }
    Cost since(const Cost &before) const { return {wall - before.wall, processor - before.processor}; }
};

double median(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// Starts `start(done)` so that `kInFlight` are always under way, until `kRequests` are done.
template <typename Start>
Cost loop(Start start)
{
    QEventLoop events;
    int started = 0, finished = 0;
    std::function<void()> next = [&] {
        if (++finished == kRequests)
            events.quit();
        else if (started < kRequests && ++started)
            start(next);
    };
    const Cost before = Cost::now();
    for (; started < kInFlight; ++started)
        start(next);
    events.exec();
    return Cost::now().since(before);
}

Cost bareLoop(const QUrl &url)
{
    QNetworkAccessManager manager;
    manager.setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
    const QNetworkRequest request{url};
    return loop([&](const std::function<void()> &done) {
        QNetworkReply *reply = manager.get(request);
        QObject::connect(reply, &QNetworkReply::finished, reply, [reply, &done] {
            benchmark::DoNotOptimize(reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt());
            benchmark::DoNotOptimize(reply->readAll());
            reply->deleteLater();
            done();
        });
    });
}

Cost clientLoop(const QUrl &url)
{
    net::ClientOptions options;
    options.policy = std::make_shared<const Policy>();
    net::Client client{std::move(options)};
    net::Request request;
    request.url = url;
    return loop([&](const std::function<void()> &done) {
        client.send(request).then([&done](const net::Result &result) {
            benchmark::DoNotOptimize(result.response->body.size());
            done();
        });
    });
}

void clientAgainstBareManager(benchmark::State &state)
{
    const BlockingServer server{kOk};
    std::vector<double> ratios, processorRatios;
    Cost client, bare;
    bareLoop(server.url()); // the first one pays for what both share
    for ([[maybe_unused]] auto _ : state) {
        bare = bareLoop(server.url());
        client = clientLoop(server.url());
        ratios.push_back(client.wall / bare.wall);
        processorRatios.push_back(client.processor / bare.processor);
    }
    state.counters["ratio"] = median(ratios);
    state.counters["ratio_processor"] = median(processorRatios); // what a busy machine does not blur
    state.counters["us_per_request"] = client.wall / kRequests * 1e6;
    state.counters["us_per_request_bare"] = bare.wall / kRequests * 1e6;
}
BENCHMARK(clientAgainstBareManager)->Iterations(11)->Unit(benchmark::kMillisecond);

std::size_t bytesInUse()
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// Bytes of an operation in the pacer's queue (0) or in the wait before a retry (1), its future included.
void bytesPerWaitingOperation(benchmark::State &state)
{
    const bool afterAnswer = state.range(0) == 1;
    const BlockingServer server{kThrottled};
    for ([[maybe_unused]] auto _ : state) {
        Policy policy;
        if (!afterAnswer)
            policy.pacer = PacerSpec{.requestsPerSecond = Rate{1, 1h}};
        net::ClientOptions options;
        options.policy = std::make_shared<const Policy>(policy);
        net::Client client{std::move(options)};
        net::Request request;
        request.url = server.url();
        std::vector<QFuture<net::Result>> futures;
        futures.reserve(kWaiting);
        const std::size_t before = bytesInUse();
        for (int i = 0; i < kWaiting; ++i)
            futures.push_back(client.send(request));
        while (afterAnswer && client.attemptsSent() < kWaiting)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        for (int i = 0; i < 200; ++i) // the last answers, and what Qt deletes later
            QCoreApplication::processEvents();
        state.counters["bytes"] = static_cast<double>(bytesInUse() - before) / kWaiting;
    }
}
BENCHMARK(bytesPerWaitingOperation)->Arg(0)->Arg(1)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application{argc, argv};
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
