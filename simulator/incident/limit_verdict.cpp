// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_verdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace throttlescope::incident {

namespace {

constexpr double kExplainsEnough = 0.85;
constexpr double kNearEnough = 0.0201;
constexpr double kClearlyBetter = 0.15; ///< of the windows

/// Of the windows; one that would only fit if something was lost explains a little less.
double quality(const Fit &fit)
{
    const Candidate &c = fit.candidate;
    return c.windows == 0 ? 0 : (static_cast<double>(c.fits) + 0.75 * static_cast<double>(c.nearly)) / static_cast<double>(c.windows);
}

/// What the share of windows explained is at least, most probably (Wilson's bound): 40 of 41 says more than 1 of 1.
double evidence(const Fit &fit)
{
    constexpr double z2 = 1.64 * 1.64;
    const double n = static_cast<double>(fit.candidate.windows), p = quality(fit);
    if (n == 0)
        return 0;
    return (p + z2 / (2 * n) - std::sqrt(z2 * (p * (1 - p) + z2 / (4 * n)) / n)) / (1 + z2 / n);
}

bool sameQuota(const Candidate &a, const Candidate &b)
{
    const std::int64_t apart = std::abs(a.limit.quota - b.limit.quota);
    return apart == 0 || ((a.approximate || b.approximate) && apart * 50 <= std::max(a.limit.quota, b.limit.quota));
}

/// One in a period is the same whether the period slides, begins with the request, or is what a single token takes.
bool isOneAtATime(const InferredLimit &limit)
{
    switch (limit.kind) {
    case WindowKind::Fixed: return limit.quota == 1 && limit.alignment == Alignment::FirstRequest;
    case WindowKind::Sliding: return limit.quota == 1 && !limit.countsRefused;
    case WindowKind::TokenBucket: break;
    }
    return limit.burst == 1;
}

double rate(const InferredLimit &limit)
{
    return static_cast<double>(limit.quota) / secondsOf(limit.per);
}

bool behavesAlike(const InferredLimit &a, const InferredLimit &b)
{
    return isOneAtATime(a) && isOneAtATime(b) && a.perKey == b.perKey && std::abs(rate(a) - rate(b)) <= 0.02 * rate(a);
}

/// Not clearly worse. Where one explains every window, nothing was lost, and one that does not is refuted. A limit of which
/// the log shows hardly a window cannot be refuted by it; that alone is no case for it.
bool holdsAgainst(const Fit &fit, const Fit &top)
{
    if (fit.windows() < std::min(kFewestWindows, top.windows()))
        return false;
    const bool topIsPerfect = top.candidate.fits == top.candidate.windows && top.candidate.windows >= kFewestWindows;
    if (topIsPerfect && fit.misses() > 0)
        return false;
    const bool missesManyMore = fit.misses() >= 2 * top.misses() + std::max<std::int64_t>(3, fit.candidate.windows / 25);
    return !missesManyMore && quality(fit) > quality(top) - kClearlyBetter;
}

Settled settledBy(const std::vector<const Fit *> &alike, bool hasManyKeys)
{
    const Fit &top = *alike.front();
    const InferredLimit &limit = top.candidate.limit;
    const bool isBucket = limit.kind == WindowKind::TokenBucket;
    Settled settled{top.uncertainty <= kNearEnough, true, true, true, true, hasManyKeys, isBucket && (top.burstSeen || limit.burst == 1)};
    for (const Fit *fit : alike) {
        const InferredLimit &other = fit->candidate.limit;
        settled.quota = settled.quota && sameQuota(top.candidate, fit->candidate);
        settled.per = settled.per && other.per == limit.per;
        settled.kind = settled.kind && other.kind == limit.kind;
        settled.alignment = settled.alignment && other.alignment == limit.alignment;
        settled.countsRefused = settled.countsRefused && other.countsRefused == limit.countsRefused;
        settled.perKey = settled.perKey && other.perKey == limit.perKey;
        settled.burst = settled.burst && other.burst == limit.burst;
    }
    return settled;
}

std::string reasonAgainst(const std::vector<const Fit *> &alike, const Settled &settled)
{
    const Candidate &top = alike.front()->candidate;
    if (const std::int64_t windows = alike.front()->windows(); windows < kFewestWindows)
        return fmt::format("only {} window{} filled, {} are needed", windows, windows == 1 ? " was" : "s were", kFewestWindows);
    for (const Fit *fit : alike) {
        const Candidate &other = fit->candidate;
        if (!sameQuota(top, other) || other.limit.per != top.limit.per || other.limit.kind != top.limit.kind)
            return fmt::format("could be {} ({} of {} windows) as well as {} ({} of {})", limitWords(top.limit), top.fits + top.nearly,
                top.windows, limitWords(other.limit), other.fits + other.nearly, other.windows);
    }
    if (!settled.quota)
        return fmt::format(
            "the quota in {} could be up to {:.0f} % more", limitWords(top.limit), std::ceil(100 * alike.front()->uncertainty));
    return {};
}

std::string perWords(Duration per)
{
    const std::int64_t seconds = per.count() / 1'000'000;
    if (per.count() % 1'000'000 != 0)
        return fmt::format("{}ms", per.count() / 1000);
    for (const auto &[length, name] : {std::pair{86'400, "day"}, {3600, "h"}, {60, "min"}, {1, "s"}}) {
        if (seconds % length == 0)
            return seconds == length ? std::string{name} : fmt::format("{} {}", seconds / length, name);
    }
    return {};
}

/// Of what looks the same, the one that people are likelier to have: a bucket of one (nginx's limit_req without a burst)
/// before one request a period; and a window that began on the calendar every time did so by the calendar.
void prefer(std::vector<Fit> &fits)
{
    const Fit top = fits.front();
    const auto better = std::find_if(fits.begin() + 1, fits.end(), [&top](const Fit &fit) {
        const InferredLimit &a = top.candidate.limit, &b = fit.candidate.limit;
        if (!isPlausible(fit) || !holdsAgainst(fit, top))
            return false;
        if (b.kind == WindowKind::TokenBucket)
            return a.kind != b.kind && behavesAlike(a, b);
        const bool sameButAlignment = a.kind == b.kind && a.per == b.per && a.perKey == b.perKey && sameQuota(top.candidate, fit.candidate);
        return sameButAlignment && a.alignment == Alignment::FirstRequest && b.alignment == Alignment::Calendar;
    });
    if (better != fits.end())
        std::rotate(fits.begin(), better, better + 1);
}

} // namespace

bool isPlausible(const Fit &fit)
{
    // Of a bucket nearly all is near enough where requests are few.
    const bool isVague = fit.candidate.limit.kind == WindowKind::TokenBucket && 4 * fit.candidate.fits < fit.candidate.nearly;
    // What goes through steadily looks like any sliding window whose span the log's times do not tell well.
    const bool isLoose = fit.candidate.limit.kind == WindowKind::Sliding && 2 * fit.tight < fit.candidate.windows;
    return fit.share() >= kExplainsEnough && !isVague && !isLoose && !fit.isSteady;
}

Inference verdictOn(std::vector<Fit> fits, bool hasManyKeys)
{
    Inference inference;
    std::stable_sort(fits.begin(), fits.end(), [](const Fit &a, const Fit &b) {
        return std::pair{isPlausible(a), evidence(a)} > std::pair{isPlausible(b), evidence(b)};
    });
    if (fits.empty()) {
        inference.why = "no window was filled that the log shows from its beginning";
        return inference;
    }
    prefer(fits);
    const Fit &top = fits.front();
    std::vector<const Fit *> alike;
    for (const Fit &fit : fits) {
        const bool isRival = &fit != &top && !behavesAlike(fit.candidate.limit, top.candidate.limit);
        if (isRival && !inference.runnerUp && fit.candidate.fits > 0)
            inference.runnerUp = fit.candidate;
        if (isPlausible(fit) && (&fit == &top || (isRival && holdsAgainst(fit, top))))
            alike.push_back(&fit);
    }
    if (alike.empty() || alike.front() != &top) {
        inference.why = fmt::format("nothing explains it: {}, which explains most, fits {} of {} windows", limitWords(top.candidate.limit),
            top.candidate.fits + top.candidate.nearly, top.candidate.windows);
        return inference;
    }
    for (std::size_t i = 0; i < std::min(alike.size(), kMostCandidates); ++i)
        inference.candidates.push_back(alike[i]->candidate);
    inference.settled = settledBy(alike, hasManyKeys);
    inference.why = reasonAgainst(alike, inference.settled);
    if (inference.why.empty())
        inference.best = top.candidate;
    return inference;
}

std::string limitWords(const InferredLimit &limit)
{
    std::string words = fmt::format("{}/{}", limit.quota, perWords(limit.per));
    switch (limit.kind) {
    case WindowKind::Fixed:
        words += limit.alignment == Alignment::Calendar ? ", fixed, calendar" : ", fixed, from the first request";
        break;
    case WindowKind::Sliding: words += ", sliding"; break;
    case WindowKind::TokenBucket: words += fmt::format(", token bucket, burst {}", limit.burst.value_or(limit.quota)); break;
    }
    if (limit.countsRefused)
        words += ", refused requests count";
    return limit.perKey ? words + ", per key" : words;
}

} // namespace throttlescope::incident
