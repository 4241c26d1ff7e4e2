// The functions of DXGK_VIDPN_INTERFACE.
#include <algorithm>
#include <bit>

#include "kernel/adapter/vidpn_handles.h"

namespace tandem::kernel {
namespace {

// Methods of one source: each has a number of samples and a quality.
constexpr SIZE_T kMaxMultisamplingMethods = 64;

NTSTATUS APIENTRY GetTopology(D3DKMDT_HVIDPN handle, D3DKMDT_HVIDPNTOPOLOGY* topology,
                              CONST DXGK_VIDPNTOPOLOGY_INTERFACE** functions) {
  const VidPnCall call(handle);
  if (call.VidPn() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
  if (topology == nullptr || functions == nullptr) return STATUS_INVALID_PARAMETER;
  *topology = std::bit_cast<D3DKMDT_HVIDPNTOPOLOGY>(VidPnHandle(call.state(), VidPnObject::kTopology, 0));
  *functions = &TopologyFunctions();
  return STATUS_SUCCESS;
}

// `call` is with something of the VidPN `handle`.
bool IsOf(D3DKMDT_HVIDPN handle, const VidPnCall& call) {
  return call.known() && VidPnHandle(call.state(), VidPnObject::kVidPn, 0) == reinterpret_cast<std::uintptr_t>(handle);
}

// The functions that sources and targets have alike.
template <class Kind>
struct SetCalls {
  using Handle = typename Kind::Handle;
  using Set = typename Kind::Set;
  using Functions = typename Kind::Functions;

  static Set* PartOf(VidPnState& vidpn, UINT owner) {
    for (Set& set : Kind::Sets(vidpn)) {
      if (set.owner == owner && set.state == ElementState::kPart) return &set;
    }
    return nullptr;
  }
  static void Give(VidPnState& vidpn, const Set& set, Handle* handle, CONST Functions** functions) {
    const auto& sets = Kind::Sets(vidpn);
    const auto place = std::find_if(sets.begin(), sets.end(), [&](const Set& own) { return &own == &set; }) - sets.begin();
    *handle = std::bit_cast<Handle>(VidPnHandle(vidpn, Kind::kObject, static_cast<std::size_t>(place)));
    *functions = &ModeSetFunctions<Kind>();
  }

  static NTSTATUS APIENTRY Acquire(D3DKMDT_HVIDPN handle, UINT owner, Handle* set, CONST Functions** functions) {
    const VidPnCall call(handle);
    if (call.VidPn() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
    if (set == nullptr || functions == nullptr) return STATUS_INVALID_PARAMETER;
    Set* part = PartOf(call.state(), owner);
    if (part == nullptr) return Kind::kInvalidOwner;
    ++part->acquired;
    Give(call.state(), *part, set, functions);
    return STATUS_SUCCESS;
  }

  static NTSTATUS APIENTRY Release(D3DKMDT_HVIDPN handle, Handle released) {
    if (const VidPnCall call(handle); call.VidPn() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
    const VidPnCall call(released);
    Set* set = IsOf(handle, call) ? call.Set<Kind>() : nullptr;
    if (set == nullptr) return Kind::kInvalidSet;
    if (set->state == ElementState::kMade) {
      set->state = ElementState::kGone;
    } else if (set->acquired == 0) {
      return Kind::kInvalidSet;
    } else {
      --set->acquired;
    }
    return STATUS_SUCCESS;
  }

  static NTSTATUS APIENTRY Create(D3DKMDT_HVIDPN handle, UINT owner, Handle* made, CONST Functions** functions) {
    const VidPnCall call(handle);
    if (call.VidPn() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
    if (made == nullptr || functions == nullptr) return STATUS_INVALID_PARAMETER;
    if (call.state().access == VidPnAccess::kRead) return STATUS_ACCESS_DENIED;
    if (PartOf(call.state(), owner) == nullptr) return Kind::kInvalidOwner;
    auto& sets = Kind::Sets(call.state());
    if (sets.size() == kMaxModeSets) return STATUS_NO_MEMORY;
    Set& set = sets.emplace_back();
    set.owner = owner;
    Give(call.state(), set, made, functions);
    return STATUS_SUCCESS;
  }

  static NTSTATUS APIENTRY Assign(D3DKMDT_HVIDPN handle, UINT owner, Handle assigned) {
    if (const VidPnCall call(handle); call.VidPn() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
    const VidPnCall call(assigned);
    Set* set = IsOf(handle, call) ? call.Set<Kind>() : nullptr;
    if (set == nullptr || set->state != ElementState::kMade) return Kind::kInvalidSet;
    VidPnState& vidpn = call.state();
    Set* before = PartOf(vidpn, owner);
    if (set->owner != owner || before == nullptr) return Kind::kInvalidOwner;
    if (Kind::Pivot(vidpn) == owner) {
      ++vidpn.faults.pivots;
      return STATUS_INVALID_PARAMETER;
    }
    if (before->pinned != nullptr && !TakeOverPin(*before, *set)) {
      ++vidpn.faults.unpinned;
      return STATUS_GRAPHICS_PINNED_MODE_MUST_REMAIN_IN_SET;
    }
    before->state = ElementState::kGone;
    set->state = ElementState::kPart;
    return STATUS_SUCCESS;
  }
  static bool TakeOverPin(const Set& before, Set& set) {
    for (const auto& info : set.modes) {
      if (info.state != ElementState::kPart || !IsSameMode(info.value, before.pinned->value)) continue;
      set.pinned = &info;
      return true;
    }
    return false;
  }
};

// The kernel offers programs no multisampled primaries, so the answer is checked and not kept.
NTSTATUS APIENTRY AssignMultisamplingMethodSet(D3DKMDT_HVIDPN handle, D3DDDI_VIDEO_PRESENT_SOURCE_ID source, SIZE_T count,
                                               CONST D3DDDI_MULTISAMPLINGMETHOD* methods) {
  const VidPnCall call(handle);
  if (call.VidPn() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
  if (call.state().access == VidPnAccess::kRead) return STATUS_ACCESS_DENIED;
  if (SetCalls<SourceKind>::PartOf(call.state(), source) == nullptr) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  return count > kMaxMultisamplingMethods || (count != 0 && methods == nullptr) ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

}  // namespace

bool VidPnState::MakeSets(UINT source, UINT target) {
  const bool has_source = SetCalls<SourceKind>::PartOf(*this, source) != nullptr;
  const bool has_target = SetCalls<TargetKind>::PartOf(*this, target) != nullptr;
  if ((!has_source && sources.size() == kMaxModeSets) || (!has_target && targets.size() == kMaxModeSets)) return false;
  const auto make = [](auto& sets, UINT owner) {
    auto& set = sets.emplace_back();
    set.owner = owner;
    set.state = ElementState::kPart;
  };
  if (!has_source) make(sources, source);
  if (!has_target) make(targets, target);
  return true;
}

NTSTATUS APIENTRY QueryVidPnInterface(D3DKMDT_HVIDPN vidpn, DXGK_VIDPN_INTERFACE_VERSION version,
                                      CONST DXGK_VIDPN_INTERFACE** functions) {
  using Source = SetCalls<SourceKind>;
  using Target = SetCalls<TargetKind>;
  static constexpr DXGK_VIDPN_INTERFACE kFunctions{
      DXGK_VIDPN_INTERFACE_VERSION_V1, &GetTopology,     &Source::Acquire, &Source::Release, &Source::Create, &Source::Assign,
      &AssignMultisamplingMethodSet,   &Target::Acquire, &Target::Release, &Target::Create,  &Target::Assign};
  if (functions == nullptr) return STATUS_INVALID_PARAMETER;
  if (const VidPnCall call(vidpn); call.VidPn() == nullptr) return STATUS_GRAPHICS_INVALID_VIDPN;
  if (version != DXGK_VIDPN_INTERFACE_VERSION_V1) return STATUS_NOT_SUPPORTED;
  *functions = &kFunctions;
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
