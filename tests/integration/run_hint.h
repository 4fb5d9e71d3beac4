// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/integration/run_program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

/// Always in Asia/Kolkata, five and a half hours ahead: a date read in local time would show.
inline void prepare(QProcess &process)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TZ", "Asia/Kolkata");
    process.setProcessEnvironment(environment);
    process.setProgram(QStringLiteral(THROTTLESCOPE_BINARY));
}

inline Ran hint(const QStringList &arguments, const QByteArray &input = {})
{
    QProcess process;
    prepare(process);
    process.setArguments(QStringList{"hint"} + arguments);
    return finished(process, input);
}

/// Through a shell, where redirections and limits are to be had; $HINT is `throttlescope hint`.
inline Ran shell(const QString &script)
{
    QProcess process;
    prepare(process);
    process.setProgram("sh");
    process.setArguments({"-c", QString(script).replace("$HINT", QStringLiteral(THROTTLESCOPE_BINARY) + " hint")});
    return finished(process);
}

inline QString lineOf(const QByteArray &out, const QString &label)
{
    for (const QString &line : QString::fromUtf8(out).split('\n')) {
        if (line.startsWith(label + ' '))
            return line.mid(9);
    }
    return {};
}

/// One line of `hint --stdin`; raw strings of JSON would lead moc astray.
inline QByteArray lineWith(const QByteArray &retryAfter)
{
    return "{\"headers\":[[\"Retry-After\",\"" + retryAfter + "\"]]}";
}

inline QJsonObject answerTo(const QByteArray &line)
{
    return QJsonDocument::fromJson(hint({"--stdin"}, line + '\n').out).object();
}

inline QList<QJsonObject> objects(const QByteArray &lines)
{
    QList<QJsonObject> all;
    for (const QByteArray &line : lines.trimmed().split('\n'))
        all << QJsonDocument::fromJson(line).object();
    return all;
}
