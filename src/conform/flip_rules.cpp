// Flips, vertical blanks, and frames that cross from one adapter to the other.
#include <algorithm>
#include <array>

#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::string_view kFlipSource = "DXGKDDI_PRESENT, flip; DxgkDdiSetVidPnSourceAddress";

// Seeds of the shown pictures in order, without repetitions; only their highest byte is not 0. Every picture must be whole.
std::vector<std::uint32_t> ShownSeeds(RecordingOutput& output) {
  std::vector<std::uint32_t> seeds;
  for (const ShownPicture& picture : output.shown()) {
    Require(!picture.pixels.empty(), "A picture of {} x {} was shown without pixels.", picture.width, picture.height);
    const std::uint32_t seed = (picture.pixels.front() & 0xFF0000) << 8;
    for (std::uint32_t y = 0; y < picture.height; ++y) {
      for (std::uint32_t x = 0; x < picture.width; ++x) {
        Require(picture.Shows(x, y, UserDevice::Painted(seed, x, y)),
                "A shown picture is torn: pixel ({}, {}) is 0x{:08X}; 0x{:08X} was due.", x, y, picture.At(x, y),
                UserDevice::Painted(seed, x, y));
      }
    }
    if (seeds.empty() || seeds.back() != seed) seeds.push_back(seed);
  }
  return seeds;
}

void FlipsInOrder(Rig& rig) {
  UserDevice display = rig.OpenDisplay();
  constexpr std::uint32_t kBuffers = 4;
  std::array<Surface, kBuffers> buffers;
  for (Surface& buffer : buffers) buffer = display.Create({48, 32, SurfaceUse::kCrossAdapter});
  constexpr std::uint32_t kFrames = 12;
  std::array<UINT64, kFrames> shown{};
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    // A buffer is free once the flip after its own is on the screen.
    if (frame >= kBuffers - 1) RequireSuccess(display.Wait(shown[frame - kBuffers + 2]), "The wait for a flip");
    display.Paint(buffers[frame % kBuffers], (frame + 1) << 24);
    RequireSuccess(display.Flip(buffers[frame % kBuffers], D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
    shown[frame] = display.QueueSignal();
  }
  display.Finish();
  const std::vector<std::uint32_t> seeds = ShownSeeds(rig.output());
  Require(seeds.size() == kFrames, "{} of {} flips were seen.", seeds.size(), kFrames);
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    Require(seeds[frame] == (frame + 1) << 24, "Picture {} is frame {}.", frame, (seeds[frame] >> 24) - 1);
  }
}

void NoOpFlipWaitsForBlank(Rig& rig) {
  UserDevice display = rig.OpenDisplay();
  const Surface surface = display.Create({48, 32, SurfaceUse::kPrimary});
  const NTSTATUS first = display.Flip(surface, D3DDDI_FLIPINTERVAL_ONE);
  if (first == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED) throw NotApplicable("The driver offers no mode of 48 x 32.");
  RequireSuccess(first, "D3DKMTPresent of a flip");
  display.Finish();
  const auto before = rig.kernel().Counters(rig.display());
  RequireSuccess(display.Flip(surface, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip to what is shown");
  display.Finish();
  const auto after = rig.kernel().Counters(rig.display());
  Require(before.ok() && after.ok() && after->vsyncs > before->vsyncs && after->flips > before->flips,
          "A flip to the surface that is shown ended without a flip and a vertical blank.");
}

void FlipBehindCopyWaits(Rig& rig) {
  UserDevice display = rig.OpenDisplay();
  const Surface staging = display.Create({64, 32, SurfaceUse::kCrossAdapter});
  const Surface primary = display.Create({64, 32, SurfaceUse::kPrimary});
  display.Paint(staging, 0x33000000);
  RequireSuccess(display.Copy(staging, primary, {}), "D3DKMTPresent of a copy");
  RequireSuccess(display.Flip(primary, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
  display.Finish();
  Require(rig.output().AwaitShown(1), "Nothing was shown.");
  const std::vector<std::uint32_t> seeds = ShownSeeds(rig.output());
  Require(seeds.size() == 1 && seeds.front() == 0x33000000, "Picture 0x{:08X} was shown before its copy was done.",
          seeds.front());
}

// A window across two screens: each primary gets its part, and each source shows its own.
void WindowAcrossSources(Rig& rig) {
  constexpr std::uint32_t kWidth = 48, kHeight = 32;
  RecordingOutput& second = rig.PlugSecondOutput();
  if (rig.Description(rig.display()).vidpn_sources < 2) throw NotApplicable("The driver has one VidPn source.");
  const std::array<RecordingOutput*, 2> outputs{&rig.output(), &second};
  UserDevice user = rig.OpenDisplay();
  const Surface window = user.Create({2 * kWidth, kHeight, SurfaceUse::kCrossAdapter});
  std::array<Surface, 4> buffers;
  for (Surface& buffer : buffers) buffer = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
  for (std::uint32_t frame = 0; frame < 4; ++frame) {
    const std::uint32_t seed = (frame + 1) << 24;
    user.Paint(window, seed);
    for (std::uint32_t source = 0; source < 2; ++source) {
      const Surface& buffer = buffers[2 * source + frame % 2];
      const auto left = static_cast<LONG>(source * kWidth);
      D3DKMT_PRESENT copy{};
      copy.hSource = window.allocation;
      copy.hDestination = buffer.allocation;
      copy.Flags.Blt = copy.Flags.SrcRectValid = 1;
      copy.SrcRect = {left, 0, left + static_cast<LONG>(kWidth), kHeight};
      RequireSuccess(user.KmtPresent(copy), "D3DKMTPresent of a part of a window");
      D3DKMT_PRESENT flip{};
      flip.hSource = buffer.allocation;
      flip.VidPnSourceId = source;
      flip.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
      flip.Flags.Flip = 1;
      RequireSuccess(user.KmtPresent(flip), "D3DKMTPresent of a flip on one of two sources");
    }
    user.Finish();
    for (std::uint32_t source = 0; source < 2; ++source) {
      Require(outputs[source]->AwaitShown(frame + 1), "Frame {} is not shown on source {}.", frame, source);
      const ShownPicture picture = outputs[source]->shown().back();
      for (std::uint32_t i = 0; i < kWidth * kHeight; ++i) {
        const std::uint32_t x = i % kWidth, y = i / kWidth, due = UserDevice::Painted(seed, source * kWidth + x, y);
        Require(picture.Shows(x, y, due), "Source {} shows 0x{:08X} at ({}, {}); 0x{:08X} was due.", source, picture.At(x, y), x,
                y, due);
      }
    }
  }
}

void ModeOvertakesFlips(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const SurfaceRequest shared{48, 32, SurfaceUse::kCrossAdapter}, primary{48, 32, SurfaceUse::kPrimary};
  const Surface source = user.Create(shared);
  const std::array<Surface, 2> buffers{user.Create(shared), user.Create(shared)};
  const std::array<Surface, 2> primaries{user.Create(primary), user.Create(primary)};
  for (std::uint32_t mode = 0; mode < 4; ++mode) {
    const std::uint32_t first = 4 * mode + 1, seed = first << 24;
    user.Paint(source, seed);
    RequireSuccess(user.Copy(source, primaries[mode % 2], {}), "D3DKMTPresent to a primary");
    user.Finish();
    for (std::uint32_t i = 0; i < buffers.size(); ++i) {
      user.Paint(buffers[i], (first + i + 1) << 24);
      RequireSuccess(user.Flip(buffers[i], D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
    }
    const UINT64 flipped = user.QueueSignal();
    RequireSuccess(user.SetMode(primaries[mode % 2], D3DDDI_ROTATION_IDENTITY), "D3DKMTSetDisplayMode behind flips");
    RequireSuccess(user.Wait(flipped), "The wait for the flips before a mode");
    for (;;) {
      const std::size_t count = rig.output().shown().size();
      const std::vector<std::uint32_t> seeds = ShownSeeds(rig.output());
      if (!seeds.empty() && seeds.back() == seed) break;
      Require(rig.output().AwaitShown(count + 1), "Mode {} was set and its primary is not shown.", mode);
    }
  }
}

void CrossWholeFrames(Rig& rig) {
  UserDevice render = rig.OpenRender();
  UserDevice display = rig.OpenDisplay();
  const SurfaceRequest request{65, 33, SurfaceUse::kCrossAdapter};
  const Surface image = render.Create(request);
  std::array<Surface, 3> buffers;
  std::array<Surface, 3> opened;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    buffers[i] = display.Create(request);
    opened[i] = render.Open(buffers[i]);
  }
  constexpr std::uint32_t kFrames = 9;
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    render.Paint(image, (frame + 1) << 24);
    RequireSuccess(render.Copy(image, opened[frame % 3], {}), "The copy to the shared surface");
    render.Finish();
    RequireSuccess(display.Flip(buffers[frame % 3], D3DDDI_FLIPINTERVAL_ONE), "The flip to the shared surface");
    display.Finish();
  }
  const std::vector<std::uint32_t> seeds = ShownSeeds(rig.output());
  Require(seeds.size() == kFrames, "{} of {} frames were seen.", seeds.size(), kFrames);
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    Require(seeds[frame] == (frame + 1) << 24, "Picture {} is frame {}.", frame, (seeds[frame] >> 24) - 1);
  }
}

constexpr std::array<Rule, 5> kFlipRules{{
    {"Flip.Order", "Flips are shown whole, each once, in the order of their submission.", kFlipSource, Needs::kDisplay,
     &FlipsInOrder},
    {"Flip.NoOp", "A flip to the surface that is shown is a queued wait for a vertical blank.", "DXGKDDI_PRESENT, no-op flip",
     Needs::kDisplay, &NoOpFlipWaitsForBlank},
    {"Flip.Sources", "A window across two sources is copied to a surface of each, and each source shows its own.",
     "DXGKDDI_PRESENT, Remarks (different primaries); DxgkDdiSetVidPnSourceAddress", Needs::kDisplay, &WindowAcrossSources},
    {"Flip.Mode", "A mode change overtakes the flips before it: they are done when the source is dark, and its surface is shown.",
     "DxgkDdiSetVidPnSourceAddress, Flags.ModeChange; DXGKARGCB_NOTIFY_INTERRUPT_DATA, CrtcVsync", Needs::kDisplay,
     &ModeOvertakesFlips},
    {"Flip.BehindCopy", "A flip waits for the copies that were submitted before it.", kFlipSource, Needs::kDisplay,
     &FlipBehindCopyWaits},
}};

constexpr std::array<Rule, 1> kCrossRules{{
    {"CrossAdapter.OneCopy", "Frames that the render adapter copies into a shared surface are scanned out whole and in order.",
     "WDDM cross-adapter scan-out, end to end", Needs::kTwoAdapters, &CrossWholeFrames},
}};

}  // namespace

std::span<const Rule> FlipRules() { return kFlipRules; }
std::span<const Rule> CrossAdapterFrameRules() { return kCrossRules; }

}  // namespace tandem::conform
