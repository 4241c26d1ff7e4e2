// NV12 scan-out: scan-out and texture reads of one surface must both give the colours of its samples.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "conform/rig.h"
#include "conform/rules.h"
#include "swapchain/resource.h"

namespace tandem::conform {
namespace {

using swapchain::Resource;
using swapchain::Runtime;
using swapchain::ScanOut;

constexpr std::uint32_t kWidth = 64, kHeight = 32;
constexpr std::uint32_t kPatch = 16;  // side of a square of one colour, in pixels
constexpr int kTolerance = 2;         // per channel

struct Sample {
  std::uint8_t luma, blue, red;
};
constexpr std::array<Sample, 5> kSamples{{{0, 128, 128}, {255, 128, 128}, {120, 128, 128}, {90, 150, 120}, {140, 110, 160}}};

const Sample& SampleAt(std::uint32_t x, std::uint32_t y) { return kSamples[(x / kPatch + 3 * (y / kPatch)) % kSamples.size()]; }

// ITU-R BT.709, full range.
std::array<double, 3> BlueGreenRed(const Sample& sample) {
  const double luma = sample.luma, blue = sample.blue - 128.0, red = sample.red - 128.0;
  return {luma + 1.8556 * blue, luma - 0.187324 * blue - 0.468124 * red, luma + 1.5748 * red};
}

// Writes samples in the layout of DXGI_FORMAT_NV12.
void Paint(std::byte* rows, std::size_t pitch) {
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) rows[y * pitch + x] = static_cast<std::byte>(SampleAt(x, y).luma);
  }
  for (std::uint32_t y = 0; y < kHeight; y += 2) {
    std::byte* const pairs = rows + (kHeight + y / 2) * pitch;
    for (std::uint32_t x = 0; x < kWidth; x += 2) {
      pairs[x] = static_cast<std::byte>(SampleAt(x, y).blue);
      pairs[x + 1] = static_cast<std::byte>(SampleAt(x, y).red);
    }
  }
}

void RequireColors(const std::vector<std::uint32_t>& pixels, const char* where) {
  Require(pixels.size() == std::size_t{kWidth} * kHeight, "{}: {} pixels of 4 bytes; {} x {} were due.", where, pixels.size(),
          kWidth, kHeight);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const std::uint32_t pixel = pixels[std::size_t{y} * kWidth + x];
      const auto due = BlueGreenRed(SampleAt(x, y));
      for (std::uint32_t channel = 0; channel < 3; ++channel) {
        const int seen = static_cast<int>(pixel >> (8 * channel) & 0xFF);
        const int expected = std::clamp(static_cast<int>(std::lround(due[channel])), 0, 255);
        Require(std::abs(seen - expected) <= kTolerance, "{}: pixel ({}, {}) is 0x{:06X}, its {} {}; {} was due.", where, x, y,
                pixel & 0xFFFFFF,
                channel == 0   ? "blue"
                : channel == 1 ? "green"
                               : "red",
                seen, expected);
      }
    }
  }
}

// Throws NotApplicable if the driver does not scan such a surface out.
std::unique_ptr<Resource> MakePrimary(Runtime& runtime) {
  if (runtime.cross_adapter_tier() < 3) throw NotApplicable("The driver does not declare scan-out of cross-adapter resources.");
  swapchain::ResourceDesc desc;
  desc.width = kWidth;
  desc.height = kHeight;
  desc.format = DXGI_FORMAT_NV12;
  desc.bind_flags = D3D10_DDI_BIND_PRESENT;
  desc.sharing = swapchain::Sharing::kCrossAdapter;
  desc.primary = true;
  ScanOut scan_out = ScanOut::kYes;
  auto made = Resource::Create(runtime, desc, scan_out);
  if (!made.ok() || scan_out == ScanOut::kNo) throw NotApplicable("The driver does not scan NV12 out.");
  return *std::move(made);
}

void Nv12IsShownAndRead(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const DriverUnderTest& driver = rig.display_driver();
  if (driver.open_adapter == nullptr) throw NotApplicable("The driver has no user-mode half (OpenAdapter10_2 or OpenAdapter).");
  auto opened = Runtime::Open({rig.display(), driver.open_adapter, driver.name, ""});
  Require(opened.ok(), "The user-mode half does not open: {}", opened.ok() ? "" : opened.error().message);
  auto& runtime = (*opened)->runtime();
  const auto primary = MakePrimary(runtime);
  const auto answer = runtime.CheckPlane(primary->kernel_resource(), kWidth, kHeight, 0, swapchain::CheckKind::kStatic);
  Require(answer.ok() && answer->supported,
          "A primary of NV12 that CreateResource took for scan-out is refused by the check with StaticCheck.");
  Surface shared;
  shared.global_share = primary->global_share();
  shared.request = {kWidth, kHeight, SurfaceUse::kCrossAdapter};
  const Surface surface = user.Open(shared);
  // For such short rows the pitch is the driver's smallest pitch.
  Paint(user.Lock(surface), user.Create({kWidth / 4, kHeight, SurfaceUse::kCrossAdapter}).pitch);
  user.Unlock(surface);
  const Surface copy = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
  RequireSuccess(user.Copy(surface, copy, {}), "D3DKMTPresent from an NV12 surface");
  user.Finish();
  RequireColors(user.Read(copy), "A copy of the surface");
  RequireSuccess(user.Flip(surface, D3DDDI_FLIPINTERVAL_ONE), "The flip to an NV12 surface");
  user.Finish();
  if (!driver.shows_outputs) return;
  Require(rig.output().AwaitShown(1), "The surface was flipped to, and nothing was shown.");
  RequireColors(rig.output().shown().back().pixels, "The screen");
}

constexpr std::array<Rule, 1> kNv12Rules{{
    {"CrossAdapter.Nv12",
     "A driver that takes NV12 for scan-out accepts the plane, shows the colours of its samples and reads it as a texture.",
     "Supporting cross-adapter resource scan-out, Tier 3 support requirements; DXGI_FORMAT_NV12", Needs::kDisplay,
     &Nv12IsShownAndRead, "The pages name no matrix and no range: BT.709 in the full range is meant, within 2 of a channel."},
}};

}  // namespace

std::span<const Rule> Nv12Rules() { return kNv12Rules; }

}  // namespace tandem::conform
