// Targets: the status of a video output, and the one that leads a clone.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "base/clock.h"
#include "base/status_name.h"
#include "conform/rig.h"
#include "conform/rules.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr SurfaceRequest kShared{48, 32, SurfaceUse::kCrossAdapter};
constexpr std::int64_t kSlowPeriodNs = 200'000'000;
constexpr int kTries = 4;
constexpr unsigned char kUnanswered = 0xA5;

struct Answer {
  NTSTATUS status = STATUS_SUCCESS;
  DXGK_CHILD_STATUS child{};
};

// Every byte of the answer holds kUnanswered before the driver is asked.
Answer Ask(Rig& rig, ULONG child, DXGK_CHILD_STATUS_TYPE type) {
  Answer answer;
  std::memset(&answer.child, kUnanswered, sizeof(answer.child));
  answer.child.Type = type;
  answer.child.ChildUid = child;
  const auto status = rig.kernel().QueryChildStatus(rig.display(), answer.child);
  if (!status.ok()) throw NotApplicable(status.error().message);
  answer.status = *status;
  return answer;
}

std::uint32_t CountTargets(Rig& rig) {
  const std::uint32_t targets = rig.Description(rig.display()).targets;
  if (targets == 0) throw NotApplicable("The adapter has no target.");
  return targets;
}

void PluggedOutputIsConnected(Rig& rig) {
  const std::uint32_t targets = CountTargets(rig);
  for (ULONG child = 0; child < targets; ++child) {
    const Answer answer = Ask(rig, child, StatusConnection);
    RequireSuccess(answer.status, "DxgkDdiQueryChildStatus of StatusConnection");
    const auto connected = answer.child.HotPlug.Connected;
    Require(connected == TRUE || connected == FALSE, "Child {} answers Connected {}.", child, static_cast<unsigned>(connected));
    Require(child != 0 || connected == TRUE, "An output is plugged into child 0, which says that it is not connected.");
  }
}

void OtherStatusIsAnsweredOrRefused(Rig& rig) {
  static_cast<void>(CountTargets(rig));
  const auto unknown = static_cast<DXGK_CHILD_STATUS_TYPE>(std::numeric_limits<int>::max());
  for (const DXGK_CHILD_STATUS_TYPE type : {StatusRotation, StatusMiracastConnection, StatusUninitialized, unknown}) {
    const Answer answer = Ask(rig, 0, type);
    if (!NT_SUCCESS(answer.status)) continue;
    const bool known = type == StatusRotation || type == StatusMiracastConnection;
    const unsigned char first = type == StatusRotation ? answer.child.Rotation.Angle : answer.child.Miracast.Connected;
    Require(known && first != kUnanswered, "Status type {} is answered with {}, and nothing was written.", static_cast<int>(type),
            StatusText(answer.status));
  }
}

// The primary target shows each flip a refresh after the one before. A flip that does not wait for its blank takes no time.
void FlipWaitsForThePrimaryTarget(Rig& rig) {
  RecordingOutput& primary = rig.PlugSecondOutput();
  const std::array<kernel::SourceTarget, 2> targets{{{1, D3DDDI_ROTATION_IDENTITY}, {0, D3DDDI_ROTATION_IDENTITY}}};
  const auto set = rig.kernel().SetTargets(rig.display(), 0, targets);
  Require(set.ok(), "Two targets cannot be set: {}", set.ok() ? "" : set.error().message);
  UserDevice user = rig.OpenDisplay();
  const std::array<Surface, 2> surfaces{user.Create(kShared), user.Create(kShared)};
  for (const Surface& surface : surfaces) user.Paint(surface, 0x31000000);
  const NTSTATUS first = user.Flip(surfaces[1], D3DDDI_FLIPINTERVAL_ONE);
  if (first == STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED) throw NotApplicable("The driver has no clones.");
  RequireSuccess(first, "D3DKMTPresent of a flip on two targets");
  user.Finish();
  std::array<std::int64_t, kTries> times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t before = primary.shown().size();
    const std::int64_t start_ns = MonotonicClock().NowNs();
    RequireSuccess(user.Flip(surfaces[i % 2], D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip on two targets");
    Require(primary.AwaitShown(before + 1), "A flip of a clone is not shown on its primary target.");
    user.Finish();
    times[i] = primary.shown()[before].time_ns - start_ns;
  }
  const bool always_early = std::all_of(times.begin(), times.end(), [](std::int64_t time) { return time < kSlowPeriodNs / 2; });
  Require(!always_early, "Each of {} flips took {} ms at most to the primary target, which refreshes every {} ms.", times.size(),
          *std::max_element(times.begin(), times.end()) / 1'000'000, kSlowPeriodNs / 1'000'000);
}

constexpr std::array<Rule, 3> kTargetRules{{
    {"Target.Connected", "A child tells whether it is connected.",
     "DXGKDDI_QUERY_CHILD_STATUS; DXGK_CHILD_STATUS, HotPlug.Connected", Needs::kDisplay, &PluggedOutputIsConnected},
    {"Target.StatusType", "A status type that a child does not have is refused, not left unanswered.",
     "DXGKDDI_QUERY_CHILD_STATUS, Return value; DXGK_CHILD_STATUS_TYPE", Needs::kDisplay, &OtherStatusIsAnsweredOrRefused,
     "The page names no status for this; the rule takes any failure."},
    {"Target.Primary", "A clone's flip with FlipOnNextVSync waits for the blank of the target whose path is the primary one.",
     "D3DKMDT_VIDPN_PRESENT_PATH, ImportanceOrdinal; DxgkDdiSetVidPnSourceAddress, Flags", Needs::kDisplay,
     &FlipWaitsForThePrimaryTarget, "The pages order no paths; this rule's VidPN lists the primary one last.",
     RuleSetup{.trial = {.lists_primary_last = true}, .refresh_period_ns = kSlowPeriodNs}},
}};

}  // namespace

std::span<const Rule> TargetRules() { return kTargetRules; }

}  // namespace tandem::conform
