// SPDX-License-Identifier: Apache-2.0
#include "net_support.h"

#include <QFile>
#include <QProcess>
#include <QSslConfiguration>
#include <QSslKey>
#include <QSslServer>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace throttlescope;
using namespace throttlescope::testing;

/// TLS is verified, whatever the caller's configuration says.
class TestNetTls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!QSslSocket::supportsSsl())
            QSKIP("Qt has no TLS here");
        const QString openssl = QStandardPaths::findExecutable(QStringLiteral("openssl"));
        if (openssl.isEmpty())
            QSKIP("no openssl to make a certificate with");
        QProcess process;
        process.start(openssl,
            {"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=IP:127.0.0.1", "-keyout", m_folder.filePath("key.pem"), "-out", m_folder.filePath("certificate.pem")});
        QVERIFY(process.waitForFinished());
        QFile key{m_folder.filePath("key.pem")}, certificate{m_folder.filePath("certificate.pem")};
        QVERIFY(key.open(QIODevice::ReadOnly) && certificate.open(QIODevice::ReadOnly));
        m_certificate = QSslCertificate{certificate.readAll()};
        QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
        configuration.setPrivateKey(QSslKey{key.readAll(), QSsl::Rsa});
        configuration.setLocalCertificate(m_certificate);
        m_server.setSslConfiguration(configuration);
        QVERIFY(m_server.listen(QHostAddress::LocalHost));
        connect(&m_server, &QSslServer::pendingConnectionAvailable, this, [this] {
            while (QTcpSocket *socket = m_server.nextPendingConnection()) {
                connect(socket, &QTcpSocket::readyRead, socket, [this, socket] {
                    if (!socket->readAll().contains("\r\n\r\n"))
                        return;
                    ++m_requests;
                    socket->write(respond(200, {}, "sealed").bytes);
                });
            }
        });
    }

    void aCertificateThatNobodyTrustsIsRefused_data()
    {
        QTest::addColumn<bool>("askedNotToVerify");
        QTest::newRow("as it is") << false;
        QTest::newRow("asked not to verify") << true;
    }
    void aCertificateThatNobodyTrustsIsRefused()
    {
        QFETCH(bool, askedNotToVerify);
        net::ClientOptions options;
        if (askedNotToVerify) {
            QSslConfiguration careless = QSslConfiguration::defaultConfiguration();
            careless.setPeerVerifyMode(QSslSocket::VerifyNone);
            options.tls = careless;
        }
        Journalled it{quickPolicy(), std::move(options)};
        const net::Result result = it.ask(get(url()));
        QCOMPARE(result.end, Result::Failed);
        QCOMPARE(result.error->transport, std::optional{TransportFailureKind::Tls});
        QCOMPARE(m_requests, 0);
    }

    void aTrustedCertificateIsEnough()
    {
        net::ClientOptions options;
        QSslConfiguration trusting = QSslConfiguration::defaultConfiguration();
        trusting.setCaCertificates({m_certificate});
        options.tls = trusting;
        Journalled it{quickPolicy(), std::move(options)};
        const net::Result result = it.ask(get(url()));
        QVERIFY2(result.succeeded(), result.error ? result.error->message.c_str() : "");
        QCOMPARE(result.response->body, std::string{"sealed"});
        QCOMPARE(m_requests, 1);
    }

private:
    QUrl url() const { return QUrl{QStringLiteral("https://127.0.0.1:%1/").arg(m_server.serverPort())}; }

    QTemporaryDir m_folder;
    QSslCertificate m_certificate;
    QSslServer m_server;
    int m_requests = 0;
};

QTEST_GUILESS_MAIN(TestNetTls)
#include "tst_net_tls.moc"
