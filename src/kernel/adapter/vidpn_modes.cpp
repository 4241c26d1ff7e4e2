// The functions of DXGK_VIDPNSOURCEMODESET_INTERFACE and DXGK_VIDPNTARGETMODESET_INTERFACE.
#include "kernel/adapter/vidpn_handles.h"

namespace tandem::kernel {
namespace {

template <class Kind>
struct ModeSetCalls {
  using Handle = typename Kind::Handle;
  using Set = typename Kind::Set;
  using Mode = typename Set::Mode;

  static Acquirable<Mode>* FindId(Set& set, UINT id) {
    for (Acquirable<Mode>& info : set.modes) {
      if (info.state == ElementState::kPart && info.value.Id == id) return &info;
    }
    return nullptr;
  }

  static NTSTATUS APIENTRY GetNumModes(Handle handle, SIZE_T* count) {
    const VidPnCall call(handle);
    const Set* set = call.Set<Kind>();
    if (set == nullptr || count == nullptr) return Kind::kInvalidSet;
    *count = CountParts(set->modes);
    return STATUS_SUCCESS;
  }

  static NTSTATUS APIENTRY AcquireFirst(Handle handle, CONST Mode** mode) {
    const VidPnCall call(handle);
    Set* set = call.Set<Kind>();
    if (set == nullptr || mode == nullptr) return Kind::kInvalidSet;
    return GiveElement(NextPart<Mode>(set->modes, nullptr), mode, STATUS_GRAPHICS_DATASET_IS_EMPTY);
  }

  static NTSTATUS APIENTRY AcquireNext(Handle handle, CONST Mode* mode, CONST Mode** next) {
    const VidPnCall call(handle);
    Set* set = call.Set<Kind>();
    if (set == nullptr || next == nullptr) return Kind::kInvalidSet;
    *next = nullptr;
    const Acquirable<Mode>* info = FindElement(set->modes, mode);
    if (info == nullptr) return STATUS_GRAPHICS_MODE_NOT_IN_MODESET;
    return GiveElement(NextPart(set->modes, info), next, STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET);
  }

  static NTSTATUS APIENTRY AcquirePinned(Handle handle, CONST Mode** mode) {
    const VidPnCall call(handle);
    Set* set = call.Set<Kind>();
    if (set == nullptr || mode == nullptr) return Kind::kInvalidSet;
    auto* pinned = const_cast<Acquirable<Mode>*>(set->pinned);
    return GiveElement(pinned, mode, STATUS_GRAPHICS_MODE_NOT_PINNED);
  }

  static NTSTATUS APIENTRY Release(Handle handle, CONST Mode* mode) {
    const VidPnCall call(handle);
    Set* set = call.Set<Kind>();
    if (set == nullptr) return Kind::kInvalidSet;
    return ReleaseElement(set->modes, mode);
  }

  // Only the set that the driver made, and has not assigned yet, takes modes.
  static NTSTATUS APIENTRY CreateNew(Handle handle, Mode** mode) {
    const VidPnCall call(handle);
    Set* set = call.Set<Kind>();
    if (set == nullptr || mode == nullptr) return Kind::kInvalidSet;
    *mode = nullptr;
    if (set->state != ElementState::kMade) return STATUS_ACCESS_DENIED;
    if (set->modes.size() == kMaxModeInfos) return STATUS_NO_MEMORY;
    Acquirable<Mode>& info = set->modes.emplace_back();
    info.value.Id = call.state().next_mode++;
    *mode = &info.value;
    return STATUS_SUCCESS;
  }

  static NTSTATUS APIENTRY Add(Handle handle, Mode* mode) {
    const VidPnCall call(handle);
    Set* set = call.Set<Kind>();
    if (set == nullptr) return Kind::kInvalidSet;
    Acquirable<Mode>* info = FindElement<Mode>(set->modes, mode);
    if (info == nullptr || info->state != ElementState::kMade || !IsValidMode(info->value)) return Kind::kInvalidMode;
    if (!Kind::MeetsDemands(call.state().demands, info->value)) {
      ++call.state().faults.frequencies;
      return STATUS_GRAPHICS_INVALID_FREQUENCY;
    }
    if (HasMode(set->modes, info->value)) return STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET;
    info->state = ElementState::kPart;
    return STATUS_SUCCESS;
  }

  static NTSTATUS APIENTRY Pin(Handle handle, UINT id) {
    const VidPnCall call(handle);
    Set* set = call.Set<Kind>();
    if (set == nullptr) return Kind::kInvalidSet;
    const Acquirable<Mode>* info = FindId(*set, id);
    if (info == nullptr) return STATUS_GRAPHICS_MODE_NOT_IN_MODESET;
    if (set->state != ElementState::kMade && call.state().access != VidPnAccess::kTopology) return STATUS_ACCESS_DENIED;
    set->pinned = info;
    return STATUS_SUCCESS;
  }
};

}  // namespace

template <class Kind>
const typename Kind::Functions& ModeSetFunctions() {
  using F = ModeSetCalls<Kind>;
  static constexpr typename Kind::Functions kFunctions{&F::GetNumModes, &F::AcquireFirst, &F::AcquireNext, &F::AcquirePinned,
                                                       &F::Release,     &F::CreateNew,    &F::Add,         &F::Pin};
  return kFunctions;
}
template const SourceKind::Functions& ModeSetFunctions<SourceKind>();
template const TargetKind::Functions& ModeSetFunctions<TargetKind>();

}  // namespace tandem::kernel
