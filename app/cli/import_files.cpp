// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/import_files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace throttlescope::cli {

WholeFile::WholeFile(std::filesystem::path place)
    : m_place(std::move(place))
    , m_real(m_place)
{
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(m_place, error); // what a link leads to, not the link
    if (!error)
        m_real = real;
    if (std::filesystem::exists(m_real, error) && !std::filesystem::is_regular_file(m_real, error)) {
        m_problem = fmt::format("{} cannot be written, expected a file's name", m_place.string());
        return;
    }
    m_temporary = m_real.string() + ".XXXXXX";
    const int descriptor = ::mkstemp(m_temporary.data());
    if (descriptor < 0) {
        m_temporary.clear();
        fail();
        return;
    }
    const mode_t mask = ::umask(0); // mkstemp keeps it to its owner, which is not what a file of one's own is
    ::umask(mask);
    ::fchmod(descriptor, 0666 & ~mask);
    m_file.reset(::fdopen(descriptor, "wb"));
}

WholeFile::~WholeFile()
{
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

bool WholeFile::write(std::string_view text)
{
    return m_problem.empty() && (std::fwrite(text.data(), 1, text.size(), m_file.get()) == text.size() || fail());
}

bool WholeFile::close()
{
    if (!m_problem.empty())
        return false;
    // A full disk may only show now.
    const bool reached = std::fflush(m_file.get()) == 0 && ::fsync(::fileno(m_file.get())) == 0;
    if (!reached)
        return fail();
    m_file.reset();
    return true;
}

bool WholeFile::put()
{
    if (!m_problem.empty() || (m_file && !close()))
        return false;
    if (::rename(m_temporary.c_str(), m_real.c_str()) != 0)
        return fail();
    m_temporary.clear();
    return true;
}

bool WholeFile::fail()
{
    m_problem = fmt::format("{} cannot be written ({})", m_place.string(), std::strerror(errno));
    return false;
}

} // namespace throttlescope::cli
