// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/fates.h"

#include "core/engine/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope {

namespace {

const std::vector<Fates::Operation> &operationsOf(const Fates &fates, const std::string &name)
{
    static const std::vector<Fates::Operation> none;
    const auto found = fates.byName().find(name);
    return found == fates.byName().end() ? none : found->second;
}

} // namespace

std::string fateText(const Fate &fate)
{
    return fmt::format("{}{}{}", word(fate.result), fate.viaFallback ? " through the fallback" : "",
        fate.reason ? fmt::format(" ({})", word(*fate.reason)) : "");
}

void Fates::accept(const journal::Event &event)
{
    if (std::holds_alternative<journal::OperationStarted>(event.payload)) {
        auto known = m_byName.find(event.operation);
        if (known == m_byName.end())
            known = m_byName.emplace(event.operation, std::vector<Operation>{}).first;
        known->second.push_back({event.op, {}});
        m_open[event.op] = {&*known, known->second.size() - 1};
    } else if (const auto *finished = std::get_if<journal::OperationFinished>(&event.payload)) {
        const auto open = m_open.find(event.op);
        if (open == m_open.end())
            return; // its beginning is not in the journal
        const auto &[name, place] = open->second;
        name->second[place].fate = {finished->result, finished->reason ? finished->reason : finished->rejected, finished->viaFallback};
        m_open.erase(open);
    }
}

std::vector<FateChange> fateChanges(const Fates &before, const Fates &after)
{
    std::vector<FateChange> changes;
    const auto take
        = [&changes](const std::string &name, std::size_t place, const Fates::Operation *first, const Fates::Operation *second) {
              const std::optional<Fate> from = first ? std::optional{first->fate} : std::nullopt;
              const std::optional<Fate> to = second ? std::optional{second->fate} : std::nullopt;
              if (from == to)
                  return;
              auto known = std::find_if(
                  changes.begin(), changes.end(), [&](const FateChange &each) { return each.before == from && each.after == to; });
              if (known == changes.end())
                  known = changes.insert(changes.end(), {from, to, 0, name, place + 1, first ? first->id : 0, second ? second->id : 0});
              ++known->count;
          };
    std::vector<std::string> names;
    for (const Fates *fates : {&before, &after}) {
        for (const auto &[name, operations] : fates->byName())
            names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string &name : names) {
        const auto &first = operationsOf(before, name);
        const auto &second = operationsOf(after, name);
        for (std::size_t place = 0; place < std::max(first.size(), second.size()); ++place)
            take(name, place, place < first.size() ? &first[place] : nullptr, place < second.size() ? &second[place] : nullptr);
    }
    std::stable_sort(changes.begin(), changes.end(), [](const FateChange &a, const FateChange &b) { return a.count > b.count; });
    return changes;
}

} // namespace throttlescope
