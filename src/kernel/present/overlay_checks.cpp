#include "kernel/present/overlay_checks.h"

#include <cstring>
#include <type_traits>

#include <fmt/core.h>

#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {

OverlayQuestion::OverlayQuestion() {
  static_assert(std::is_trivially_copyable_v<OverlayQuestion>);
  std::memset(planes.data(), 0, sizeof(planes));
  std::memset(post_compositions.data(), 0, sizeof(post_compositions));
}

bool OverlayQuestion::IsStatic() const { return plane_count == 1 && planes[0].PlaneAttributes.Flags.StaticCheck != 0; }

std::size_t OverlayChecks::KeyOf(const OverlayQuestion& question, Key& key) {
  if (question.IsStatic() || question.plane_count > kKeptPlanes || question.post_composition_count > 1) return 0;
  const std::array<UINT, 2> counts{question.plane_count, question.post_composition_count};
  const std::size_t planes = sizeof(question.planes[0]) * question.plane_count;
  const std::size_t posts = sizeof(question.post_compositions[0]) * question.post_composition_count;
  std::memcpy(key.data(), counts.data(), sizeof(counts));
  std::memcpy(key.data() + sizeof(counts), question.planes.data(), planes);
  std::memcpy(key.data() + sizeof(counts) + planes, question.post_compositions.data(), posts);
  return sizeof(counts) + planes + posts;
}

bool OverlayChecks::Find(std::uint64_t configuration, const Key& key, std::size_t key_bytes, OverlayAnswer& answer) {
  const MutexLock lock(mutex_);
  for (const Kept& kept : kept_) {
    if (kept.configuration != configuration || kept.key_bytes != key_bytes) continue;
    if (std::memcmp(kept.key.data(), key.data(), key_bytes) != 0) continue;
    answer = kept.answer;
    return true;
  }
  return false;
}

void OverlayChecks::Keep(std::uint64_t configuration, const Key& key, std::size_t key_bytes, const OverlayAnswer& answer) {
  const MutexLock lock(mutex_);
  Kept& kept = kept_[next_];
  next_ = (next_ + 1) % kKeptAnswers;
  kept.configuration = configuration;
  kept.key_bytes = key_bytes;
  std::memcpy(kept.key.data(), key.data(), key_bytes);
  kept.answer = answer;
}

NTSTATUS OverlayChecks::AskDriver(OverlayQuestion& question, OverlayAnswer& answer) {
  if (adapter_.ddi().DxgkDdiCheckMultiPlaneOverlaySupport3 == nullptr) return STATUS_NOT_SUPPORTED;
  std::array<DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2*, kMaxOverlayPlanes> planes{};
  std::array<DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE*, kMaxPostCompositions> posts{};
  // The bit is reserved before WDDM 3.0: such a driver is asked about the plane alone, without it.
  if (question.IsStatic() && adapter_.caps().WDDMVersion < DXGKDDI_WDDMv3_0)
    question.planes[0].PlaneAttributes.Flags.StaticCheck = 0;
  for (UINT i = 0; i < question.plane_count; ++i) planes[i] = &question.planes[i];
  for (UINT i = 0; i < question.post_composition_count; ++i) posts[i] = &question.post_compositions[i];
  DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 args{};
  args.PlaneCount = question.plane_count;
  args.ppPlanes = planes.data();
  args.PostCompositionCount = question.post_composition_count;
  args.ppPostComposition = question.post_composition_count == 0 ? nullptr : posts.data();
  const NTSTATUS status = CallDdi(adapter_, Ddi::kCheckMultiPlaneOverlaySupport3,
                                  adapter_.ddi().DxgkDdiCheckMultiPlaneOverlaySupport3, adapter_.miniport_context(), &args);
  if (!NT_SUCCESS(status)) return status;
  if (!args.Supported && args.ReturnInfo.FailingPlane >= args.PlaneCount) {
    adapter_.ReportViolation(
        "CheckMultiPlaneOverlaySupport3.FailingPlane",
        fmt::format("Plane {} of {} is said to fail.", static_cast<UINT>(args.ReturnInfo.FailingPlane), args.PlaneCount));
    return STATUS_DEVICE_REMOVED;
  }
  answer.supported = args.Supported != FALSE;
  answer.info.Value = 0;
  if (!answer.supported) {
    answer.info.FailingPlane = args.ReturnInfo.FailingPlane;
    answer.info.TryAgain = args.ReturnInfo.TryAgain;
  }
  return STATUS_SUCCESS;
}

NTSTATUS OverlayChecks::Ask(OverlayQuestion& question, OverlayAnswer& answer) {
  // Before the driver is asked: a change meanwhile leaves the answer behind.
  const std::uint64_t configuration = configuration_.load(std::memory_order_acquire);
  Key key;
  const std::size_t key_bytes = KeyOf(question, key);
  if (key_bytes != 0 && Find(configuration, key, key_bytes, answer)) return STATUS_SUCCESS;
  const NTSTATUS status = AskDriver(question, answer);
  if (NT_SUCCESS(status) && key_bytes != 0 && answer.info.TryAgain == 0) Keep(configuration, key, key_bytes, answer);
  return status;
}

}  // namespace tandem::kernel
