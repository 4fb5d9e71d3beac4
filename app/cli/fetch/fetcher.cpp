// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/fetcher.h"

#include "core/engine/words.h"
#include "simulator/scenario/policy_text.h"

#include <QFuture>

#include <algorithm>

namespace throttlescope::fetch {

Fetcher::Fetcher(FetchSetup setup)
    : m_setup(std::move(setup))
    , m_allowance(m_setup.maxRequests)
    , m_retriesOn(retries(*m_setup.policy))
{
    net::ClientOptions options = m_setup.client;
    options.policy = m_setup.policy;
    options.journal = m_setup.journal;
    m_client = std::make_unique<net::Client>(std::move(options));
    m_setup.journal->setOnSent([this] {
        if (m_retriesOn && m_allowance.endsRetries(m_setup.journal->sent(), m_toCome))
            endRetries();
    });
    m_reports.reserve(m_setup.plan.order.size());
}

Fetcher::~Fetcher()
{
    m_setup.journal->setOnSent({});
    m_client.reset(); // reports what is open: while the rest of this is still there
}

void Fetcher::start()
{
    QMetaObject::invokeMethod(this, &Fetcher::handOver, Qt::QueuedConnection);
}

void Fetcher::interrupt()
{
    m_interrupted = true;
    stop();
}

void Fetcher::handOver()
{
    const auto &order = m_setup.plan.order;
    while (!m_stopping && m_next < order.size() && m_open < m_setup.concurrency) {
        const std::uint64_t sent = requests();
        if (m_allowance.usedUp(sent))
            break;
        const std::size_t most = Allowance::mostOf(m_setup.items[order[m_next]].method);
        if (m_retriesOn && m_allowance.endsRetries(sent, m_toCome, most))
            endRetries();
        const bool fits = m_allowance.admits(sent, m_toCome, m_retriesOn, most);
        if (!fits && m_open > 0)
            break; // an answer to come makes room
        const std::size_t item = order[m_next++];
        if (fits)
            ask(item);
        else
            report(item, fetch::unchecked("max_requests"), false);
    }
    const bool noMore = m_next == order.size() || m_allowance.usedUp(requests());
    if (!m_stopping && m_open == 0 && noMore)
        stop();
}

void Fetcher::ask(std::size_t index)
{
    const Item &item = m_setup.items[index];
    net::Request request = requestOf(item);
    for (const HeaderField &header : m_setup.credentials) {
        if (!findHeader(request.headers, header.name))
            request.headers.push_back(header);
    }
    // Qt repeats a request without a body by itself when a connection closes early; one with a device it does not. A HEAD
    // cannot have one (Qt would wait for the answer's body).
    if (m_allowance.limited() && std::holds_alternative<std::monostate>(request.body) && request.method != "HEAD")
        request.body = QByteArray{};
    ++m_open;
    m_toCome += Allowance::mostOf(item.method);
    m_client->send(std::move(request)).then(this, [this, index](const net::Result &result) { answered(index, result); });
}

/// May run inside a turn of the client.
void Fetcher::answered(std::size_t index, const net::Result &result)
{
    const Item &item = m_setup.items[index];
    --m_open;
    m_toCome -= Allowance::mostOf(item.method);
    const bool acknowledged = m_setup.acknowledged.contains(item.id);
    const Settled *earlier = nullptr;
    if (m_setup.checkpoint) {
        const auto known = m_setup.checkpoint->settled().find(item.id);
        earlier = known == m_setup.checkpoint->settled().end() ? nullptr : &known->second;
    }
    Judgement judgement = judge(result, earlier, acknowledged, m_setup.client.largestBody);
    if (m_retriesEnded && result.error && result.error->reason == RefusalReason::RetryOff)
        judgement.reason = "max_requests";
    if (judgement.settled) {
        if (auto kept = keep(item, judgement, result); !kept) {
            m_problem = kept.error();
            judgement = fetch::unchecked("not_kept");
        }
    }
    report(index, std::move(judgement), acknowledged);
    if (m_problem)
        stop();
    else
        QMetaObject::invokeMethod(this, &Fetcher::handOver, Qt::QueuedConnection);
}

/// The journal must not lag behind the checkpoint, the row must not be there before the files.
OrProblem<void> Fetcher::keep(const Item &item, const Judgement &judgement, const net::Result &result)
{
    const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    OrProblem<void> kept = m_setup.output ? m_setup.output->write(item, judgement, result, now) : OrProblem<void>{};
    if (kept)
        kept = m_setup.journal->flush();
    if (kept && m_setup.checkpoint)
        kept = m_setup.checkpoint->settle(item.id, *judgement.settled, now);
    return kept;
}

void Fetcher::report(std::size_t index, Judgement &&judgement, bool acknowledged)
{
    m_unchecked += judgement.verdict == Verdict::Unchecked ? 1 : 0;
    acknowledged = acknowledged && (judgement.verdict == Verdict::Changed || judgement.verdict == Verdict::NoSuch);
    m_reports.push_back({index, std::move(judgement), acknowledged});
    Q_EMIT progressed();
}

void Fetcher::endRetries()
{
    m_retriesOn = false;
    m_retriesEnded = true;
    auto off = std::make_shared<Policy>(*m_setup.policy);
    off->retry = false;
    m_client->replacePolicy(std::move(off));
}

void Fetcher::replacePolicy(std::shared_ptr<const Policy> policy)
{
    if (!m_client)
        return;
    m_setup.policy = std::move(policy);
    m_retriesOn = retries(*m_setup.policy);
    if (m_retriesEnded)
        endRetries();
    else
        m_client->replacePolicy(m_setup.policy, policyJson(*m_setup.policy));
}

/// Never in a turn of the client, which is destroyed here.
void Fetcher::stop()
{
    if (m_stopping)
        return;
    m_stopping = true;
    QMetaObject::invokeMethod(this, &Fetcher::conclude, Qt::QueuedConnection);
}

void Fetcher::conclude()
{
    m_setup.journal->setOnSent({});
    m_client.reset(); // what is open ends, and is reported
    const std::string_view why = m_allowance.usedUp(requests()) && !m_interrupted && !m_problem ? "max_requests" : "not_asked";
    while (m_next < m_setup.plan.order.size())
        report(m_setup.plan.order[m_next++], fetch::unchecked(why), false);
    if (auto flushed = m_setup.journal->flush(); !flushed && !m_problem)
        m_problem = flushed.error();
    Q_EMIT finished();
}

} // namespace throttlescope::fetch
