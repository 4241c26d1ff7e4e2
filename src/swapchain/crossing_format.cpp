#include "swapchain/crossing_format.h"

#include "color/format.h"

namespace tandem::swapchain {
namespace {

struct Row {
  DXGI_FORMAT rendered;
  ShownDepth shown;
  CrossingFormat crossing;
};

constexpr Row kRows[] = {
    {DXGI_FORMAT_R16G16B16A16_FLOAT, ShownDepth::kEightBits, {DXGI_FORMAT_B8G8R8A8_UNORM, CrossingCurve::kLinearToSrgb}},
    {DXGI_FORMAT_R16G16B16A16_FLOAT, ShownDepth::kTenBits, {DXGI_FORMAT_R10G10B10A2_UNORM, CrossingCurve::kLinearToSrgb}},
    {DXGI_FORMAT_R10G10B10A2_UNORM, ShownDepth::kEightBits, {DXGI_FORMAT_B8G8R8A8_UNORM, CrossingCurve::kNone}},
};

}  // namespace

CrossingFormat CrossingFormatOf(DXGI_FORMAT rendered, ShownDepth shown) {
  for (const Row& row : kRows) {
    if (row.rendered == rendered && row.shown == shown) return row.crossing;
  }
  return {rendered, CrossingCurve::kNone};
}

std::string_view NameOf(DXGI_FORMAT crossing) {
  return crossing == DXGI_FORMAT_NV12 ? "NV12" : color::ToString(static_cast<color::Format>(crossing));
}

}  // namespace tandem::swapchain
