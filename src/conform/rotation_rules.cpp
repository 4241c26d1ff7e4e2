// Rotated modes and the copies that follow them.
#include <array>
#include <vector>

#include <fmt/format.h>

#include "conform/rig.h"
#include "conform/rules.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 48, kHeight = 20;  // the primary's extent in memory

// Memory position of pixel (x, y) of the picture that programs see; rotation is counter-clockwise.
std::array<std::uint32_t, 2> Placed(D3DDDI_ROTATION rotation, std::uint32_t x, std::uint32_t y) {
  switch (rotation) {
    case D3DDDI_ROTATION_90: return {y, kHeight - 1 - x};
    case D3DDDI_ROTATION_180: return {kWidth - 1 - x, kHeight - 1 - y};
    case D3DDDI_ROTATION_270: return {kWidth - 1 - y, x};
    default: return {x, y};
  }
}

void CopyFollowsThePath(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const Surface primary = user.Create({kWidth, kHeight, SurfaceUse::kPrimary});
  const Surface back = user.Create({kWidth, kHeight, SurfaceUse::kMapped});
  for (const D3DDDI_ROTATION rotation :
       {D3DDDI_ROTATION_IDENTITY, D3DDDI_ROTATION_90, D3DDDI_ROTATION_180, D3DDDI_ROTATION_270}) {
    const std::size_t shown = rig.output().shown().size();
    const NTSTATUS status = user.SetMode(primary, rotation);
    if (status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED && rotation == D3DDDI_ROTATION_IDENTITY) {
      throw NotApplicable(fmt::format("The driver offers no mode of {} x {}.", kWidth, kHeight));
    }
    if (status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED) {
      throw NotApplicable(fmt::format("The driver reports no rotation {}.", static_cast<int>(rotation)));
    }
    RequireSuccess(status, "D3DKMTSetDisplayMode");
    // From here on only the GPU reads the primary.
    Require(rig.output().AwaitShown(shown + 1), "The mode was set and its primary is not shown.");
    const bool turned = rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270;
    const std::uint32_t width = turned ? kHeight : kWidth, height = turned ? kWidth : kHeight;
    const Surface source = user.Create({width, height, SurfaceUse::kMapped});
    user.Paint(source, 0x61000000);
    D3DKMT_PRESENT present{};
    present.hSource = source.allocation;
    present.hDestination = primary.allocation;
    present.Flags.Blt = present.Flags.Rotate = 1;
    RequireSuccess(user.KmtPresent(present), "D3DKMTPresent with Rotate");
    RequireSuccess(user.Copy(primary, back, {}), "D3DKMTPresent from the primary");
    user.Finish();
    const std::vector<std::uint32_t> pixels = user.Read(back);
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        const auto [column, row] = Placed(rotation, x, y);
        const std::uint32_t seen = pixels[std::size_t{row} * kWidth + column];
        const std::uint32_t due = UserDevice::Painted(0x61000000, x, y);
        Require(seen == due, "Rotation {}: pixel ({}, {}) of the client is 0x{:08X} in memory; 0x{:08X} was due.",
                static_cast<int>(rotation), x, y, seen, due);
      }
    }
    RequireSuccess(user.Destroy(source), "D3DKMTDestroyAllocation2");
  }
}

// `turned` equals `picture` rotated counter-clockwise by `offset`.
void RequireTurned(const ShownPicture& picture, const ShownPicture& turned, D3DDDI_ROTATION offset) {
  const bool quarter = offset == D3DDDI_ROTATION_90 || offset == D3DDDI_ROTATION_270;
  const std::uint32_t width = picture.width, height = picture.height;
  Require(turned.width == (quarter ? height : width) && turned.height == (quarter ? width : height),
          "Offset {}: the second target shows {} x {} of a picture of {} x {}.", static_cast<int>(offset), turned.width,
          turned.height, width, height);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      std::uint32_t column = x, row = y;
      if (offset == D3DDDI_ROTATION_90) column = y, row = width - 1 - x;
      if (offset == D3DDDI_ROTATION_180) column = width - 1 - x, row = height - 1 - y;
      if (offset == D3DDDI_ROTATION_270) column = height - 1 - y, row = x;
      Require(turned.At(column, row) == picture.At(x, y),
              "Offset {}: pixel ({}, {}) of the primary is 0x{:08X} on the second target; 0x{:08X} was due.",
              static_cast<int>(offset), x, y, turned.At(column, row), picture.At(x, y));
    }
  }
}

void RequirePainted(const ShownPicture& picture, D3DDDI_ROTATION rotation, std::uint32_t seed) {
  Require(picture.width == kWidth && picture.height == kHeight, "The primary target shows {} x {}; {} x {} was due.",
          picture.width, picture.height, kWidth, kHeight);
  const bool quarter = rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270;
  for (std::uint32_t y = 0; y < (quarter ? kWidth : kHeight); ++y) {
    for (std::uint32_t x = 0; x < (quarter ? kHeight : kWidth); ++x) {
      const auto [column, row] = Placed(rotation, x, y);
      const std::uint32_t seen = picture.At(column, row), due = UserDevice::Painted(seed, x, y);
      Require(picture.Shows(column, row, due),
              "Rotation {}: pixel ({}, {}) of the client is 0x{:08X} on the primary target; 0x{:08X} was due.",
              static_cast<int>(rotation), x, y, seen, due);
    }
  }
}

// Gives source 0 two targets, the second rotated by `offset` more. No picture is shown now.
void Clone(Rig& rig, D3DDDI_ROTATION offset) {
  const std::array<kernel::SourceTarget, 2> targets{{{0, D3DDDI_ROTATION_IDENTITY}, {1, offset}}};
  const auto set = rig.kernel().SetTargets(rig.display(), 0, targets);
  Require(set.ok(), "Two targets cannot be set: {}", set.ok() ? "" : set.error().message);
}

void RequireClone(NTSTATUS status, const char* what) {
  if (status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED || status == STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED)
    throw NotApplicable("The driver reports no such clone.");
  RequireSuccess(status, what);
}

void CloneShowsOnEachTarget(Rig& rig) {
  RecordingOutput& second = rig.PlugSecondOutput();
  for (const D3DDDI_ROTATION offset : {D3DDDI_ROTATION_90, D3DDDI_ROTATION_IDENTITY, D3DDDI_ROTATION_180, D3DDDI_ROTATION_270}) {
    Clone(rig, offset);
    UserDevice user = rig.OpenDisplay();
    const std::array<Surface, 2> buffers{user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter}),
                                         user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter})};
    for (std::uint32_t frame = 0; frame < buffers.size(); ++frame) {
      const std::uint32_t seed = (static_cast<std::uint32_t>(offset) << 28) + (frame << 24);
      user.Paint(buffers[frame], seed);
      const std::size_t shown = second.shown().size();
      RequireClone(user.Flip(buffers[frame], D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip on two targets");
      Require(second.AwaitShown(shown + 1), "A flip of a clone is not shown on its second target.");
      user.Finish();
      RequirePainted(rig.output().shown().back(), D3DDDI_ROTATION_IDENTITY, seed);
      RequireTurned(rig.output().shown().back(), second.shown().back(), offset);
    }
  }
}

// The copy's parameters contain no rotation: the copy rotates with the display, and scan-out adds the target's offset.
void CloneTurnsCopies(Rig& rig) {
  RecordingOutput& second = rig.PlugSecondOutput();
  for (const D3DDDI_ROTATION rotation : {D3DDDI_ROTATION_90, D3DDDI_ROTATION_180, D3DDDI_ROTATION_270}) {
    Clone(rig, D3DDDI_ROTATION_90);
    UserDevice user = rig.OpenDisplay();
    const Surface primary = user.Create({kWidth, kHeight, SurfaceUse::kPrimary});
    const bool quarter = rotation != D3DDDI_ROTATION_180;
    const Surface source = user.Create({quarter ? kHeight : kWidth, quarter ? kWidth : kHeight, SurfaceUse::kCrossAdapter});
    const std::uint32_t seed = static_cast<std::uint32_t>(rotation) << 28;
    user.Paint(source, seed);
    std::size_t shown_first = rig.output().shown().size(), shown = second.shown().size();
    RequireClone(user.SetMode(primary, rotation), "D3DKMTSetDisplayMode on two targets");
    // From here on only the GPU reads the primary.
    Require(rig.output().AwaitShown(shown_first + 1), "The mode was set and its primary is not shown on the first target.");
    Require(second.AwaitShown(shown + 1), "The mode was set and its primary is not shown on the second target.");
    D3DKMT_PRESENT present{};
    present.hSource = source.allocation;
    present.hDestination = primary.allocation;
    present.Flags.Blt = present.Flags.Rotate = 1;
    RequireSuccess(user.KmtPresent(present), "D3DKMTPresent with Rotate");
    user.Finish();
    // The flip is to the address that both targets already show: only the pictures reveal when it takes effect.
    shown_first = rig.output().shown().size();
    shown = second.shown().size();
    RequireSuccess(user.Flip(primary, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
    Require(rig.output().AwaitShown(shown_first + 1), "A flip of a clone is not shown on its first target.");
    Require(second.AwaitShown(shown + 1), "A flip of a clone is not shown on its second target.");
    user.Finish();
    RequirePainted(rig.output().shown().back(), rotation, seed);
    RequireTurned(rig.output().shown().back(), second.shown().back(), D3DDDI_ROTATION_90);
  }
}

}  // namespace

std::span<const Rule> RotationRules() {
  static constexpr std::array kRotationRules{
      Rule{"Present.Blt.Rotate", "A copy with Rotate lands where the committed path's rotation, counter-clockwise, puts it.",
           "DXGKDDI_PRESENT, Remarks; D3DKMDT_VIDPN_PRESENT_PATH_ROTATION", Needs::kDisplay, &CopyFollowsThePath,
           "The pages on rotation name no direction, but for two that say counter-clockwise; this rule takes theirs."},
      Rule{"Flip.Clone", "Each target of a source shows its flips, turned by the offset of its path; a flip is done when all do.",
           "DXGKDDI_PRESENT, Remarks (clone mode); D3DKMDT_VIDPN_PRESENT_PATH_ROTATION, offsets", Needs::kDisplay,
           &CloneShowsOnEachTarget},
      Rule{"Present.Blt.RotateClone",
           "A copy with Rotate turns as the display does, and each target shows it turned by its offset more.",
           "DXGKDDI_PRESENT, Remarks (clone mode, rotation-agnostic parameters)", Needs::kDisplay, &CloneTurnsCopies},
  };
  return kRotationRules;
}

}  // namespace tandem::conform
