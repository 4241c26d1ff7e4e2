#include "kernel/present/source_targets.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace tandem::kernel {
namespace {

bool Names(std::span<const SourceTarget> targets, std::uint32_t id) {
  return std::any_of(targets.begin(), targets.end(), [=](const SourceTarget& target) { return target.target == id; });
}

}  // namespace

SourceTargets::SourceTargets(std::uint32_t sources, std::vector<ULONG> targets) : all_(std::move(targets)), of_source_(sources) {
  for (std::uint32_t id = 0; id < sources; ++id) of_source_[id].push_back({id, D3DDDI_ROTATION_IDENTITY});
}

Result<void> SourceTargets::Check(std::span<const SourceTarget> targets) const {
  if (targets.empty() || targets.size() > kMaxVidPnSources) {
    return Fail(ErrorKind::kInvalidArgument, "{} targets of one source are not between 1 and {}.", targets.size(),
                kMaxVidPnSources);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const SourceTarget& target = targets[i];
    if (std::find(all_.begin(), all_.end(), target.target) == all_.end()) {
      return Fail(ErrorKind::kInvalidArgument, "Target {} is not one of the adapter's {}.", target.target, all_.size());
    }
    if (Names(targets.first(i), target.target)) {
      return Fail(ErrorKind::kInvalidArgument, "Target {} is named twice.", target.target);
    }
    if (target.offset < D3DDDI_ROTATION_IDENTITY || target.offset > D3DDDI_ROTATION_270) {
      return Fail(ErrorKind::kInvalidArgument, "Rotation {} of target {} is not between 1 and 4.",
                  static_cast<int>(target.offset), target.target);
    }
  }
  return {};
}

void SourceTargets::Set(std::uint32_t source, std::span<const SourceTarget> targets) {
  const MutexLock lock(mutex_);
  for (std::vector<SourceTarget>& own : of_source_) {
    own.erase(std::remove_if(own.begin(), own.end(), [&](const SourceTarget& target) { return Names(targets, target.target); }),
              own.end());
  }
  of_source_[source].assign(targets.begin(), targets.end());
}

std::vector<SourceTarget> SourceTargets::Of(std::uint32_t source) const {
  const MutexLock lock(mutex_);
  return source < of_source_.size() ? of_source_[source] : std::vector<SourceTarget>();
}

std::optional<ULONG> SourceTargets::PrimaryOf(std::uint32_t source) const {
  const MutexLock lock(mutex_);
  if (source >= of_source_.size() || of_source_[source].empty()) return std::nullopt;
  return of_source_[source].front().target;
}

}  // namespace tandem::kernel
