// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fetch/redactor.h"

#include <QTest>

using throttlescope::fetch::Redactor;

class TestFetchRedactor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void secretsAreTakenOutOfALine_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("kept");
        const auto row
            = [](const char *name, const char *line, const char *kept) { QTest::newRow(name) << QByteArray{line} << QByteArray{kept}; };
        row("whole", "{\"raw\":\"a sk-0123456789 b\"}", "{\"raw\":\"a *** b\"}");
        row("twice", "{\"a\":\"sk-0123456789\",\"b\":\"sk-0123456789\"}", "{\"a\":\"***\",\"b\":\"***\"}");
        row("cut at the end of a text", "{\"raw\":\"xx sk-01234\"}", "{\"raw\":\"xx ***\"}");
        row("only its beginning, in another word", "{\"raw\":\"sk-01234 and more\"}", "{\"raw\":\"sk-01234 and more\"}");
        row("escaped as JSON has it", "{\"raw\":\"quote\\\"d-secret\"}", "{\"raw\":\"***\"}");
        row("never a key", "{\"operation\":\"operation\"}", "{\"operation\":\"***\"}");
        row("nothing", "{\"raw\":\"nothing\"}", "{\"raw\":\"nothing\"}");
    }
    void secretsAreTakenOutOfALine()
    {
        QFETCH(QByteArray, line);
        const Redactor redactor{{"sk-0123456789", "quote\"d-secret", "operation"}};
        std::string text = line.toStdString();
        redactor.redact(text);
        QTEST(QByteArray::fromStdString(text), "kept");
    }
};

QTEST_GUILESS_MAIN(TestFetchRedactor)
#include "tst_fetch_redactor.moc"
