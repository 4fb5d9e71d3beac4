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

} // namespace

Checkpoint::Checkpoint(const std::string &file, QString connection, Access access)
    : m_file(file)
    , m_connection(std::move(connection))
    , m_database(QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_connection))
{
    m_database.setDatabaseName(pathOf(file));
    m_database.setConnectOptions(
        access == Access::Read ? QStringLiteral("QSQLITE_BUSY_TIMEOUT=0;QSQLITE_OPEN_READONLY") : QStringLiteral("QSQLITE_BUSY_TIMEOUT=0"));
}

Checkpoint::~Checkpoint()
{
    m_database.close();
    m_database = {};
    QSqlDatabase::removeDatabase(m_connection);
}

OrProblem<std::unique_ptr<Checkpoint>> Checkpoint::locked(const std::string &file, Access access)
{
    if (!QSqlDatabase::isDriverAvailable(QStringLiteral("QSQLITE")))
        return couldNotRun("Qt has no SQLite here, expected its driver (Debian: libqt6sql6-sqlite)");
    if (auto good = checkHeader(file); !good)
        return tl::unexpected(good.error());
    std::unique_ptr<Checkpoint> checkpoint{new Checkpoint{file, QUuid::createUuid().toString(), access}};
    if (auto good = checkpoint->lock(access); !good)
        return tl::unexpected(good.error());
    return checkpoint;
}

OrProblem<std::unique_ptr<Checkpoint>> Checkpoint::open(const std::string &file, const std::string &fingerprint)
{
    auto checkpoint = locked(file, Access::Write);
    if (!checkpoint)
        return checkpoint;
    const auto good = (*checkpoint)->isNew() ? (*checkpoint)->create(fingerprint) : (*checkpoint)->check(fingerprint);
    if (!good)
        return tl::unexpected(good.error());
    if (auto loaded = (*checkpoint)->load(); !loaded)
        return tl::unexpected(loaded.error());
    return checkpoint;
}

OrProblem<std::map<std::string, Settled>> Checkpoint::read(const std::string &file, const std::string &fingerprint)
{
    std::map<std::string, Settled> nothing;
    const QFileInfo about{pathOf(file)};
    if (!about.exists() || (about.isFile() && about.size() == 0))
        return nothing;
    const auto checkpoint = locked(file, Access::Read);
    if (!checkpoint)
        return tl::unexpected(checkpoint.error());
    if ((*checkpoint)->isNew())
        return nothing;
    if (auto good = (*checkpoint)->check(fingerprint); !good)
        return tl::unexpected(good.error());
    if (auto loaded = (*checkpoint)->load(); !loaded)
        return tl::unexpected(loaded.error());
    return std::move((*checkpoint)->m_settled);
}

/// In the locking mode of who writes, the lock of the first transaction stays until the end.
OrProblem<void> Checkpoint::lock(Access access)
{
    if (!m_database.open())
        return couldNotRun(fmt::format("{}: the checkpoint cannot be opened ({})", m_file, m_database.lastError().text().toStdString()));
    const QStringList statements = access == Access::Write
        ? QStringList{"PRAGMA locking_mode=EXCLUSIVE", "PRAGMA synchronous=FULL", "BEGIN EXCLUSIVE"}
        : QStringList{"BEGIN", "SELECT count(*) FROM sqlite_master"};
    for (const QString &statement : statements) {
        QSqlQuery query{m_database};
        if (query.exec(statement))
            continue;
        const int code = query.lastError().nativeErrorCode().toInt() & 0xff; // the rest says more than is asked here
        if (code == 5) // SQLITE_BUSY
            return couldNotRun(fmt::format("{}: the checkpoint is in use by another fetch, expected one at a time", m_file));
        if (access == Access::Read && code == 8) // SQLITE_READONLY: a journal is to be rolled back
            return couldNotRun(
                fmt::format("{}: a fetch was killed while it wrote, expected one that goes on first, without --dry-run", m_file));
        if (code == 26 || code == 11) // SQLITE_NOTADB, SQLITE_CORRUPT
            return damaged(query.lastError().databaseText().toStdString());
        return couldNotRun(fmt::format("{}: the checkpoint cannot be locked ({})", m_file, query.lastError().databaseText().toStdString()));
    }
    return {};
}

/// Or killed while it was being made.
bool Checkpoint::isNew()
{
    const QVariant tables = value(QStringLiteral("SELECT count(*) FROM sqlite_master"));
    return tables.isValid() && tables.toInt() == 0;
}

OrProblem<void> Checkpoint::check(const std::string &fingerprint)
{
    if (value(QStringLiteral("PRAGMA quick_check(1)")).toString() != QLatin1String("ok"))
        return damaged("its pages do not fit together");
    const QVariant known = value(QStringLiteral("SELECT fingerprint FROM worklist"));
    if (!known.isValid())
        return damaged("it names no worklist");
    if (known.toString().toStdString() != fingerprint)
        return usage(fmt::format("{}: the checkpoint of another worklist, or of this one before it changed, expected the same items in the "
                                 "same order (id, method, URL, names of headers, body); fetch the list that it was made for, or name a new "
                                 "file with --checkpoint to begin anew",
            m_file));
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
