// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/problem.h"
#include "app/cli/fetch/redactor.h"
#include "app/cli/fetch/verdict.h"
#include "app/cli/fetch/worklist.h"

#include <QString>

#include <string>
#include <string_view>

namespace throttlescope::fetch {

/// A name that every file system takes, whatever the id: no path, no letter case that matters, never two ids one name.
std::string fileName(std::string_view id);

/// A body and a meta file for each settled answer, each written whole or not at all.
class OutputFolder {
public:
    /// Makes the folder where there is none. `secrets`: a header of a response that repeats one is left out of the meta file.
    static OrProblem<OutputFolder> open(const std::string &folder, Redactor secrets);

    OrProblem<void> write(const Item &item, const Judgement &judgement, const net::Result &result, WallTime at) const;

private:
    OutputFolder(QString folder, Redactor secrets)
        : m_folder(std::move(folder))
        , m_secrets(std::move(secrets))
    {
    }
    std::string meta(const Item &item, const Judgement &judgement, const net::Result &result, WallTime at) const;
    OrProblem<void> write(const std::string &name, std::string_view bytes) const;

    QString m_folder;
    Redactor m_secrets;
};

} // namespace throttlescope::fetch
