// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_store.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

/// Level of detail: what of many samples is seen in so many pixels. Knows no plot.
namespace throttlescope::dashboard {

/// From `from` up to, not including, `to`, in `width` columns of a pixel.
struct PixelRange {
    MonotonicTime from, to;
    int width = 0;

    bool isEmpty() const { return width <= 0 || to <= from; }
    /// Where a moment of the range is drawn.
    int columnOf(MonotonicTime time) const;
    /// The first moment that is drawn in that column, or beyond.
    MonotonicTime beginOf(int column) const;
};

inline constexpr std::size_t kLodClasses = 8;
using ClassCounts = std::array<std::uint32_t, kLodClasses>;

/// What one column of a pixel shows. `least` and `most` mean nothing where `count` is 0.
struct LodColumn {
    float least = std::numeric_limits<float>::infinity();
    float most = -std::numeric_limits<float>::infinity();
    std::uint32_t count = 0;
    ClassCounts byClass{};
    bool operator==(const LodColumn &) const = default;
};

/// Samples in order of time, each with a value, a class (an outcome) and the row it comes from; 17 bytes each, and a
/// pyramid of extremes and counts over them that takes half a byte more. A question costs by the width, not by the samples.
class LodSeries {
public:
    struct Sample {
        MonotonicTime at;
        float value;
        std::uint8_t sampleClass; ///< below kLodClasses
        Row row;
    };

    /// Not before the last one.
    void append(const Sample &sample);
    void clear() { *this = LodSeries{}; }

    std::size_t size() const { return m_at.size(); }
    Sample sample(std::size_t index) const { return {m_at[index], m_values[index], m_classes[index], m_rows[index]}; }
    /// Positions of the samples from `from` up to, not including, `to`.
    std::pair<std::size_t, std::size_t> between(MonotonicTime from, MonotonicTime to) const;
    /// `columns` gets one entry a pixel.
    void read(const PixelRange &range, std::vector<LodColumn> &columns) const;
    /// Least and most value of the samples [begin, end); counts too.
    LodColumn summary(std::size_t begin, std::size_t end) const;
    std::size_t bytes() const;

private:
    static constexpr std::size_t kBlock = 64;
    struct Extremes {
        float least = std::numeric_limits<float>::infinity();
        float most = -std::numeric_limits<float>::infinity();
        void include(float from, float to)
        {
            least = from < least ? from : least;
            most = to > most ? to : most;
        }
    };

    std::size_t firstAt(MonotonicTime time, std::size_t from) const;
    void includeSamples(Extremes &extremes, std::size_t begin, std::size_t end) const;
    Extremes extremes(std::size_t begin, std::size_t end) const;
    ClassCounts countsBefore(std::size_t index) const;

    std::vector<MonotonicTime> m_at;
    std::vector<float> m_values;
    std::vector<std::uint8_t> m_classes;
    std::vector<Row> m_rows;
    std::vector<Extremes> m_blocks; ///< of kBlock samples each
    std::vector<Extremes> m_blockGroups; ///< of kBlock blocks each
    std::vector<ClassCounts> m_countsBefore; ///< each block
};

} // namespace throttlescope::dashboard
