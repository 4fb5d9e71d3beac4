// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/policy_model.h"

#include "app/dashboard/session/knob_values.h"
#include "simulator/scenario/presets.h"

#include <algorithm>

namespace throttlescope::dashboard {

namespace {

QString text(const std::string &utf8)
{
    return QString::fromStdString(utf8);
}

QStringList texts(const std::vector<std::string> &words)
{
    QStringList list;
    for (const std::string &word : words)
        list << text(word);
    return list;
}

/// The policy of the first row, since it is the one that is looked at; else the first of all.
std::string firstPolicy(const PolicyDraft &draft)
{
    const auto &workload = draft.scenario()->scenario.workload;
    if (!workload.empty())
        return workload.front().policyName;
    const auto names = draft.policies();
    return names.empty() ? std::string{} : names.front();
}

bool sameKnob(const PolicyKnob &a, const PolicyKnob &b)
{
    return a.setPath == b.setPath && a.value == b.value && a.baseline == b.baseline && a.origin == b.origin;
}

} // namespace

PolicyModel::PolicyModel(PolicyDraft draft, QObject *parent)
    : QAbstractTableModel(parent)
    , m_draft(std::move(draft))
    , m_policy(firstPolicy(m_draft))
    , m_knobs(m_draft.knobs(m_policy))
{
}

int PolicyModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_knobs.size());
}

int PolicyModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString PolicyModel::shown(const PolicyKnob &knob, int column) const
{
    if (column == Label)
        return text(knob.label);
    if (column == Value)
        return knob.value.empty() ? QStringLiteral("none") : text(knob.value);
    return text(knob.origin.text);
}

QVariant PolicyModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const PolicyKnob &knob = m_knobs[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return shown(knob, index.column());
    case Qt::EditRole: return index.column() == Value ? text(knob.value) : shown(knob, index.column());
    case Qt::ToolTipRole: return text(knob.row.doc);
    case Qt::AccessibleTextRole: return QStringLiteral("%1 %2").arg(text(knob.row.path), shown(knob, index.column()));
    case PathRole: return text(knob.row.path);
    case SetPathRole: return text(knob.setPath);
    case GroupRole: return text(knob.group);
    case KindRole: return static_cast<int>(knob.row.kind);
    case AmountKindRole: return static_cast<int>(knob.amountKind);
    case WordsRole: return texts(knob.row.words);
    case LeastRole: return text(knob.row.least);
    case MostRole: return text(knob.row.most);
    case ExpectedRole: return text(knob.row.expected);
    case DefaultRole: return text(knob.row.defaultText);
    case BaselineRole: return text(knob.baseline);
    case OriginKindRole: return static_cast<int>(knob.origin.kind);
    case DiffersRole: return knob.differs();
    case AmountRole: {
        const auto amount = amountOf(knob.amountKind, knob.value);
        return amount ? QVariant{*amount} : QVariant{};
    }
    case SliderLeastRole: return sliderRange(knob).least;
    case SliderMostRole: return sliderRange(knob).most;
    default: return {};
    }
}

QVariant PolicyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Label: return tr("policy");
    case Value: return tr("value");
    case Origin: return tr("from");
    default: return {};
    }
}

Qt::ItemFlags PolicyModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Qt::ItemFlags plain = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    return index.column() == Value ? plain | Qt::ItemIsEditable : plain;
}

bool PolicyModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.column() != Value || role != Qt::EditRole)
        return false;
    const PolicyKnob &knob = m_knobs[static_cast<std::size_t>(index.row())];
    const QString written = value.toString().trimmed();
    if (written == text(knob.value)) // an editor that was opened and closed is no edit
        return true;
    return edit(text(knob.setPath), written.isEmpty() ? QStringLiteral("null") : written, PolicyDraft::Gesture::Typed);
}

QStringList PolicyModel::policies() const
{
    return texts(m_draft.policies());
}

QStringList PolicyModel::presetNames()
{
    QStringList names;
    for (const Preset &each : presets())
        names << QString::fromUtf8(each.name.data(), static_cast<qsizetype>(each.name.size()));
    return names;
}

bool PolicyModel::setPreset(const QString &name)
{
    const PolicyPreset now = preset();
    if (name == text(now.name))
        return true;
    return name.isEmpty() ? finish(text(now.setPath), m_draft.reset(now.setPath))
                          : edit(text(now.setPath), name, PolicyDraft::Gesture::Typed);
}

int PolicyModel::rowOf(const QString &path) const
{
    const std::string wanted = path.toStdString();
    const auto found = std::find_if(m_knobs.begin(), m_knobs.end(), [&wanted](const PolicyKnob &knob) { return knob.row.path == wanted; });
    return found == m_knobs.end() ? -1 : static_cast<int>(found - m_knobs.begin());
}

bool PolicyModel::edit(const QString &setPath, const QString &value, PolicyDraft::Gesture gesture)
{
    return finish(setPath, m_draft.set(setPath.toStdString(), value.toStdString(), gesture));
}

bool PolicyModel::drag(int row, double amount)
{
    const PolicyKnob &knob = m_knobs.at(static_cast<std::size_t>(row));
    const std::string value = amountText(knob.amountKind, amount);
    return value == knob.value || edit(text(knob.setPath), text(value), PolicyDraft::Gesture::Dragged);
}

bool PolicyModel::reset(int row)
{
    const std::string path = m_knobs.at(static_cast<std::size_t>(row)).setPath;
    return finish(text(path), m_draft.reset(path));
}

void PolicyModel::resetAll()
{
    finish({}, m_draft.resetAll());
}

bool PolicyModel::finish(const QString &setPath, const tl::expected<void, LoadError> &done)
{
    if (!done) {
        Q_EMIT refused(setPath, text(done.error().text));
        return false;
    }
    showDraft();
    Q_EMIT scenarioChanged(m_draft.scenario());
    return true;
}

void PolicyModel::undo()
{
    if (!m_draft.canUndo())
        return; // and nothing is replayed
    m_draft.undo();
    finish({}, {});
}

void PolicyModel::redo()
{
    if (!m_draft.canRedo())
        return;
    m_draft.redo();
    finish({}, {});
}

void PolicyModel::pinBaseline()
{
    m_draft.pin();
    showDraft();
}

void PolicyModel::showPolicy(const QString &policy)
{
    beginResetModel();
    m_policy = policy.toStdString();
    m_knobs = m_draft.knobs(m_policy);
    endResetModel();
}

void PolicyModel::openDraft(PolicyDraft draft)
{
    beginResetModel();
    m_draft = std::move(draft);
    m_policy = firstPolicy(m_draft);
    m_knobs = m_draft.knobs(m_policy);
    endResetModel();
    Q_EMIT policiesChanged();
    Q_EMIT undoChanged(false, false);
    Q_EMIT scenarioChanged(m_draft.scenario());
}

void PolicyModel::reload(const std::string &source)
{
    const auto dropped = m_draft.reload(source);
    if (!dropped)
        return Q_EMIT refused({}, text(dropped.error().front().format()));
    const auto names = m_draft.policies();
    if (std::find(names.begin(), names.end(), m_policy) == names.end())
        m_policy = firstPolicy(m_draft);
    finish({}, {});
    Q_EMIT policiesChanged();
    QStringList lost;
    for (const Edit &edit : *dropped)
        lost << text(edit.text());
    if (!lost.isEmpty())
        Q_EMIT editsDropped(lost);
}

/// The rows are the same for every policy, so that only values change.
void PolicyModel::showDraft()
{
    std::vector<PolicyKnob> knobs = m_draft.knobs(m_policy);
    m_knobs.swap(knobs);
    for (std::size_t row = 0; row < m_knobs.size(); ++row) {
        if (!sameKnob(m_knobs[row], knobs[row]))
            Q_EMIT dataChanged(index(static_cast<int>(row), 0), index(static_cast<int>(row), ColumnCount - 1));
    }
    Q_EMIT undoChanged(m_draft.canUndo(), m_draft.canRedo());
}

} // namespace throttlescope::dashboard
