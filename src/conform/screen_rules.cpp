// The screen: effect of flips, surfaces allowed in a flip, vertical blanks, scan lines, and dark sources.
#include <algorithm>
#include <array>
#include <mutex>

#include <fmt/format.h>
#include "base/clock.h"
#include "base/condition.h"

#include "conform/rig.h"
#include "conform/rules.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr SurfaceRequest kShared{48, 32, SurfaceUse::kCrossAdapter};
constexpr SurfaceRequest kPrimary{48, 32, SurfaceUse::kPrimary};
constexpr std::int64_t kSlowPeriodNs = 200'000'000;
constexpr std::int64_t kLongestLookNs = 5'000'000'000;
constexpr int kTries = 4;

// Sets the mode by a flip and waits until that flip is on the screen.
void ShowFirst(UserDevice& user, const Surface& surface) {
  const NTSTATUS status = user.Flip(surface, D3DDDI_FLIPINTERVAL_ONE);
  if (status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED) {
    throw NotApplicable(fmt::format("The driver offers no mode of {} x {}.", surface.request.width, surface.request.height));
  }
  RequireSuccess(status, "D3DKMTPresent of a flip");
  user.Finish();
}

void RequireShown(Rig& rig, const Surface& surface, std::uint32_t seed) {
  const ShownPicture picture = rig.output().shown().back();
  const auto& [width, height, use, format] = surface.request;
  Require(picture.width == width && picture.height == height && !picture.pixels.empty(),
          "A picture of {} x {} is shown; {} x {} was due.", picture.width, picture.height, width, height);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      Require(picture.Shows(x, y, UserDevice::Painted(seed, x, y)), "Pixel ({}, {}) on the screen is 0x{:08X}; 0x{:08X} was due.",
              x, y, picture.At(x, y), UserDevice::Painted(seed, x, y));
    }
  }
}

// Times from a vertical blank until several flips are each on the screen. A busy machine lengthens them.
std::array<std::int64_t, kTries> TimesToTheScreen(Rig& rig, D3DDDI_FLIPINTERVAL_TYPE interval) {
  if (rig.output().takes_photographs()) throw NotApplicable("The screen's refresh is its own, and too fast for this measure.");
  UserDevice user = rig.OpenDisplay();
  const std::array<Surface, 2> surfaces{user.Create(kShared), user.Create(kShared)};
  ShowFirst(user, surfaces[1]);
  std::array<std::int64_t, kTries> times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Surface& surface = surfaces[i % 2];
    const std::uint32_t seed = static_cast<std::uint32_t>(i + 1) << 24;
    user.Paint(surface, seed);
    user.AwaitBlank();
    const std::int64_t blank_ns = MonotonicClock().NowNs();
    const std::size_t before = rig.output().shown().size();
    const NTSTATUS status = user.Flip(surface, interval);
    if (status == STATUS_NOT_SUPPORTED) throw NotApplicable("The driver does not flip at that interval.");
    RequireSuccess(status, "D3DKMTPresent of a flip");
    Require(rig.output().AwaitShown(before + 1), "A flip is not shown.");
    user.Finish();
    RequireShown(rig, surface, seed);
    times[i] = rig.output().shown()[before].time_ns - blank_ns;
  }
  return times;
}

void FlipsAtTheBlank(Rig& rig) {
  const auto times = TimesToTheScreen(rig, D3DDDI_FLIPINTERVAL_ONE);
  const bool always_early = std::all_of(times.begin(), times.end(), [](std::int64_t time) { return time < kSlowPeriodNs / 2; });
  Require(!always_early, "Each of {} flips with FlipOnNextVSync was on the screen {} ms after a blank; the next is {} ms later.",
          times.size(), *std::max_element(times.begin(), times.end()) / 1'000'000, kSlowPeriodNs / 1'000'000);
}

void FlipsAtOnce(Rig& rig) {
  const auto times = TimesToTheScreen(rig, D3DDDI_FLIPINTERVAL_IMMEDIATE);
  const bool always_late = std::all_of(times.begin(), times.end(), [](std::int64_t time) { return time > kSlowPeriodNs / 2; });
  Require(!always_late, "Each of {} immediate flips took {} ms or more to the screen; a blank comes every {} ms.", times.size(),
          *std::min_element(times.begin(), times.end()) / 1'000'000, kSlowPeriodNs / 1'000'000);
}

// A surface without a format, which no display controller reads.
Surface CreateBytes(Rig& rig, UserDevice& user) {
  constexpr std::uint32_t kBytes = 4096;
  const auto data = rig.kernel().DescribeStandardSurface(
      rig.display(), {kernel::StandardSurface::kCrossAdapterTexture, kBytes, 1, D3DDDIFMT_UNKNOWN, 0});
  Surface made;
  const SurfaceRequest request{kBytes, 1, SurfaceUse::kCrossAdapter, D3DDDIFMT_UNKNOWN};
  if (!data.ok() || !NT_SUCCESS(user.CreateFrom({data->allocation_data, data->resource_data, data->pitch}, request,
                                                CreateSharing::kGlobal, made))) {
    throw NotApplicable("The driver has no surfaces without a format.");
  }
  return made;
}

void FlipsAreValidated(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const Surface shown = user.Create(kShared);
  user.Paint(shown, 0x11000000);
  ShowFirst(user, shown);
  const Surface bytes = CreateBytes(rig, user);
  const NTSTATUS status = user.Flip(bytes, D3DDDI_FLIPINTERVAL_ONE);
  Require(!NT_SUCCESS(status), "A flip to bytes without a format is taken.");
  Require(status != STATUS_DEVICE_REMOVED, "A flip to bytes without a format stops the adapter.");
  // The screen still shows new flips.
  user.Paint(shown, 0x12000000);
  const std::size_t before = rig.output().shown().size();
  RequireSuccess(user.Flip(shown, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
  Require(rig.output().AwaitShown(before + 1), "A flip after a refused one is not shown.");
  user.Finish();
  RequireShown(rig, shown, 0x12000000);
}

void BlanksKeepTheRate(Rig& rig) {
  constexpr std::uint64_t kBlanks = 50;
  UserDevice user = rig.OpenDisplay();
  ShowFirst(user, user.Create(kShared));
  user.AwaitBlank();
  const auto before = rig.kernel().Counters(rig.display());
  const std::int64_t start_ns = MonotonicClock().NowNs();
  for (std::uint64_t i = 0; i < kBlanks; ++i) user.AwaitBlank();
  const auto after = rig.kernel().Counters(rig.display());
  Require(before.ok() && after.ok(), "The adapter is gone.");
  const std::int64_t period_ns = RuleSetup{}.refresh_period_ns;
  const auto periods = static_cast<std::uint64_t>((MonotonicClock().NowNs() - start_ns) / period_ns);
  const std::uint64_t blanks = after->vsyncs - before->vsyncs;
  Require(blanks <= periods + periods / 4 + 4, "{} vertical blanks are reported within {} periods of the display.", blanks,
          periods);
}

D3DKMT_GETSCANLINE AskScanLine(const UserDevice& user) {
  D3DKMT_GETSCANLINE line{};
  line.hAdapter = user.adapter();
  const NTSTATUS status = D3DKMTGetScanLine(&line);
  if (status == STATUS_NOT_SUPPORTED || status == STATUS_NOT_IMPLEMENTED)
    throw NotApplicable("The driver does not tell the scan line.");
  RequireSuccess(status, "D3DKMTGetScanLine");
  return line;
}

void ScanLineMoves(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  ShowFirst(user, user.Create(kShared));
  const std::int64_t end_ns = MonotonicClock().NowNs() + kLongestLookNs;
  const D3DKMT_GETSCANLINE first = AskScanLine(user);
  for (bool moved = false; !moved;) {
    const D3DKMT_GETSCANLINE line = AskScanLine(user);
    Require(line.InVerticalBlank != FALSE || line.ScanLine < kShared.height, "Scan line {} of a picture of {} lines.",
            line.ScanLine, kShared.height);
    moved = line.ScanLine != first.ScanLine;
    Require(MonotonicClock().NowNs() < end_ns, "The scan line stands at {} for {} s.", first.ScanLine,
            kLongestLookNs / 1'000'000'000);
  }
}

void ScanLineTellsTheBlank(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  ShowFirst(user, user.Create(kShared));
  const std::int64_t end_ns = MonotonicClock().NowNs() + kLongestLookNs;
  std::array<bool, 2> seen{};
  while (!seen[0] || !seen[1]) {
    seen[AskScanLine(user).InVerticalBlank != FALSE ? 1 : 0] = true;
    Require(MonotonicClock().NowNs() < end_ns, "The display is {} the vertical blank for {} s.",
            seen[1] ? "never outside" : "never in", kLongestLookNs / 1'000'000'000);
  }
}

void SetVisible(Rig& rig, bool visible) {
  const auto set = rig.kernel().SetVisibility(rig.display(), 0, visible);
  Require(set.ok(), "The source cannot be switched {}: {}", visible ? "on" : "off", set.ok() ? "" : set.error().message);
}

// Waits for several refreshes.
void LetTimePass() {
  std::mutex mutex;
  Condition never;
  std::unique_lock lock(mutex);
  const std::int64_t end_ns = MonotonicClock().NowNs() + 15 * RuleSetup{}.refresh_period_ns;
  while (MonotonicClock().NowNs() < end_ns) MonotonicClock().WaitUntil(lock, never, end_ns);
}

// One surface is shown; the flip to another happens while the source is dark.
Surface FlipInTheDark(Rig& rig, UserDevice& user, std::uint32_t seed) {
  const Surface first = user.Create(kShared), second = user.Create(kShared);
  user.Paint(first, 0x21000000);
  user.Paint(second, seed);
  ShowFirst(user, first);
  SetVisible(rig, false);
  RequireSuccess(user.Flip(second, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip in the dark");
  user.Finish();
  return second;
}

void DarkShowsNothing(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  static_cast<void>(FlipInTheDark(rig, user, 0x22000000));
  LetTimePass();
  for (const ShownPicture& picture : rig.output().shown()) {
    Require(picture.pixels.empty() || !picture.Shows(0, 0, UserDevice::Painted(0x22000000, 0, 0)),
            "A surface is shown while its source is invisible.");
  }
}

void LightShowsTheLatest(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const Surface second = FlipInTheDark(rig, user, 0x23000000);
  const std::size_t before = rig.output().shown().size();
  SetVisible(rig, true);
  Require(rig.output().AwaitShown(before + 1), "A source was made visible again, and nothing is shown.");
  user.Finish();
  RequireShown(rig, second, 0x23000000);
}

void NoBlanksInTheDark(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  ShowFirst(user, user.Create(kShared));
  SetVisible(rig, false);
  LetTimePass();
  const auto before = rig.kernel().Counters(rig.display());
  LetTimePass();
  const auto after = rig.kernel().Counters(rig.display());
  Require(before.ok() && after.ok(), "The adapter is gone.");
  Require(after->vsyncs == before->vsyncs, "{} vertical blanks are reported while the interrupt is off and nothing is visible.",
          after->vsyncs - before->vsyncs);
}

// The primary is drawn to while it is on the screen, so only the next flip tells when the screen has the result.
void FillsOfAPrimaryAreShown(Rig& rig) {
  constexpr UINT kColor = 0xFF336699;
  UserDevice user = rig.OpenDisplay();
  const std::array<Surface, 2> primaries{user.Create(kPrimary), user.Create(kPrimary)};
  ShowFirst(user, primaries[1]);
  RequireSuccess(user.Fill(primaries[0], kColor, {}), "D3DKMTPresent of a fill of a primary");
  const std::size_t before = rig.output().shown().size();
  RequireSuccess(user.Flip(primaries[0], D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
  Require(rig.output().AwaitShown(before + 1), "A flip is not shown.");
  user.Finish();
  const ShownPicture picture = rig.output().shown().back();
  for (const std::uint32_t pixel : picture.pixels) {
    Require((pixel & 0xFFFFFF) == (kColor & 0xFFFFFF), "A primary that was filled with 0x{:08X} shows 0x{:08X}.", kColor, pixel);
  }
}

void PrimariesAreReadBack(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const Surface source = user.Create(kShared), back = user.Create(kShared), primary = user.Create(kPrimary);
  user.Paint(source, 0x41000000);
  user.Paint(back, 0);
  ShowFirst(user, primary);
  RequireSuccess(user.Copy(source, primary, {}), "D3DKMTPresent to the primary");
  RequireSuccess(user.Copy(primary, back, {}), "D3DKMTPresent from the primary");
  user.Finish();
  Require(user.Read(back) == user.Read(source), "A copy out of the primary has other bytes than went in.");
}

constexpr std::string_view kFlip = "DxgkDdiSetVidPnSourceAddress, Flags";
constexpr std::string_view kVisibility = "DXGKDDI_SETVIDPNSOURCEVISIBILITY";
constexpr RuleSetup kSlow{.trial = {}, .refresh_period_ns = kSlowPeriodNs};

constexpr std::array<Rule, 11> kScreenRules{{
    {"Flip.Validated", "DxgkDdiPresent refuses a flip to a surface that cannot be scanned out.",
     "DXGKDDI_PRESENT, Remarks (MMIO flips: the driver must validate the source surface)", Needs::kDisplay, &FlipsAreValidated},
    {"Flip.AtBlank",
     "A flip with FlipOnNextVSync takes effect at the vertical blank, not before.",
     kFlip,
     Needs::kDisplay,
     &FlipsAtTheBlank,
     {},
     kSlow},
    {"Flip.Immediate",
     "A flip with FlipImmediate does not wait for the vertical blank.",
     kFlip,
     Needs::kDisplay,
     &FlipsAtOnce,
     {},
     kSlow},
    {"Screen.BlankRate", "CRTC_VSYNC is reported once a refresh.", "DXGKARGCB_NOTIFY_INTERRUPT_DATA, CrtcVsync", Needs::kDisplay,
     &BlanksKeepTheRate},
    {"Screen.ScanLine", "The scan line moves, within the lines of the picture.", "DXGKDDI_GETSCANLINE, ScanLine", Needs::kDisplay,
     &ScanLineMoves},
    {"Screen.InBlank", "InVerticalBlank is set in the vertical blank, and not outside.", "DXGKDDI_GETSCANLINE, InVerticalBlank",
     Needs::kDisplay, &ScanLineTellsTheBlank},
    {"Screen.Dark", "Nothing of a source is shown while it is invisible.", kVisibility, Needs::kDisplay, &DarkShowsNothing},
    {"Screen.Light", "A source that becomes visible shows the surface that was programmed last.", kVisibility, Needs::kDisplay,
     &LightShowsTheLatest},
    {"Screen.InterruptOff", "No CRTC_VSYNC is reported while its interrupt is disabled and no source is visible.",
     "DXGKDDI_CONTROLINTERRUPT", Needs::kDisplay, &NoBlanksInTheDark},
    {"Screen.FillPrimary", "A fill of a primary is what the screen shows of it.", "DXGKDDI_PRESENT, Remarks (colour fill)",
     Needs::kDisplay, &FillsOfAPrimaryAreShown},
    {"Screen.ReadPrimary", "A copy from the primary has what was copied to it.", "DXGKDDI_PRESENT, Remarks (primary source)",
     Needs::kDisplay, &PrimariesAreReadBack},
}};

}  // namespace

std::span<const Rule> ScreenRules() { return kScreenRules; }

}  // namespace tandem::conform
