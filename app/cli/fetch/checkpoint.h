// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/problem.h"
#include "app/cli/fetch/verdict.h"
#include "core/engine/time.h"

#include <QSqlDatabase>
#include <QString>

#include <map>
#include <memory>
#include <string>

namespace throttlescope::fetch {

/// The settled answers of one worklist in a SQLite file: a row each, on disk when settle() returns. Nothing about a limit
/// or a refusal is in it. Exclusively locked as long as it is open.
class Checkpoint {
public:
    /// Makes the file where there is none. One that is damaged, another program's, of a newer format or of another
    /// worklist is refused and stays as it is.
    static OrProblem<std::unique_ptr<Checkpoint>> open(const std::string &file, const std::string &fingerprint);
    /// What it has settled, without changing anything; nothing where there is no file or an empty one. Refuses what open()
    /// refuses, and one that a fetch left in the middle of a write: only open() mends it.
    static OrProblem<std::map<std::string, Settled>> read(const std::string &file, const std::string &fingerprint);
    ~Checkpoint();
    Checkpoint(const Checkpoint &) = delete;
    Checkpoint &operator=(const Checkpoint &) = delete;

    const std::map<std::string, Settled> &settled() const { return m_settled; } ///< by id
    OrProblem<void> settle(const std::string &id, const Settled &settled, WallTime at);

private:
    enum class Access { Write, Read };
    Checkpoint(const std::string &file, QString connection, Access access);
    static OrProblem<std::unique_ptr<Checkpoint>> locked(const std::string &file, Access access);
    OrProblem<void> lock(Access access);
    bool isNew();
    OrProblem<void> check(const std::string &fingerprint);
    OrProblem<void> create(const std::string &fingerprint);
    OrProblem<void> load();
    std::optional<QString> run(const QString &statement);
    QVariant value(const QString &query);
    tl::unexpected<Problem> damaged(const std::string &what) const;

    std::string m_file;
    QString m_connection; ///< Qt knows a database by a name
    QSqlDatabase m_database;
    std::map<std::string, Settled> m_settled;
};

} // namespace throttlescope::fetch
