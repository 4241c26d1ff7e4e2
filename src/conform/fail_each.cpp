#include "conform/fail_each.h"

#include "conform/rig.h"
#include "kernel/service_faults.h"

namespace tandem::conform {
namespace {

constexpr Rule kFailEach{"Fail.Each",
                         "When a service of the system fails, the driver says so, leaves nothing behind, and does not crash.",
                         "DXGKDDI_ADD_DEVICE, DXGKDDI_START_DEVICE, return values", Needs::kTwoAdapters, &CrossFrames};

}  // namespace

void CrossFrames(Rig& rig) {
  UserDevice render = rig.OpenRender();
  if (rig.Description(rig.render()).compute_only) return;  // a device with a context is all that it makes alone
  UserDevice display = rig.OpenDisplay();
  const Surface frame = render.Create({48, 32, SurfaceUse::kCrossAdapter}), opened = display.Open(frame);
  const Surface primary = display.Create({48, 32, SurfaceUse::kPrimary});
  for (std::uint32_t number = 1; number <= 3; ++number) {
    render.Paint(frame, number << 24);
    RequireSuccess(display.Copy(opened, primary, {}), "D3DKMTPresent to a primary");
    RequireSuccess(display.Flip(primary, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
    display.Finish();
  }
}

Trial FailTrial(const DriverUnderTest& driver, const DriverUnderTest& reference) {
  Trial trial;
  trial.rule = &kFailEach;
  trial.pair = driver.shows_outputs ? AdapterPair{&reference, &driver} : AdapterPair{&driver, &reference};
  return trial;
}

Outcome JudgeFailedService(const Outcome& outcome, const std::string& broken) {
  const std::string failed = kernel::ServicesSoFar().failed;
  if (failed.empty()) return {Verdict::kNotApplicable, "The driver called fewer services than before."};
  const std::string answer = outcome.seen.empty() ? "" : " " + outcome.seen;
  if (broken.empty()) return {Verdict::kPass, fmt::format("{} fails.{}", failed, answer)};
  return {Verdict::kFail, fmt::format("{} fails. {}", failed, broken), SeenBy::kKernel};
}

}  // namespace tandem::conform
