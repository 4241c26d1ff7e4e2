// Random stacks of planes on the software adapter. A stack that the check accepts equals a simple model, pixel by pixel; a
// refused stack is not shown.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "conform/rig.h"
#include "system/conformance_drivers.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 40, kHeight = 24;  // size of every surface
constexpr int kStacks = 300;

struct ModelPlane {
  std::vector<std::uint32_t> pixels;  // pixels of the whole surface
  RECT source, destination, clip;
  bool turned = false;
  bool blends = false;
};

std::uint32_t Blended(std::uint32_t over, std::uint32_t below) {
  const std::uint32_t rest = 255 - (over >> 24);
  std::uint32_t out = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const std::uint32_t under = ((below >> shift & 255) * rest + 127) / 255;
    out |= std::min<std::uint32_t>((over >> shift & 255) + under, 255) << shift;
  }
  return out;
}

// The source pixel whose area contains the destination pixel's centre.
std::uint32_t Nearest(LONG at, LONG from, LONG to) { return static_cast<std::uint32_t>((2 * at + 1) * from / (2 * to)); }

std::vector<std::uint32_t> Model(const std::vector<ModelPlane>& planes, std::uint32_t width, std::uint32_t height) {
  std::vector<std::uint32_t> picture(std::size_t{width} * height, 0);
  for (const ModelPlane& plane : planes) {
    const RECT& to = plane.destination;
    const LONG wide = to.right - to.left, high = to.bottom - to.top;
    for (LONG y = std::max(to.top, plane.clip.top); y < std::min(to.bottom, plane.clip.bottom); ++y) {
      for (LONG x = std::max(to.left, plane.clip.left); x < std::min(to.right, plane.clip.right); ++x) {
        const LONG column = plane.turned ? wide - 1 - (x - to.left) : x - to.left;
        const LONG row = plane.turned ? high - 1 - (y - to.top) : y - to.top;
        const std::uint32_t from_x =
            static_cast<std::uint32_t>(plane.source.left) + Nearest(column, plane.source.right - plane.source.left, wide);
        const std::uint32_t from_y =
            static_cast<std::uint32_t>(plane.source.top) + Nearest(row, plane.source.bottom - plane.source.top, high);
        const std::uint32_t pixel = plane.pixels[std::size_t{from_y} * kWidth + from_x];
        std::uint32_t& out = picture[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
        out = plane.blends ? Blended(pixel, out) : pixel;
      }
    }
  }
  return picture;
}

class Planes : public testing::Test {
 protected:
  Planes() : rig_({&system::SoftUnderTest(), &system::SoftUnderTest()}), user_(rig_.OpenDisplay()) {
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      surfaces_[i] = user_.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
      std::vector<std::uint32_t> pixels(std::size_t{kWidth} * kHeight);
      for (std::uint32_t& pixel : pixels) pixel = static_cast<std::uint32_t>(random_());
      user_.Write(surfaces_[i], pixels);
      pixels_[i] = std::move(pixels);
      handles_[i] = surfaces_[i].allocation;
    }
  }

  LONG Between(LONG least, LONG most) { return std::uniform_int_distribution<LONG>(least, most)(random_); }
  RECT RandomRect(LONG width, LONG height) {
    const LONG left = Between(0, width - 1), top = Between(0, height - 1);
    return {left, top, Between(left + 1, width), Between(top + 1, height)};
  }

  // Mostly a stack that can be shown.
  std::vector<ModelPlane> RandomStack() {
    std::vector<ModelPlane> stack(static_cast<std::size_t>(Between(1, 4)));
    const RECT screen{0, 0, Between(kWidth / 2, kWidth), Between(kHeight / 2, kHeight)};
    for (std::size_t i = 0; i < stack.size(); ++i) {
      ModelPlane& plane = stack[i];
      plane.pixels = pixels_[i];
      plane.destination = i == 0 ? screen : RandomRect(screen.right, screen.bottom);
      plane.source = RandomRect(kWidth, kHeight);
      if (Between(0, 9) != 0) {  // an extent that this scaling supports
        const LONG wide = plane.destination.right - plane.destination.left,
                   high = plane.destination.bottom - plane.destination.top;
        const LONG width = std::clamp<LONG>(Between((wide + 1) / 2, 2 * wide), 1, kWidth);
        const LONG height = std::clamp<LONG>(Between((high + 1) / 2, 2 * high), 1, kHeight);
        plane.source.left = Between(0, static_cast<LONG>(kWidth) - width);
        plane.source.top = Between(0, static_cast<LONG>(kHeight) - height);
        plane.source.right = plane.source.left + width;
        plane.source.bottom = plane.source.top + height;
      }
      plane.clip = Between(0, 2) == 0 ? RandomRect(screen.right, screen.bottom) : plane.destination;
      plane.turned = Between(0, 3) == 0;
      plane.blends = i != 0 && Between(0, 1) == 0;
    }
    return stack;
  }

  NTSTATUS Present(const std::vector<ModelPlane>& stack) {
    std::array<D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3, 4> attributes{};
    std::array<D3DKMT_MULTIPLANE_OVERLAY3, 4> planes{};
    std::array<D3DKMT_MULTIPLANE_OVERLAY3*, 4> pointers{};
    for (std::size_t i = 0; i < stack.size(); ++i) {
      attributes[i].SrcRect = stack[i].source;
      attributes[i].DstRect = stack[i].destination;
      attributes[i].ClipRect = stack[i].clip;
      attributes[i].Rotation = stack[i].turned ? D3DDDI_ROTATION_180 : D3DDDI_ROTATION_IDENTITY;
      attributes[i].Blend = stack[i].blends ? D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND : D3DKMT_MULTIPLANE_OVERLAY_BLEND_OPAQUE;
      planes[i].LayerIndex = static_cast<UINT>(stack.size() - 1 - i);  // here the lowest is first; layer 0 is on top
      planes[i].InputFlags.Enabled = 1;
      planes[i].FlipInterval = D3DDDI_FLIPINTERVAL_IMMEDIATE;
      planes[i].AllocationCount = 1;
      planes[i].pAllocationList = &handles_[i];
      planes[i].pPlaneAttributes = &attributes[i];
      pointers[i] = &planes[i];
    }
    D3DKMT_HANDLE context = user_.context();
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 present{};
    present.hAdapter = user_.adapter();
    present.ContextCount = 1;
    present.pContextList = &context;
    present.PresentPlaneCount = static_cast<UINT>(stack.size());
    present.ppPresentPlanes = pointers.data();
    return D3DKMTPresentMultiPlaneOverlay3(&present);
  }

  // The controller's documented limits.
  static bool CanBeShown(const std::vector<ModelPlane>& stack) {
    return std::all_of(stack.begin(), stack.end(), [&](const ModelPlane& plane) {
      const auto scales = [](LONG from, LONG to) { return to <= 2 * from && from <= 2 * to; };
      const RECT& to = plane.destination;
      const bool seen = std::max(to.left, plane.clip.left) < std::min(to.right, plane.clip.right) &&
                        std::max(to.top, plane.clip.top) < std::min(to.bottom, plane.clip.bottom);
      return seen && scales(plane.source.right - plane.source.left, to.right - to.left) &&
             scales(plane.source.bottom - plane.source.top, to.bottom - to.top);
    });
  }

  std::mt19937 random_{20261121};
  Rig rig_;
  UserDevice user_;
  std::array<Surface, 4> surfaces_;
  std::array<std::vector<std::uint32_t>, 4> pixels_;
  std::array<D3DKMT_HANDLE, 4> handles_{};
};

TEST_F(Planes, RandomStacks_AreShownAsTheModelHasThem_OrRefused) {
  int refused = 0;
  std::vector<std::vector<std::uint32_t>> due;
  for (int i = 0; i < kStacks && due.size() < RecordingOutput::kKept - 1; ++i) {
    const std::vector<ModelPlane> stack = RandomStack();
    const NTSTATUS status = Present(stack);
    ASSERT_EQ(status == STATUS_SUCCESS, CanBeShown(stack)) << i;
    if (status != STATUS_SUCCESS) {
      ASSERT_EQ(status, STATUS_NOT_SUPPORTED) << i;
      ++refused;
      continue;
    }
    user_.Finish();
    const auto shown = rig_.output().shown();
    ASSERT_FALSE(shown.empty());
    const RECT& screen = stack.front().destination;
    ASSERT_EQ(shown.back().width, static_cast<std::uint32_t>(screen.right)) << i;
    due.push_back(Model(stack, static_cast<std::uint32_t>(screen.right), static_cast<std::uint32_t>(screen.bottom)));
    ASSERT_EQ(shown.back().pixels, due.back()) << i;
  }
  EXPECT_GT(refused, 10);
  EXPECT_GT(due.size(), 100u);
  EXPECT_EQ(rig_.Violations(), "");
}

}  // namespace
}  // namespace tandem::conform
