// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/theme/heat_scale.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace throttlescope::dashboard {

namespace {

/// Oklab (Ottosson 2020): lightness, green to red, blue to yellow.
using Lab = std::array<double, 3>;

double linear(double part)
{
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
}

float encoded(double part)
{
    const double in = std::clamp(part, 0.0, 1.0);
    return static_cast<float>(in <= 0.0031308 ? in * 12.92 : 1.055 * std::pow(in, 1 / 2.4) - 0.055);
}

Lab labOf(const QColor &colour)
{
    const double r = linear(colour.redF()), g = linear(colour.greenF()), b = linear(colour.blueF());
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

QColor colourOf(const Lab &lab)
{
    const auto cube = [](double value) { return value * value * value; };
    const double l = cube(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2]);
    const double m = cube(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2]);
    const double s = cube(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2]);
    return QColor::fromRgbF(encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
        encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s), encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

double luminance(const QColor &colour)
{
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

} // namespace

QColor heatColour(double shade, Look look)
{
    const bool light = look == Look::Light;
    const Lab faint = labOf(QColor{light ? "#E9F2F8" : "#232C35"}), strong = labOf(QColor{light ? "#004A78" : "#BFE3F8"});
    const double share = std::clamp(shade, 0.0, 1.0);
    Lab mixed{};
    for (std::size_t i = 0; i < mixed.size(); ++i)
        mixed.at(i) = faint.at(i) + (strong.at(i) - faint.at(i)) * share;
    return colourOf(mixed);
}

QColor inkOn(const QColor &ground)
{
    return luminance(ground) > 0.179 ? QColor{"#000000"} : QColor{"#FFFFFF"};
}

} // namespace throttlescope::dashboard
