// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/session/policy_save.h"
#include "session_support.h"
#include "simulator/scenario/presets.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

const std::string kHead = "throttlescope: 1\nservers: {api: {}}\n";
const std::string kRow = "workload: [{operation: call, server: api, policy: p, arrivals: {batch: 1}}]\n";

} // namespace

class TestPolicySave : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSavedFileSaysWhatTheEditsSaid_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("edits");
        QTest::addColumn<QString>("saved"); ///< a line or more of it
        const QString head = QString::fromStdString(kHead), row = QString::fromStdString(kRow);
        QTest::newRow("in a flow map, in its line")
            << head + "policies: {p: {preset: saia, rate_limit: {max_wait: 60s}}, q: {}} # both\n" + row
            << QStringList{"policies.p.rate_limit.max_wait=30s"}
            << "policies: {p: {preset: saia, rate_limit: {max_wait: 30s}}, q: {}} # both\n";
        QTest::newRow("in a block, comments outside stay")
            << head + "policies:\n  # first\n  p:\n    max_attempts: 3\n    backoff: {base: 1s}\n\n  # second\n  q: {}\n" + row
            << QStringList{"policies.p.max_attempts=5"}
            << "policies:\n  # first\n  p:\n    backoff: {base: 1s}\n    max_attempts: 5\n\n  # second\n  q: {}\n";
        QTest::newRow("two policies at once") << head + "policies:\n  p: {max_attempts: 3}\n  q:\n      writes: never\n" + row
                                              << QStringList{"policies.q.writes=safe", "policies.p.max_attempts=5"}
                                              << "policies:\n  p: {max_attempts: 5}\n  q:\n      writes: safe\n";
        QTest::newRow("a key with a brace and a quote in it")
            << head + "policies: {p: {pacer: {scope: \"a}\\\"{\"}, max_attempts: 3}, q: {pacer: {scope: it's}}}\n" + row
            << QStringList{"policies.p.max_attempts=5"}
            << "policies: {p: {pacer: {scope: \"a}\\\"{\"}, max_attempts: 5}, q: {pacer: {scope: it's}}}\n";
        QTest::newRow("characters of several bytes before it")
            << head + "policies: {über: {}, p: {max_attempts: 3}}\n" + row << QStringList{"policies.p.max_attempts=5"}
            << "policies: {über: {}, p: {max_attempts: 5}}\n";
        QTest::newRow("null of what a preset says needs every value") << head + "policies: {p: {preset: provider}}\n"
                + row << QStringList{"policies.p.total_timeout=null"} << "policies: {p: {retry: ";
        QTest::newRow("shorthand is written out")
            << head + "policies: {p: {max_wait: 11s}}\n" + row << QStringList{"policies.p.rate_limit.zero_hint=refuse"}
            << "policies: {p: {rate_limit: {max_wait: 11s, zero_hint: refuse}}}\n";
        QTest::newRow("a preset that a row uses by its name")
            << head + "workload: [{operation: call, server: api, policy: luria, arrivals: {batch: 1}}]\n"
            << QStringList{"policies.luria.max_attempts=5"} << "policies:\n  luria:\n    preset: luria\n    max_attempts: 5\n";
        QTest::newRow("a preset beside the file's policies")
            << head + "policies:\n  q: {}\nworkload: [{operation: call, server: api, policy: luria, arrivals: {batch: 1}}]\n"
            << QStringList{"policies.luria.max_attempts=5"} << "policies:\n  luria:\n    preset: luria\n    max_attempts: 5\n  q: {}\n";
    }
    void aSavedFileSaysWhatTheEditsSaid()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, edits);
        QFETCH(QString, saved);
        PolicyDraft draft = draftOf(text.toStdString());
        for (const QString &edit : edits)
            QVERIFY(draft.set(edit.section('=', 0, 0).toStdString(), edit.section('=', 1).toStdString()));
        const auto out = savedText(draft);
        QVERIFY2(out, out ? "" : out.error().c_str());
        QVERIFY2(QString::fromStdString(*out).contains(saved), out->c_str());
        const PolicyDraft again = draftOf(*out);
        for (const auto &[name, policy] : draft.scenario()->scenario.policies)
            QVERIFY2(*again.scenario()->scenario.policies.at(name) == *policy, name.c_str());
    }

    void whatCannotBeSavedSaysWhy_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("edit");
        QTest::addColumn<QString>("why");
        QTest::newRow("an edit of another part") << QString::fromStdString(scenarioText("{}")) << "seed=9"
                                                 << "'seed=9' is no part of a policy, expected edits of policies";
        QTest::newRow("a row's key that an option stands above")
            << QString::fromStdString(scenarioText("{}", "max_wait: 12s")) << "policies.p.rate_limit.max_wait=13s"
            << "the policies in this file cannot be replaced where they stand, expected to copy them as a block or as --set";
    }
    void whatCannotBeSavedSaysWhy()
    {
        QFETCH(QString, text);
        QFETCH(QString, edit);
        PolicyDraft draft = draftOf(text.toStdString());
        QVERIFY(draft.set(edit.section('=', 0, 0).toStdString(), edit.section('=', 1).toStdString()));
        const auto out = savedText(draft);
        QVERIFY(!out);
        QTEST(QString::fromStdString(out.error()), "why");
    }

    void theShippedScenarioKeepsItsOtherLines()
    {
        PolicyDraft draft = minuteWindow();
        QVERIFY(draft.set("policies.batch.rate_limit.max_wait", "30s"));
        std::string expected = draft.text();
        expected.replace(expected.find("max_wait: 60s"), 13, "max_wait: 30s");
        QCOMPARE(QString::fromStdString(*savedText(draft)), QString::fromStdString(expected));
        QCOMPARE(QString::fromStdString(policyBlock(draft, "batch")),
            QString{"policies:\n  batch:\n    preset: saia\n    rate_limit: {max_wait: 30s}\n"});
    }

    void aBlockOfWhatAPresetSaysAndAnEditUnsets()
    {
        PolicyDraft draft = draftOf(kHead + "policies: {p: {preset: provider}}\n" + kRow);
        QVERIFY(draft.set("policies.p.total_timeout", "null"));
        const PolicyDraft again = draftOf(kHead + policyBlock(draft, "p") + kRow);
        QVERIFY(*again.scenario()->scenario.policies.at("p") == *draft.scenario()->scenario.policies.at("p"));
    }

    void everyPresetCanBeEditedAndSaved()
    {
        for (const Preset &preset : presets()) {
            PolicyDraft draft = draftOf(kHead + "policies:\n  p: {preset: " + std::string{preset.name} + "}\n" + kRow);
            QVERIFY(draft.set("policies.p.attempt_timeout", "17s"));
            const auto out = savedText(draft);
            QVERIFY2(out, preset.name.data());
            QVERIFY(*draftOf(*out).scenario()->scenario.policies.at("p") == *draft.scenario()->scenario.policies.at("p"));
        }
    }
};

QTEST_GUILESS_MAIN(TestPolicySave)
#include "tst_policy_save.moc"
