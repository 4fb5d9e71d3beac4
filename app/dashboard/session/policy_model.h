// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_draft.h"

#include <QAbstractTableModel>
#include <QString>
#include <QStringList>
#include <vector>

namespace throttlescope::dashboard {

/// The rows of the policy editor over a draft. Setting a value edits the draft; what the loader refuses is told and changes
/// nothing.
class PolicyModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Label, Value, Origin, ColumnCount };
    enum Role {
        PathRole = Qt::UserRole, ///< "rate_limit.max_wait"
        SetPathRole, ///< "policies.batch.rate_limit.max_wait"
        GroupRole,
        KindRole, ///< Schema::Kind as int
        AmountKindRole, ///< the same of what a slider moves; Other: no slider
        WordsRole,
        LeastRole, ///< inclusive, as a file writes them; empty where unbounded
        MostRole,
        ExpectedRole, ///< type, range or words, in words
        DefaultRole,
        BaselineRole,
        OriginKindRole, ///< ValueOrigin::Kind as int
        DiffersRole,
        AmountRole, ///< double; invalid where the value is none
        SliderLeastRole,
        SliderMostRole,
    };

    explicit PolicyModel(PolicyDraft draft, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role = Qt::EditRole) override;

    const PolicyDraft &draft() const { return m_draft; }
    const std::vector<PolicyKnob> &knobs() const { return m_knobs; }
    QStringList policies() const;
    QString policy() const { return QString::fromStdString(m_policy); }
    /// What the shown policy is built on, and what it could be.
    PolicyPreset preset() const { return m_draft.presetOf(m_policy); }
    static QStringList presetNames();
    /// Empty: what the file says.
    bool setPreset(const QString &name);
    /// The row of a path such as "rate_limit.max_wait", or -1.
    int rowOf(const QString &path) const;

    /// An edit from elsewhere: a dragged line in a plot, a slider. False: it was refused.
    bool edit(const QString &setPath, const QString &value, PolicyDraft::Gesture gesture);
    /// Drags the knob of a row to an amount.
    bool drag(int row, double amount);
    /// The knob was let go: the next drag is a step of its own.
    void endDrag() { m_draft.endDrag(); }
    bool reset(int row);
    void resetAll();
    void undo();
    void redo();
    void pinBaseline();
    void showPolicy(const QString &policy);
    /// Another scenario altogether.
    void openDraft(PolicyDraft draft);
    /// Another text of the same file; what no longer applies is told by editsDropped().
    void reload(const std::string &text);

Q_SIGNALS:
    /// There is another scenario to run.
    void scenarioChanged(const throttlescope::dashboard::ScenarioPointer &scenario);
    /// An edit that is no valid value: what the loader says of it.
    void refused(const QString &setPath, const QString &message);
    void undoChanged(bool canUndo, bool canRedo);
    void policiesChanged();
    void editsDropped(const QStringList &assignments);

private:
    bool finish(const QString &setPath, const tl::expected<void, LoadError> &done);
    void showDraft();
    QString shown(const PolicyKnob &knob, int column) const;

    PolicyDraft m_draft;
    std::string m_policy;
    std::vector<PolicyKnob> m_knobs;
};

} // namespace throttlescope::dashboard
