// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/lod.h"

#include <algorithm>

namespace throttlescope::dashboard {

namespace {

__extension__ using Wide = __int128; ///< a product of a time and a width

template <typename T>
std::size_t bytesOf(const std::vector<T> &values)
{
    return values.capacity() * sizeof(T);
}

} // namespace

int PixelRange::columnOf(MonotonicTime time) const
{
    return static_cast<int>(static_cast<Wide>((time - from).count()) * width / (to - from).count());
}

MonotonicTime PixelRange::beginOf(int column) const
{
    // Rounded up, so that columnOf() says the same.
    const Wide product = static_cast<Wide>((to - from).count()) * column;
    return from + Duration{static_cast<std::int64_t>((product + width - 1) / width)};
}

void LodSeries::append(const Sample &sample)
{
    const std::size_t index = m_at.size();
    if (index % kBlock == 0) {
        ClassCounts counts{};
        if (index > 0)
            counts = countsBefore(index);
        m_countsBefore.push_back(counts);
        m_blocks.emplace_back();
        if (index % (kBlock * kBlock) == 0)
            m_blockGroups.emplace_back();
    }
    m_at.push_back(sample.at);
    m_values.push_back(sample.value);
    m_classes.push_back(sample.sampleClass);
    m_rows.push_back(sample.row);
    m_blocks.back().include(sample.value, sample.value);
    m_blockGroups.back().include(sample.value, sample.value);
}

std::pair<std::size_t, std::size_t> LodSeries::between(MonotonicTime from, MonotonicTime to) const
{
    const auto begin = std::lower_bound(m_at.begin(), m_at.end(), from);
    const auto end = std::lower_bound(begin, m_at.end(), std::max(from, to));
    return {begin - m_at.begin(), end - m_at.begin()};
}

/// The next column begins near the last one's end: steps that double, then halves.
std::size_t LodSeries::firstAt(MonotonicTime time, std::size_t from) const
{
    std::size_t step = 1;
    std::size_t low = from;
    while (low + step < m_at.size() && m_at[low + step] < time) {
        low += step;
        step *= 2;
    }
    const auto begin = m_at.begin() + static_cast<std::ptrdiff_t>(low);
    const auto end = m_at.begin() + static_cast<std::ptrdiff_t>(std::min(low + step + 1, m_at.size()));
    return static_cast<std::size_t>(std::lower_bound(begin, end, time) - m_at.begin());
}

void LodSeries::includeSamples(Extremes &extremes, std::size_t begin, std::size_t end) const
{
    for (std::size_t i = begin; i < end; ++i)
        extremes.include(m_values[i], m_values[i]);
}

LodSeries::Extremes LodSeries::extremes(std::size_t begin, std::size_t end) const
{
    Extremes found;
    for (std::size_t i = begin; i < end;) {
        if (i % (kBlock * kBlock) == 0 && i + kBlock * kBlock <= end) {
            const Extremes &group = m_blockGroups[i / (kBlock * kBlock)];
            found.include(group.least, group.most);
            i += kBlock * kBlock;
        } else if (i % kBlock == 0 && i + kBlock <= end) {
            const Extremes &block = m_blocks[i / kBlock];
            found.include(block.least, block.most);
            i += kBlock;
        } else {
            const std::size_t stop = std::min(end, (i / kBlock + 1) * kBlock);
            includeSamples(found, i, stop);
            i = stop;
        }
    }
    return found;
}

ClassCounts LodSeries::countsBefore(std::size_t index) const
{
    if (index == 0)
        return {};
    const std::size_t block = (index - 1) / kBlock;
    ClassCounts counts = m_countsBefore[block];
    for (std::size_t i = block * kBlock; i < index; ++i)
        ++counts[m_classes[i]];
    return counts;
}

LodColumn LodSeries::summary(std::size_t begin, std::size_t end) const
{
    const Extremes found = extremes(begin, end);
    LodColumn column{found.least, found.most, static_cast<std::uint32_t>(end - begin), countsBefore(end)};
    const ClassCounts before = countsBefore(begin);
    for (std::size_t i = 0; i < kLodClasses; ++i)
        column.byClass[i] -= before[i];
    return column;
}

void LodSeries::read(const PixelRange &range, std::vector<LodColumn> &columns) const
{
    columns.assign(static_cast<std::size_t>(std::max(range.width, 0)), LodColumn{});
    if (range.isEmpty())
        return;
    std::size_t begin = between(range.from, range.from).first;
    ClassCounts before = countsBefore(begin); // a column begins where the last one ended
    for (int column = 0; column < range.width && begin < m_at.size(); ++column) {
        const MonotonicTime stop = range.beginOf(column + 1);
        if (m_at[begin] >= stop)
            continue;
        const std::size_t end = firstAt(stop, begin);
        const Extremes found = extremes(begin, end);
        LodColumn &read = columns[static_cast<std::size_t>(column)];
        read = {found.least, found.most, static_cast<std::uint32_t>(end - begin), {}};
        if (end - begin <= kBlock) {
            for (std::size_t i = begin; i < end; ++i)
                ++read.byClass[m_classes[i]];
            for (std::size_t i = 0; i < kLodClasses; ++i)
                before[i] += read.byClass[i];
        } else {
            const ClassCounts after = countsBefore(end);
            for (std::size_t i = 0; i < kLodClasses; ++i)
                read.byClass[i] = after[i] - before[i];
            before = after;
        }
        begin = end;
    }
}

std::size_t LodSeries::bytes() const
{
    return bytesOf(m_at) + bytesOf(m_values) + bytesOf(m_classes) + bytesOf(m_rows) + bytesOf(m_blocks) + bytesOf(m_blockGroups)
        + bytesOf(m_countsBefore);
}

} // namespace throttlescope::dashboard
