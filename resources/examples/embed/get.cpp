// SPDX-License-Identifier: Apache-2.0
#include "core/engine/words.h"
#include "core/net/client.h"

#include <QCoreApplication>
#include <QTextStream>

/// get URL: asks politely, waits where the server says so, and says how it went.
int main(int argc, char **argv)
{
    using namespace throttlescope;
    QCoreApplication application{argc, argv};

    Policy policy;
    policy.name = "polite";
    policy.totalTimeout = 2min;
    policy.rateLimit.maxWait = 30s;
    policy.pacer = PacerSpec{.requestsPerSecond = Rate{2, 1s}, .cooldown = Cooldown::Extend};

    net::ClientOptions options;
    options.policy = std::make_shared<const Policy>(policy);
    net::Client client{std::move(options)};

    net::Request request;
    request.url = QUrl{application.arguments().value(1)};
    client.send(std::move(request)).then([&application](const net::Result &result) {
        QTextStream out{stdout};
        if (result.succeeded())
            out << QByteArray::fromStdString(result.response->body);
        else
            out << QString::fromStdString(result.error->message) << " (after " << result.attempts << " attempts)\n";
        const int code = result.succeeded() ? 0 : 1; // queued: the answer may be there before the event loop
        QMetaObject::invokeMethod(
            &application, [code] { QCoreApplication::exit(code); }, Qt::QueuedConnection);
    });
    return QCoreApplication::exec();
}
