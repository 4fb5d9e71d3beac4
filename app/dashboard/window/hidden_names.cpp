// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/hidden_names.h"

#include <QObject>
#include <QRegularExpression>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

void add(HiddenNames &names, const std::string &name, const QString &instead)
{
    const QString written = QString::fromStdString(name);
    const bool known = std::any_of(names.begin(), names.end(), [&written](const auto &each) { return each.first == written; });
    if (!written.isEmpty() && !known)
        names.emplace_back(written, instead);
}

/// One that is a part of another is looked for after it.
void sortByLength(HiddenNames &names)
{
    std::stable_sort(names.begin(), names.end(), [](const auto &one, const auto &other) { return one.first.size() > other.first.size(); });
}

} // namespace

HiddenNames namesIn(const Scenario &scenario)
{
    HiddenNames names;
    for (const WorkloadRow &row : scenario.workload)
        add(names, row.operation, QObject::tr("a call"));
    for (const Server &server : scenario.servers)
        add(names, server.name, QObject::tr("a server"));
    for (const auto &[name, policy] : scenario.policies) {
        if (name != "none") // a word of everybody's
            add(names, name, QObject::tr("a policy"));
    }
    for (const TimelineEntry &entry : scenario.timeline)
        add(names, entry.label, QObject::tr("a label"));
    sortByLength(names);
    return names;
}

QString withoutNames(QString words, const HiddenNames &names)
{
    for (const auto &[name, instead] : names) {
        const QString whole = QStringLiteral("(?<![\\w-])%1(?![\\w-])").arg(QRegularExpression::escape(name));
        words.replace(QRegularExpression{whole, QRegularExpression::UseUnicodePropertiesOption}, instead);
    }
    return words;
}

void hideNames(Inspection &story)
{
    HiddenNames names;
    add(names, story.operation, QObject::tr("the call"));
    add(names, story.server, QObject::tr("the server"));
    add(names, story.policy, QObject::tr("the policy"));
    add(names, story.fallback, QObject::tr("another call"));
    add(names, story.fallbackServer, QObject::tr("another server"));
    sortByLength(names);
    const auto mask = [&names](std::string &words) { words = withoutNames(QString::fromStdString(words), names).toStdString(); };
    mask(story.headline);
    for (std::string &sentence : story.sentences)
        mask(sentence);
    for (Exchange &exchange : story.exchanges)
        mask(exchange.sent);
    for (Aside &aside : story.asides)
        mask(aside.text);
}

} // namespace throttlescope::dashboard
