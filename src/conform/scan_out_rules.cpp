// An automatic form of the manual visual test of cross-adapter scan-out: no tearing, no corruption, no copy before the screen.
#include <array>

#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 96, kHeight = 40;
constexpr std::uint32_t kFrames = 24;
constexpr std::uint32_t kTier = 3;

// Every pixel of a whole frame follows from the frame's number.
std::uint32_t SeedOf(std::uint32_t frame) { return (frame + 1) << 24; }

void RequireWhole(const ShownPicture& picture, std::uint32_t frame) {
  Require(picture.width == kWidth && picture.height == kHeight, "A picture of {} x {} is shown; {} x {} was flipped to.",
          picture.width, picture.height, kWidth, kHeight);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const std::uint32_t due = UserDevice::Painted(SeedOf(frame), x, y);
      Require(picture.Shows(x, y, due), "Frame {}: pixel ({}, {}) is 0x{:08X}; 0x{:08X} was due.", frame, x, y, picture.At(x, y),
              due);
    }
  }
}

// The render adapter copies each frame; the display adapter flips to it; the rule checks the scanned-out memory.
void FramesAreShownInPlace(Rig& rig) {
  UserDevice display = rig.OpenDisplay();
  if (rig.Description(rig.display()).cross_adapter_tier < kTier)
    throw NotApplicable("The display driver does not declare scan-out of cross-adapter resources.");
  UserDevice render = rig.OpenRender();
  const SurfaceRequest request{kWidth, kHeight, SurfaceUse::kCrossAdapter};
  const Surface image = render.Create(request);
  std::array<Surface, 3> buffers, opened;
  std::array<std::uint32_t*, 3> pixels{};
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    buffers[i] = display.Create(request);
    opened[i] = render.Open(buffers[i]);
    pixels[i] = reinterpret_cast<std::uint32_t*>(display.Lock(buffers[i]));
  }
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    const std::size_t buffer = frame % buffers.size();
    render.Paint(image, SeedOf(frame));
    RequireSuccess(render.Copy(image, opened[buffer], {}), "The copy to the shared surface");
    render.Finish();
    const std::size_t before = rig.output().shown().size();
    rig.output().Probe(pixels[buffer]);
    const auto interval = frame % 4 == 3 ? D3DDDI_FLIPINTERVAL_IMMEDIATE : D3DDDI_FLIPINTERVAL_ONE;
    RequireSuccess(display.FlipOrWait(buffers[buffer], interval), "The flip to the shared surface");
    display.Finish();
    Require(rig.output().AwaitShown(before + 1), "Frame {} is not shown.", frame);
    Require(rig.output().elsewhere() == 0, "Frame {} is scanned out from other memory than the surface that was flipped to.",
            frame);
    rig.output().Probe(nullptr);
    RequireWhole(rig.output().shown().back(), frame);
  }
  for (const Surface& buffer : buffers) display.Unlock(buffer);
  if (rig.output().takes_photographs())
    throw NotApplicable("The frames are whole; a photograph of a screen does not tell where they were read.");
}

constexpr std::array<Rule, 1> kScanOutRules{{
    {"CrossAdapter.InPlace", "A cross-adapter surface is scanned out whole, unchanged and from its own pages, without a copy.",
     "Supporting cross-adapter resource scan-out, HLK testing (the manual test)", Needs::kTwoAdapters, &FramesAreShownInPlace},
}};

}  // namespace

std::span<const Rule> ScanOutRules() { return kScanOutRules; }

}  // namespace tandem::conform
