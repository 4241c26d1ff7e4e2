#include "kernel/adapter/vidpn.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/thread.h"
#include "kernel/adapter/vidpn_handles.h"

namespace tandem::kernel {
namespace {

// A handle is serial, place and kind. Serials are never used again.
constexpr unsigned kKindBits = 2, kPlaceBits = 14;

struct Handles {
  Mutex mutex;
  std::map<std::uint64_t, VidPnState*> known TANDEM_GUARDED_BY(mutex);
  std::uint64_t next_serial TANDEM_GUARDED_BY(mutex) = 1;
};
Handles& AllHandles() {
  static Handles handles;
  return handles;
}

template <class Sets>
auto* PartOf(Sets& sets, UINT owner) {
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [=](const auto& set) { return set.owner == owner && set.state == ElementState::kPart; });
  return found != sets.end() ? &*found : nullptr;
}

template <class Sets, class Mode>
UINT OfferMode(Sets& sets, UINT owner, const Mode& mode, UINT id) {
  auto& info = PartOf(sets, owner)->modes.emplace_back();
  info.value = mode;
  info.value.Id = id;
  info.state = ElementState::kPart;
  return id;
}

template <class Sets>
bool PinMode(Sets& sets, UINT owner, UINT id) {
  auto* set = PartOf(sets, owner);
  if (set == nullptr) return false;
  for (const auto& info : set->modes) {
    if (info.state != ElementState::kPart || info.value.Id != id) continue;
    set->pinned = &info;
    return true;
  }
  return false;
}

template <class Sets>
auto ModesOf(const Sets& sets, UINT owner) {
  std::vector<typename Sets::value_type::Mode> modes;
  const auto* set = PartOf(sets, owner);
  if (set == nullptr) return modes;
  for (const auto& info : set->modes) {
    if (info.state == ElementState::kPart) modes.push_back(info.value);
  }
  return modes;
}

template <class Sets>
auto PinnedMode(const Sets& sets, UINT owner) {
  const auto* set = PartOf(sets, owner);
  std::optional<typename Sets::value_type::Mode> mode;
  if (set != nullptr && set->pinned != nullptr) mode = set->pinned->value;
  return mode;
}

template <class List>
std::uint32_t CountAcquired(const List& list) {
  std::uint32_t count = 0;
  for (const auto& element : list) count += element.acquired;
  return count;
}

template <class List>
std::uint32_t CountMade(const List& list) {
  return static_cast<std::uint32_t>(
      std::count_if(list.begin(), list.end(), [](const auto& element) { return element.state == ElementState::kMade; }));
}

// Counts what the driver kept of the sets, and frees what is no part of the VidPN. A set that goes takes its new modes along.
template <class Sets>
std::uint32_t TakeBack(Sets& sets) {
  std::uint32_t kept = CountAcquired(sets) + CountMade(sets);
  for (auto& set : sets) {
    kept += CountAcquired(set.modes) + (set.state == ElementState::kPart ? CountMade(set.modes) : 0);
    for (auto& info : set.modes) info.acquired = 0;
    set.acquired = 0;
  }
  std::erase_if(sets, [](const auto& set) { return set.state != ElementState::kPart; });
  return kept;
}

}  // namespace

VidPnCall::VidPnCall(const void* handle) : lock_(AllHandles().mutex.native()) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  const auto found = AllHandles().known.find(value >> (kKindBits + kPlaceBits));
  if (found == AllHandles().known.end()) return;
  vidpn_ = found->second;
  object_ = static_cast<VidPnObject>(value & ((1U << kKindBits) - 1));
  index_ = (value >> kKindBits) & ((1U << kPlaceBits) - 1);
}

std::uintptr_t VidPnHandle(const VidPnState& vidpn, VidPnObject object, std::size_t index) {
  return (vidpn.serial << (kKindBits + kPlaceBits)) | (index << kKindBits) | static_cast<std::uintptr_t>(object);
}

void VidPn::AddPath(const D3DKMDT_VIDPN_PRESENT_PATH& path) {
  auto& info = state_.paths.emplace_back();
  info.value = path;
  info.state = ElementState::kPart;
  TANDEM_CHECK(state_.MakeSets(path.VidPnSourceId, path.VidPnTargetId));
}

UINT VidPn::Offer(UINT source, const D3DKMDT_VIDPN_SOURCE_MODE& mode) {
  return OfferMode(state_.sources, source, mode, state_.next_mode++);
}
UINT VidPn::Offer(UINT target, const D3DKMDT_VIDPN_TARGET_MODE& mode) {
  return OfferMode(state_.targets, target, mode, state_.next_mode++);
}

bool VidPn::PinSource(UINT source, UINT id) { return PinMode(state_.sources, source, id); }
bool VidPn::PinTarget(UINT target, UINT id) { return PinMode(state_.targets, target, id); }

void VidPn::PinTransformation(UINT source, UINT target, D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling,
                              D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation) {
  for (auto& info : state_.paths) {
    if (info.value.VidPnSourceId != source || info.value.VidPnTargetId != target) continue;
    info.value.ContentTransformation.Scaling = scaling;
    info.value.ContentTransformation.Rotation = rotation;
  }
}

std::vector<D3DKMDT_VIDPN_PRESENT_PATH> VidPn::Paths() const {
  std::vector<D3DKMDT_VIDPN_PRESENT_PATH> paths;
  for (const auto& info : state_.paths) {
    if (info.state == ElementState::kPart) paths.push_back(info.value);
  }
  return paths;
}

std::vector<D3DKMDT_VIDPN_SOURCE_MODE> VidPn::SourceModes(UINT source) const { return ModesOf(state_.sources, source); }
std::vector<D3DKMDT_VIDPN_TARGET_MODE> VidPn::TargetModes(UINT target) const { return ModesOf(state_.targets, target); }

std::optional<D3DKMDT_VIDPN_SOURCE_MODE> VidPn::PinnedSource(UINT source) const { return PinnedMode(state_.sources, source); }
std::optional<D3DKMDT_VIDPN_TARGET_MODE> VidPn::PinnedTarget(UINT target) const { return PinnedMode(state_.targets, target); }

D3DKMDT_HVIDPN VidPn::Lend(VidPnAccess access, const VidPnPivot& pivot) {
  TANDEM_CHECK(state_.serial == 0);
  state_.access = access;
  state_.pivot = pivot;
  Handles& handles = AllHandles();
  const MutexLock lock(handles.mutex);
  state_.serial = handles.next_serial++;
  handles.known.emplace(state_.serial, &state_);
  return std::bit_cast<D3DKMDT_HVIDPN>(VidPnHandle(state_, VidPnObject::kVidPn, 0));
}

VidPnFaults VidPn::Return() {
  if (state_.serial == 0) return {};
  Handles& handles = AllHandles();
  const MutexLock lock(handles.mutex);
  handles.known.erase(state_.serial);
  state_.serial = 0;
  VidPnFaults faults = std::exchange(state_.faults, {});
  faults.kept += CountAcquired(state_.paths) + CountMade(state_.paths) + TakeBack(state_.sources) + TakeBack(state_.targets);
  for (auto& info : state_.paths) info.acquired = 0;
  std::erase_if(state_.paths, [](const auto& info) { return info.state != ElementState::kPart; });
  return faults;
}

}  // namespace tandem::kernel
