// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/request_reader.h"

#include <QTest>

using namespace throttlescope::http;

namespace {

struct Outcome {
    QByteArrayList requests; ///< "GET /x 5"
    int status = 0;
    int continues = 0;
};

Outcome readIn(const QByteArray &bytes, qsizetype piece, const RequestBounds &bounds = {})
{
    Outcome outcome;
    RequestReader reader{bounds};
    ReceivedRequest request;
    reader.begin(request);
    QByteArray input;
    for (qsizetype at = 0; at < bytes.size(); at += piece) {
        input += bytes.mid(at, piece);
        for (;;) {
            const auto [step, consumed] = reader.feed({input.constData(), static_cast<std::size_t>(input.size())});
            input.remove(0, static_cast<qsizetype>(consumed));
            if (step == RequestReader::Step::Refused) {
                outcome.status = reader.status();
                return outcome;
            }
            if (step == RequestReader::Step::NeedMore)
                break;
            if (step == RequestReader::Step::Continue) {
                ++outcome.continues;
                continue;
            }
            outcome.requests << QByteArray::fromStdString(request.method + ' ' + request.target) + ' '
                    + QByteArray::number(quint64(request.bodySize));
            reader.begin(request);
        }
    }
    return outcome;
}

} // namespace

class TestRequestReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void requestsAreTheSameHoweverTheirBytesAreCut_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArrayList>("requests");
        QTest::newRow("one") << QByteArray{"GET / HTTP/1.1\r\nHost: a\r\n\r\n"} << QByteArrayList{"GET / 0"};
        QTest::newRow("empty lines before it (RFC 9112 2.2)")
            << QByteArray{"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"} << QByteArrayList{"GET / 0"};
        QTest::newRow("two") << QByteArray{"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: a\r\n\r\n"}
                             << QByteArrayList{"POST /a 3", "GET /b 0"};
        QTest::newRow("chunks with a trailer")
            << QByteArray{"PUT /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;q=1\r\nde\r\n0\r\nT: u\r\n\r\n"
                          "GET /d HTTP/1.1\r\nHost: a\r\n\r\n"}
            << QByteArrayList{"PUT /c 5", "GET /d 0"};
        QTest::newRow("the same length twice (RFC 9112 6.3)")
            << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\nxy"} << QByteArrayList{"POST / 2"};
        QTest::newRow("a method of its own") << QByteArray{"BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n"} << QByteArrayList{"BREW /pot 0"};
    }
    void requestsAreTheSameHoweverTheirBytesAreCut()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArrayList, requests);
        for (qsizetype piece = 1; piece <= bytes.size(); ++piece) {
            const Outcome outcome = readIn(bytes, piece);
            QCOMPARE(outcome.status, 0);
            QCOMPARE(outcome.requests, requests);
        }
    }

    void a100IsAskedForOnceAndNotWhereTheBodyIsThere()
    {
        const QByteArray bytes = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-Continue\r\n\r\nabc";
        QCOMPARE(readIn(bytes, 1).continues, 1);
        QCOMPARE(readIn(bytes, bytes.size()).continues, 0);
        QCOMPARE(readIn(bytes, 1).requests, QByteArrayList{"POST / 3"});
    }

    void theBoundsHoldToTheByte_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("status");
        const QByteArray head = "POST / HTTP/1.1\r\nHost: a\r\n";
        QTest::newRow("a body of 100") << QByteArray{head + "Content-Length: 100\r\n\r\n" + QByteArray(100, 'x')} << 0;
        QTest::newRow("a body of 101") << QByteArray{head + "Content-Length: 101\r\n\r\n"} << 413;
        QTest::newRow("chunks of 100") << QByteArray{head + "Transfer-Encoding: chunked\r\n\r\n32\r\n" + QByteArray(50, 'x') + "\r\n32\r\n"
            + QByteArray(50, 'x') + "\r\n0\r\n\r\n"}
                                       << 0;
        QTest::newRow("chunks of 101") << QByteArray{head + "Transfer-Encoding: chunked\r\n\r\n32\r\n" + QByteArray(50, 'x') + "\r\n33\r\n"
            + QByteArray(51, 'x') + "\r\n0\r\n\r\n"}
                                       << 413;
        QTest::newRow("a header over 256") << QByteArray{head + "X: " + QByteArray(256, 'x') + "\r\n\r\n"} << 431;
        QTest::newRow("a header without end") << QByteArray{head + QByteArray(1000, 'x')} << 431;
        QTest::newRow("trailers without end") << QByteArray{head + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + QByteArray(1000, 'x')}
                                              << 400;
    }
    void theBoundsHoldToTheByte()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, status);
        for (const qsizetype piece : {qsizetype{1}, qsizetype{7}, bytes.size()})
            QCOMPARE(readIn(bytes, piece, {256, 100}).status, status);
    }

    void thePathIsFoundInEveryFormOfATarget_data()
    {
        QTest::addColumn<QByteArray>("target");
        QTest::addColumn<QByteArray>("path");
        QTest::newRow("origin form") << QByteArray{"/a/b?c=d"} << QByteArray{"/a/b"};
        QTest::newRow("absolute form") << QByteArray{"http://host:80/a?c"} << QByteArray{"/a"};
        QTest::newRow("absolute form without a path") << QByteArray{"http://host"} << QByteArray{"/"};
        QTest::newRow("asterisk form") << QByteArray{"*"} << QByteArray{"*"};
        QTest::newRow("authority form") << QByteArray{"host:443"} << QByteArray{"host:443"};
    }
    void thePathIsFoundInEveryFormOfATarget()
    {
        QFETCH(QByteArray, target);
        QFETCH(QByteArray, path);
        ReceivedRequest request;
        request.target = target.toStdString();
        QCOMPARE(QByteArray::fromStdString(std::string{request.path()}), path);
    }
};

QTEST_GUILESS_MAIN(TestRequestReader)
#include "tst_request_reader.moc"
