// Monitors that come and go while a program shows pictures.
#include <array>

#include "base/clock.h"
#include "base/sleep.h"
#include "conform/rig.h"
#include "conform/rules.h"
#include "conform/screen_driver.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr SurfaceRequest kShared{48, 32, SurfaceUse::kCrossAdapter};
constexpr std::int64_t kLookNs = 1'000'000;

void Pull(Rig& rig, bool plugged) {
  if (!rig.DisplayDevice().SetCable(0, plugged)) throw NotApplicable("The device has no cable that can be pulled.");
}

void AwaitMonitor(Rig& rig, bool connected) {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + rig.display_driver().patience_ns;
  for (;;) {
    const auto monitor = ScreenDriver(rig).Monitor();
    Require(monitor.ok(), "{}", monitor.ok() ? "" : monitor.error().message);
    if (monitor->connected == connected) return;
    Require(MonotonicClock().NowNs() < deadline_ns, "The cable of target 0 was {}, and the driver reports that it is {}.",
            connected ? "put back" : "pulled", connected ? "not connected" : "connected");
    SleepFor(MonotonicClock(), kLookNs);
  }
}

void ChangeIsIndicated(Rig& rig) {
  static_cast<void>(rig.OpenDisplay());
  for (const bool plugged : {false, true, false}) {
    Pull(rig, plugged);
    AwaitMonitor(rig, plugged);
  }
}

// The program flips all the time: it is not held up, nothing is shown without monitor, and the picture is back afterwards.
void PictureComesBack(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const std::array<Surface, 2> surfaces{user.Create(kShared), user.Create(kShared)};
  user.Paint(surfaces[0], 0x31000000);
  user.Paint(surfaces[1], 0x52000000);
  std::uint32_t frame = 0;
  const auto flip = [&] {
    RequireSuccess(user.Flip(surfaces[++frame % 2], D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
    user.Finish();
  };
  for (int i = 0; i < 3; ++i) flip();
  Pull(rig, false);
  AwaitMonitor(rig, false);
  flip();
  const std::size_t dark = rig.output().shown().size();
  for (int i = 0; i < 4; ++i) flip();
  Require(rig.output().shown().size() == dark, "{} pictures are shown on a target without monitor.",
          rig.output().shown().size() - dark);
  Pull(rig, true);
  Require(rig.output().AwaitShown(dark + 1), "A monitor came back, and the picture did not.");
  const ShownPicture latest = rig.output().shown().back();
  const std::uint32_t due = UserDevice::Painted(frame % 2 == 0 ? 0x31000000 : 0x52000000, 5, 7);
  Require(latest.Shows(5, 7, due), "A monitor came back and shows 0x{:08X}; 0x{:08X} was flipped to last.", latest.At(5, 7), due);
  const std::size_t before = rig.output().shown().size();
  flip();
  Require(rig.output().AwaitShown(before + 1), "A flip after a monitor came back is not shown.");
}

constexpr std::array kHotPlugRules{
    Rule{"HotPlug.Indicated", "A driver with HpdAwarenessInterruptible indicates each change, and answers the new status.",
         "DXGKCB_INDICATE_CHILD_STATUS, Remarks; DXGKDDI_QUERY_CHILD_STATUS", Needs::kDisplay, &ChangeIsIndicated},
    Rule{"HotPlug.ComesBack", "A program's flips go on without a monitor, and the last picture is back with one.",
         "DXGKDDI_COMMITVIDPN; DXGKDDI_SETVIDPNSOURCEVISIBILITY", Needs::kDisplay, &PictureComesBack,
         "The pages do not say what flips of a source without path do; here they are retired unseen."},
};

}  // namespace

std::span<const Rule> HotPlugRules() { return kHotPlugRules; }

}  // namespace tandem::conform
