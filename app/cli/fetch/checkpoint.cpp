// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/checkpoint.h"

#include "core/journal/json_line.h"

#include <QFile>
#include <QFileInfo>
#include <QSqlError>
#include <QSqlQuery>
#include <QUuid>
#include <QVariant>
#include <QtEndian>

#include <filesystem>
#include <fmt/format.h>

namespace throttlescope::fetch {

namespace {

constexpr quint32 kApplicationId = 0x54534650; // "TSFP"
constexpr quint32 kSchemaVersion = 1;

/// Absolute, so that `:memory:` is a file to SQLite and to Qt as it is to everybody else.
QString pathOf(const std::string &file)
{
    std::error_code error;
    return QString::fromStdString(std::filesystem::absolute(file, error).string());
}

/// What the header of a SQLite file says (sqlite.org/fileformat.html, 1.3); read without SQLite, which would roll an
/// unfinished transaction of a foreign file back.
OrProblem<void> checkHeader(const std::string &name)
{
    QFile file{pathOf(name)};
    if (!file.exists())
        return {};
    if (!QFileInfo{file}.isFile() || !file.open(QIODevice::ReadOnly))
        return couldNotRun(fmt::format("{}: the checkpoint cannot be opened, expected a file that can be read and written", name));
    constexpr qsizetype headerSize = 100, versionAt = 60, applicationAt = 68;
    const QByteArray header = file.read(headerSize);
    if (header.isEmpty())
        return {}; // was being made when its program was killed
    if (!header.startsWith(QByteArrayView{"SQLite format 3\0", 16}) || header.size() < headerSize)
        return usage(fmt::format("{}: no checkpoint or a damaged one, expected a file that an earlier fetch made", name));
    const auto application = qFromBigEndian<quint32>(header.constData() + applicationAt);
    const auto version = qFromBigEndian<quint32>(header.constData() + versionAt);
    if (application != kApplicationId)
        return usage(fmt::format("{}: another program's database, expected a checkpoint of throttlescope", name));
    if (version > kSchemaVersion)
        return usage(fmt::format(
            "{}: a checkpoint of format {}, expected at most {}: a newer throttlescope made it", name, version, kSchemaVersion));
    return {};
}

bool isLocked(const QSqlError &error)
{
    return error.nativeErrorCode() == QLatin1String("5"); // SQLITE_BUSY
}

} // namespace

Checkpoint::Checkpoint(const std::string &file, QString connection)
    : m_file(file)
    , m_connection(std::move(connection))
    , m_database(QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_connection))
{
    m_database.setDatabaseName(pathOf(file));
    m_database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=0"));
}

Checkpoint::~Checkpoint()
{
    m_database.close();
    m_database = {};
    QSqlDatabase::removeDatabase(m_connection);
}

OrProblem<std::unique_ptr<Checkpoint>> Checkpoint::open(const std::string &file, const std::string &fingerprint)
{
    if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QSQLITE")))
        return couldNotRun("Qt has no SQLite here, expected its driver (Debian: libqt6sql6-sqlite)");
    if (auto good = checkHeader(file); !good)
        return tl::unexpected(good.error());
    std::unique_ptr<Checkpoint> checkpoint{new Checkpoint{file, QUuid::createUuid().toString()}};
    if (auto good = checkpoint->lock(); !good)
        return tl::unexpected(good.error());
    if (auto good = checkpoint->check(fingerprint); !good)
        return tl::unexpected(good.error());
    if (auto good = checkpoint->load(); !good)
        return tl::unexpected(good.error());
    return checkpoint;
}

/// In this locking mode the lock of the first transaction stays until the end.
OrProblem<void> Checkpoint::lock()
{
    if (!m_database.open())
        return couldNotRun(fmt::format("{}: the checkpoint cannot be opened ({})", m_file, m_database.lastError().text().toStdString()));
    for (const QString statement : {"PRAGMA locking_mode=EXCLUSIVE", "PRAGMA synchronous=FULL", "BEGIN EXCLUSIVE"}) {
        QSqlQuery query{m_database};
        if (query.exec(statement))
            continue;
        if (isLocked(query.lastError()))
            return couldNotRun(fmt::format("{}: the checkpoint is in use by another fetch, expected one at a time", m_file));
        if (query.lastError().nativeErrorCode() == QLatin1String("26") || query.lastError().nativeErrorCode() == QLatin1String("11"))
            return damaged(query.lastError().databaseText().toStdString()); // SQLITE_NOTADB, SQLITE_CORRUPT
        return couldNotRun(fmt::format("{}: the checkpoint cannot be locked ({})", m_file, query.lastError().databaseText().toStdString()));
    }
    return {};
}

OrProblem<void> Checkpoint::check(const std::string &fingerprint)
{
    const QVariant tables = value(QStringLiteral("SELECT count(*) FROM sqlite_master"));
    if (tables.isValid() && tables.toInt() == 0) // new, or killed while it was being made
        return create(fingerprint);
    if (value(QStringLiteral("PRAGMA quick_check(1)")).toString() != QLatin1String("ok"))
        return damaged("its pages do not fit together");
    const QVariant known = value(QStringLiteral("SELECT fingerprint FROM worklist"));
    if (!known.isValid())
        return damaged("it names no worklist");
    if (known.toString().toStdString() != fingerprint)
        return usage(
            fmt::format("{}: the checkpoint of another worklist, expected the list that it was made for, or another file", m_file));
    return {};
}

OrProblem<void> Checkpoint::create(const std::string &fingerprint)
{
    const QStringList statements{QStringLiteral("PRAGMA application_id=%1").arg(kApplicationId),
        QStringLiteral("PRAGMA user_version=%1").arg(kSchemaVersion), QStringLiteral("CREATE TABLE worklist (fingerprint TEXT NOT NULL)"),
        QStringLiteral(
            "CREATE TABLE settled (id TEXT PRIMARY KEY NOT NULL, result TEXT NOT NULL, status INTEGER NOT NULL, digest TEXT NOT NULL, "
            "baseline_status INTEGER NOT NULL, baseline_digest TEXT NOT NULL, settled_at TEXT NOT NULL) WITHOUT ROWID"),
        QStringLiteral("INSERT INTO worklist VALUES ('%1')").arg(QString::fromStdString(fingerprint))};
    for (const QString &statement : statements) {
        if (const auto error = run(statement))
            return couldNotRun(fmt::format("{}: the checkpoint cannot be made ({})", m_file, error->toStdString()));
    }
    return {};
}

/// Ends the transaction that lock() began.
OrProblem<void> Checkpoint::load()
{
    if (const auto error = run(QStringLiteral("COMMIT")))
        return couldNotRun(fmt::format("{}: the checkpoint cannot be written ({})", m_file, error->toStdString()));
    QSqlQuery query{m_database};
    query.setForwardOnly(true);
    if (!query.exec(QStringLiteral("SELECT id, result, status, digest, baseline_status, baseline_digest FROM settled")))
        return damaged(query.lastError().databaseText().toStdString());
    while (query.next()) {
        const auto verdict = verdictOf(query.value(1).toString().toStdString());
        if (!verdict || *verdict == Verdict::Unchecked)
            return damaged("a row has a result that is none");
        m_settled[query.value(0).toString().toStdString()] = {*verdict, {query.value(2).toInt(), query.value(3).toString().toStdString()},
            {query.value(4).toInt(), query.value(5).toString().toStdString()}};
    }
    return {};
}

OrProblem<void> Checkpoint::settle(const std::string &id, const Settled &settled, WallTime at)
{
    std::string time;
    journal::appendRfc3339(time, at);
    QSqlQuery query{m_database};
    query.prepare(QStringLiteral("INSERT OR REPLACE INTO settled VALUES (?, ?, ?, ?, ?, ?, ?)"));
    query.addBindValue(QString::fromStdString(id));
    query.addBindValue(QString::fromUtf8(word(settled.verdict).data()));
    query.addBindValue(settled.answer.status);
    query.addBindValue(QString::fromStdString(settled.answer.digest));
    query.addBindValue(settled.baseline.status);
    query.addBindValue(QString::fromStdString(settled.baseline.digest));
    query.addBindValue(QString::fromStdString(time));
    if (!query.exec())
        return couldNotRun(
            fmt::format("{}: the checkpoint cannot be written ({})", m_file, query.lastError().databaseText().toStdString()));
    m_settled[id] = settled;
    return {};
}

/// Empty where it went well.
std::optional<QString> Checkpoint::run(const QString &statement)
{
    QSqlQuery query{m_database};
    return query.exec(statement) ? std::nullopt : std::optional{query.lastError().databaseText()};
}

/// The first value of the first row; invalid where there is none.
QVariant Checkpoint::value(const QString &query)
{
    QSqlQuery asked{m_database};
    return asked.exec(query) && asked.next() ? asked.value(0) : QVariant{};
}

tl::unexpected<Problem> Checkpoint::damaged(const std::string &what) const
{
    return usage(fmt::format("{}: a damaged checkpoint ({}), expected one as an earlier fetch left it", m_file, what));
}

} // namespace throttlescope::fetch
