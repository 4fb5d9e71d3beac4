// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/session/policy_model.h"
#include "session_support.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

class TestPolicyModel : public QObject {
    Q_OBJECT

    static QModelIndex cell(const PolicyModel &model, const char *path, int column = PolicyModel::Value)
    {
        return model.index(model.rowOf(QString::fromLatin1(path)), column);
    }

private Q_SLOTS:
    void rowsAreThoseOfTheFieldTable()
    {
        PolicyModel model{minuteWindow()};
        const QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
        QCOMPARE(model.rowCount(), static_cast<int>(policyRows().size()));
        QCOMPARE(model.policy(), QString{"batch"});
        QCOMPARE(cell(model, "rate_limit.max_wait", PolicyModel::Label).data().toString(), QString{"max_wait"});
        QCOMPARE(cell(model, "rate_limit.max_wait").data().toString(), QString{"60s"});
        QCOMPARE(cell(model, "rate_limit.max_wait", PolicyModel::Origin).data(PolicyModel::OriginKindRole).toInt(),
            static_cast<int>(ValueOrigin::Kind::File));
        QCOMPARE(cell(model, "rate_limit.max_wait").data(PolicyModel::AmountRole).toDouble(), 60.0);
        QCOMPARE(cell(model, "max_attempts", PolicyModel::Origin).data().toString(), QString{"preset saia"});
        QCOMPARE(cell(model, "total_timeout").data().toString(), QString{"none"});
        QVERIFY(!cell(model, "total_timeout").data(PolicyModel::AmountRole).isValid());
        QCOMPARE(cell(model, "rate_limit.zero_hint").data(PolicyModel::WordsRole).toStringList(),
            (QStringList{"retry_now", "refuse", "as_no_hint"}));
    }

    void aTypedValueChangesOneRowAndTheScenario()
    {
        PolicyModel model{minuteWindow()};
        const QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
        QSignalSpy changed{&model, &PolicyModel::dataChanged}, scenario{&model, &PolicyModel::scenarioChanged};
        QVERIFY(model.setData(cell(model, "rate_limit.max_wait"), "30s"));
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed.front().front().toModelIndex().row(), model.rowOf("rate_limit.max_wait"));
        QCOMPARE(scenario.count(), 1);
        QVERIFY(cell(model, "rate_limit.max_wait").data(PolicyModel::DiffersRole).toBool());
        QCOMPARE(cell(model, "rate_limit.max_wait", PolicyModel::Origin).data().toString(), QString{"edited"});
        model.pinBaseline();
        QVERIFY(!cell(model, "rate_limit.max_wait").data(PolicyModel::DiffersRole).toBool());
        model.undo();
        QCOMPARE(cell(model, "rate_limit.max_wait").data().toString(), QString{"60s"});
        QVERIFY(cell(model, "rate_limit.max_wait").data(PolicyModel::DiffersRole).toBool());
    }

    void aRefusedValueIsToldAndChangesNothing()
    {
        PolicyModel model{minuteWindow()};
        const QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
        QSignalSpy changed{&model, &PolicyModel::dataChanged}, refused{&model, &PolicyModel::refused};
        QVERIFY(!model.setData(cell(model, "rate_limit.max_wait"), "45"));
        QCOMPARE(changed.count(), 0);
        QCOMPARE(refused.count(), 1);
        QCOMPARE(refused.front().at(0).toString(), QString{"policies.batch.rate_limit.max_wait"});
        QCOMPARE(refused.front().at(1).toString(), QString{"'45' needs a unit, expected a duration such as 45s"});
    }

    void aDragIsOneStepAndOneMoreReset()
    {
        PolicyModel model{minuteWindow()};
        QSignalSpy undo{&model, &PolicyModel::undoChanged};
        const int row = model.rowOf("rate_limit.max_wait");
        for (const double seconds : {55.0, 45.0, 30.0})
            QVERIFY(model.drag(row, seconds));
        QCOMPARE(cell(model, "rate_limit.max_wait").data().toString(), QString{"30s"});
        QVERIFY(model.reset(row));
        model.undo();
        QCOMPARE(cell(model, "rate_limit.max_wait").data().toString(), QString{"30s"});
        model.undo();
        QCOMPARE(cell(model, "rate_limit.max_wait").data().toString(), QString{"60s"});
        QCOMPARE(undo.back(), (QVariantList{false, true}));
    }

    /// A run that is under way would begin anew.
    void whereNothingCanBeUndoneNothingChanges()
    {
        PolicyModel model{minuteWindow()};
        QSignalSpy changed{&model, &PolicyModel::scenarioChanged};
        model.undo();
        model.redo();
        QCOMPARE(changed.count(), 0);
        QVERIFY(model.drag(model.rowOf("rate_limit.max_wait"), 30.0));
        model.undo();
        QCOMPARE(changed.count(), 2);
        model.undo();
        QCOMPARE(changed.count(), 2);
    }

    void anEmptiedValueIsUnset()
    {
        PolicyModel model{draftOf(scenarioText("{preset: provider}"))};
        QCOMPARE(cell(model, "total_timeout").data().toString(), QString{"60s"});
        QVERIFY(model.setData(cell(model, "total_timeout"), ""));
        QCOMPARE(cell(model, "total_timeout").data().toString(), QString{"none"});
    }

    void anotherPolicyIsAnotherSetOfValues()
    {
        PolicyModel model{draftOf(scenarioText("{preset: luria}"))};
        const QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
        QCOMPARE(model.policies(), (QStringList{"p", "v1.2"}));
        model.showPolicy("v1.2");
        QCOMPARE(cell(model, "rate_limit.max_wait").data().toString(), QString{"60s"});
        QCOMPARE(
            cell(model, "rate_limit.max_wait").data(PolicyModel::SetPathRole).toString(), QString{"policies.v1.2.rate_limit.max_wait"});
    }

    void aReloadTellsWhichEditsAreLost()
    {
        PolicyModel model{draftOf(scenarioText("{}"))};
        const QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
        QSignalSpy dropped{&model, &PolicyModel::editsDropped}, refused{&model, &PolicyModel::refused};
        model.showPolicy("v1.2");
        QVERIFY(model.setData(cell(model, "max_attempts"), "3"));
        std::string text = scenarioText("{}");
        text.erase(text.find(", v1.2: {}"), 10);
        model.reload(text);
        QCOMPARE(dropped.count(), 1);
        QCOMPARE(dropped.front().front().toStringList(), QStringList{"policies.v1.2.max_attempts=3"});
        QCOMPARE(model.policy(), QString{"p"});
        model.reload("throttlescope: 2\n");
        QVERIFY(refused.front().at(1).toString().startsWith("s.yaml:1:16: "));
    }
};

QTEST_GUILESS_MAIN(TestPolicyModel)
#include "tst_policy_model.moc"
