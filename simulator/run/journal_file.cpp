// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/journal_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace throttlescope {

std::string journalError(const std::filesystem::path &path, int code)
{
    return fmt::format("{}: the journal cannot be written ({})", path.string(), std::strerror(code));
}

JournalFile::JournalFile(const std::filesystem::path &path)
    : m_path(path)
{
    if (path.empty())
        return;
    m_file.reset(std::fopen(path.c_str(), "wb"));
    if (m_file)
        m_writer.emplace(m_file.get());
    else
        m_error = errno;
}

std::string JournalFile::finish()
{
    if (m_writer && !m_writer->flush())
        m_error = m_writer->error();
    return m_error == 0 ? std::string{} : journalError(m_path, m_error);
}

} // namespace throttlescope
