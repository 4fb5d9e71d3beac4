// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/sweep/sweep_session.h"

#include "app/dashboard/data/whole_file.h"
#include "simulator/scenario/file_text.h"
#include "simulator/sweep/sweep_runner.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

namespace throttlescope::dashboard {

SweepSession::SweepSession(QObject *parent)
    : QObject(parent)
{
}

SweepSession::~SweepSession()
{
    join();
}

QString SweepSession::open(const QString &file)
{
    auto read = readSweep(file.toStdString());
    if (!read)
        return QString::fromStdString(read.error());
    auto result = sweepResult(std::move(*read));
    if (!result)
        return tr("%1: %2").arg(file, QString::fromStdString(result.error()));
    join();
    m_failure.clear();
    m_known = result->axes;
    m_result = std::make_shared<const SweepResult>(std::move(*result));
    findScenario(QFileInfo{file}.path());
    const bool tipsAreDue = m_result->isWhole() && !m_result->file.tips && !m_text.empty();
    Q_EMIT changed();
    if (tipsAreDue)
        begin(false);
    return {};
}

/// As it was named, from here or from beside the sweep.
void SweepSession::findScenario(const QString &beside)
{
    m_text.clear();
    m_scenarioFile.clear();
    m_remark.clear();
    const QString named = QString::fromStdString(m_result->header().file);
    for (const QString &place : {named, QDir{beside}.filePath(named), QDir{beside}.filePath(QFileInfo{named}.fileName())}) {
        if (m_scenarioFile.isEmpty() && QFileInfo{place}.isFile())
            m_scenarioFile = place;
    }
    const auto text = readFile(m_scenarioFile.toStdString(), kLargestScenario);
    if (m_scenarioFile.isEmpty() || !text) {
        m_remark = tr("%1 is not to be found from here: its runs cannot be opened").arg(named);
        return;
    }
    const auto draft = PolicyDraft::open(*text, m_scenarioFile.toStdString(), {m_result->header().set, m_result->header().firstSeed});
    if (!draft || draft->scenario()->scenario.hash != m_result->header().hash) {
        m_remark = tr("%1 has changed since: its runs come out as it is now").arg(QFileInfo{named}.fileName());
        return; // nothing new is mixed with what is old
    }
    m_text = *text;
    markKnownValues(m_known, *draft);
    auto marked = std::make_shared<SweepResult>(*m_result);
    marked->axes = m_known;
    m_result = std::move(marked);
}

void SweepSession::start(SweepHeader header, const PolicyDraft &draft)
{
    join();
    auto result = sweepResult({std::move(header), {}, 0, {}});
    if (!result) {
        m_failure = QString::fromStdString(result.error());
        Q_EMIT stateChanged();
        return;
    }
    markKnownValues(result->axes, draft);
    m_known = result->axes;
    m_result = std::make_shared<const SweepResult>(std::move(*result));
    m_text = draft.text();
    m_scenarioFile = QString::fromStdString(draft.file());
    m_remark.clear();
    Q_EMIT changed();
    begin(true);
}

void SweepSession::goOn()
{
    if (canGoOn())
        begin(true);
}

void SweepSession::begin(bool runs)
{
    join();
    m_failure.clear();
    m_running = true;
    m_cancelled = false;
    m_thread = std::thread{[this, file = m_result->file, runs]() mutable { work(std::move(file), runs); }};
    Q_EMIT stateChanged();
}

void SweepSession::cancel()
{
    m_cancelled = true;
}

void SweepSession::join()
{
    m_cancelled = true;
    if (m_thread.joinable())
        m_thread.join();
    const std::lock_guard lock{m_mutex};
    m_letter.reset(); // late
    m_running = false;
}

void SweepSession::finish()
{
    if (m_thread.joinable())
        m_thread.join();
    take();
}

/// On the thread: what it reads of the session stays as it is for as long as it runs.
void SweepSession::work(SweepFile file, bool runs)
{
    using Clock = std::chrono::steady_clock;
    const auto made = [this](const SweepFile &now) {
        auto result = sweepResult(now);
        result->axes = m_known;
        return std::make_shared<const SweepResult>(std::move(*result));
    };
    SweepPointer whole = made(file);
    const LoadPoint load = loadingFrom(m_text, m_scenarioFile.toStdString(), {file.header.set, {}});
    Letter last;
    last.isLast = true;
    if (runs) {
        SweepOptions options{static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
            file.rows.empty() ? 0 : file.rows.back().run + 1, &m_cancelled};
        auto next = Clock::now() + kInterval;
        const auto errors = runSweep(whole->plan, file.header.metrics, load, options, [&](const SweepRow &row) {
            file.rows.push_back(row);
            if (const auto now = Clock::now(); now >= next) {
                send({made(file), {}, false});
                next = Clock::now() + std::max<Clock::duration>(kInterval, 4 * (Clock::now() - now));
            }
            return true;
        });
        last.failure = errors.empty() ? QString{} : QString::fromStdString(errors.front());
        whole = made(file);
    }
    if (whole->isWhole() && last.failure.isEmpty() && !m_cancelled) {
        send({whole, {}, false});
        file.tips = findTips(whole->plan, whole->points, load, {}, &m_cancelled);
        if (m_cancelled)
            file.tips.reset();
        whole = made(file);
    }
    last.result = std::move(whole);
    send(std::move(last));
}

void SweepSession::send(Letter letter)
{
    const std::lock_guard lock{m_mutex};
    const bool isAlone = !m_letter;
    m_letter = std::move(letter);
    if (isAlone)
        QMetaObject::invokeMethod(this, &SweepSession::take, Qt::QueuedConnection);
}

void SweepSession::take()
{
    std::optional<Letter> letter;
    {
        const std::lock_guard lock{m_mutex};
        letter.swap(m_letter);
    }
    if (!letter)
        return;
    m_result = std::move(letter->result);
    Q_EMIT changed();
    if (!letter->isLast)
        return;
    m_failure = letter->failure;
    m_running = false;
    Q_EMIT stateChanged();
}

QString SweepSession::saveTo(const QString &file) const
{
    if (!m_result)
        return tr("no sweep is open");
    return writeWhole(file, QByteArray::fromStdString(sweepText(m_result->file)));
}

} // namespace throttlescope::dashboard
