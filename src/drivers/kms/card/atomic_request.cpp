#include "drivers/kms/card/atomic_request.h"

#include <cerrno>
#include <iterator>

#include <fmt/core.h>

#include "base/log.h"

#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

CommitOutcome OutcomeOf(int error) {
  switch (error) {
    case 0: return CommitOutcome::kDone;
    case EBUSY: return CommitOutcome::kBusy;
    case ENOSPC: return CommitOutcome::kNoSpace;
    case ERANGE: return CommitOutcome::kRange;
    case EINVAL: return CommitOutcome::kInvalid;
    case ENODEV: return CommitOutcome::kGone;
    case ENOENT: return CommitOutcome::kNoObject;
    case EACCES:
    case EPERM: return CommitOutcome::kNotMaster;
    case ENOMEM: return CommitOutcome::kNoMemory;
    default: return CommitOutcome::kOther;
  }
}

ErrorKind KindOfOutcome(CommitOutcome outcome) {
  switch (outcome) {
    case CommitOutcome::kNoSpace:
    case CommitOutcome::kRange:
    case CommitOutcome::kInvalid: return ErrorKind::kUnsupported;
    case CommitOutcome::kGone: return ErrorKind::kDeviceLost;
    case CommitOutcome::kNoObject:
    case CommitOutcome::kNotMaster: return ErrorKind::kSurfaceLost;
    case CommitOutcome::kNoMemory: return ErrorKind::kOutOfMemory;
    case CommitOutcome::kTooMany: return ErrorKind::kLimit;
    default: return ErrorKind::kIo;
  }
}

std::uint32_t KernelFlags(const CommitFlags& flags) {
  std::uint32_t bits = 0;
  if (flags.test_only) bits |= DRM_MODE_ATOMIC_TEST_ONLY;
  if (flags.nonblocking) bits |= DRM_MODE_ATOMIC_NONBLOCK;
  if (flags.event) bits |= DRM_MODE_PAGE_FLIP_EVENT;
  if (flags.async_flip) bits |= DRM_MODE_PAGE_FLIP_ASYNC;
  if (flags.allow_modeset) bits |= DRM_MODE_ATOMIC_ALLOW_MODESET;
  return bits;
}

}  // namespace

Error ToError(const CommitResult& result, std::string_view what) {
  if (result.outcome == CommitOutcome::kTooMany) {
    return Fail(ErrorKind::kLimit, "{} sets more than {} properties.", what, AtomicRequest::kMaxProperties);
  }
  return Fail(KindOfOutcome(result.outcome), "{} was refused by the card: {}.", what, ErrnoText(result.error));
}

void AtomicRequest::Clear() {
  object_count_ = 0;
  property_count_ = 0;
  too_many_ = false;
}

void AtomicRequest::Set(std::uint32_t object_id, std::uint32_t property_id, std::uint64_t value) {
  if (property_id == 0) return;
  if (property_count_ == kMaxProperties) {
    too_many_ = true;
    return;
  }
  // The kernel sets runs in order, so an object may come twice.
  if (object_count_ == 0 || objects_[object_count_ - 1] != object_id) {
    objects_[object_count_] = object_id;
    counts_[object_count_] = 0;
    ++object_count_;
  }
  ++counts_[object_count_ - 1];
  properties_[property_count_] = property_id;
  values_[property_count_] = value;
  ++property_count_;
}

void AtomicRequest::ReturnTo(const Mark& mark) {
  std::size_t properties = property_count_;
  while (object_count_ > mark.objects) properties -= counts_[--object_count_];
  // The last run that stays may have grown since.
  if (object_count_ != 0) counts_[object_count_ - 1] -= static_cast<std::uint32_t>(properties - mark.properties);
  property_count_ = mark.properties;
  too_many_ = false;
}

std::string AtomicRequest::Text() const {
  std::string text;
  std::size_t property = 0;
  for (std::size_t object = 0; object < object_count_; ++object) {
    fmt::format_to(std::back_inserter(text), "{}{}:", object == 0 ? "" : "; ", objects_[object]);
    for (const std::size_t end = property + counts_[object]; property < end; ++property) {
      fmt::format_to(std::back_inserter(text), " {}={}", properties_[property], values_[property]);
    }
  }
  return text;
}

CommitResult AtomicRequest::Commit(const Card& card, const CommitFlags& flags, std::uint64_t user_data) {
  if (too_many_) return {CommitOutcome::kTooMany, E2BIG};
  drm_mode_atomic request{};
  request.flags = KernelFlags(flags);
  request.count_objs = static_cast<__u32>(object_count_);
  request.objs_ptr = reinterpret_cast<__u64>(objects_.data());
  request.count_props_ptr = reinterpret_cast<__u64>(counts_.data());
  request.props_ptr = reinterpret_cast<__u64>(properties_.data());
  request.prop_values_ptr = reinterpret_cast<__u64>(values_.data());
  request.user_data = user_data;
  // drmModeAtomicCommit() would allocate for each call.
  const int error = Drm().Ioctl(card.fd(), DRM_IOCTL_MODE_ATOMIC, &request) == 0 ? 0 : errno;
  if (error != 0 && LogEnabled(LogLevel::kDebug)) Log(LogLevel::kDebug, "Commit refused, {}: {}.", ErrnoText(error), Text());
  CommitOutcome outcome = OutcomeOf(error);
  // A commit that meets the removal may find the CRTC off, or no room for its event; vkms never says ENODEV.
  if (error != 0 && error != EBUSY && !card.IsPresent()) outcome = CommitOutcome::kGone;
  return {outcome, error};
}

}  // namespace tandem::kms
