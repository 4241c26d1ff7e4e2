// The modes of a VidPN source, a target or a monitor, as a driver or the kernel offers them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include <d3dkmddi.h>

namespace tandem::kernel {

// Modes of one set, and sets and paths of one VidPN, with those that the driver gave up again.
inline constexpr std::size_t kMaxModeInfos = 1024;
inline constexpr std::size_t kMaxModeSets = 256;
inline constexpr std::size_t kMaxPathInfos = 256;

// An element that a driver makes, then adds or gives back.
enum class ElementState : std::uint8_t { kMade, kPart, kGone };

template <class Element>
struct Acquirable {
  Element value{};
  ElementState state = ElementState::kMade;
  std::uint32_t acquired = 0;
};

// Elements keep their addresses, and stay until the DDI that sees them has returned.
template <class Element>
using AcquirableList = std::deque<Acquirable<Element>>;

template <class Element>
Acquirable<Element>* FindElement(AcquirableList<Element>& list, const Element* wanted) {
  for (Acquirable<Element>& element : list) {
    if (&element.value == wanted) return element.state == ElementState::kGone ? nullptr : &element;
  }
  return nullptr;
}

// The first part of the list behind `before`; null `before` begins.
template <class Element>
Acquirable<Element>* NextPart(AcquirableList<Element>& list, const Acquirable<Element>* before) {
  bool passed = before == nullptr;
  for (Acquirable<Element>& element : list) {
    if (passed && element.state == ElementState::kPart) return &element;
    passed = passed || &element == before;
  }
  return nullptr;
}

// Parts of the list.
template <class Element>
SIZE_T CountParts(const AcquirableList<Element>& list) {
  SIZE_T count = 0;
  for (const Acquirable<Element>& element : list) count += element.state == ElementState::kPart ? 1U : 0U;
  return count;
}

// The status of a function that gives an element to a driver; `otherwise` where there is none.
template <class Element>
NTSTATUS GiveElement(Acquirable<Element>* element, CONST Element** given, NTSTATUS otherwise) {
  *given = element != nullptr ? &element->value : nullptr;
  if (element == nullptr) return otherwise;
  ++element->acquired;
  return STATUS_SUCCESS;
}

// The driver gives an element back, or drops one that it made.
template <class Element>
NTSTATUS ReleaseElement(AcquirableList<Element>& list, const Element* released) {
  Acquirable<Element>* const element = FindElement(list, released);
  if (element == nullptr) return STATUS_GRAPHICS_MODE_NOT_IN_MODESET;
  if (element->state == ElementState::kMade) {
    element->state = ElementState::kGone;
    return STATUS_SUCCESS;
  }
  if (element->acquired == 0) return STATUS_GRAPHICS_MODE_NOT_IN_MODESET;
  --element->acquired;
  return STATUS_SUCCESS;
}

template <class ModeType>
struct ModeSet {
  using Mode = ModeType;

  UINT owner = 0;                            // VidPnSourceId or VidPnTargetId
  ElementState state = ElementState::kMade;  // kPart: the VidPN has it
  std::uint32_t acquired = 0;
  AcquirableList<Mode> modes;
  const Acquirable<Mode>* pinned = nullptr;
  const Acquirable<Mode>* preferred = nullptr;  // of a monitor's
};

// The size of what the signal shows. Published drivers leave ActiveSize zero, which Windows takes for TotalSize.
[[nodiscard]] D3DKMDT_2DREGION ActiveSizeOf(const D3DKMDT_VIDEO_SIGNAL_INFO& signal);
// A mode that the contract allows: extents of 1 to kMaxSurfaceExtent, formats and frequencies that mean something.
[[nodiscard]] bool IsValidMode(const D3DKMDT_VIDPN_SOURCE_MODE& mode);
[[nodiscard]] bool IsValidMode(const D3DKMDT_VIDPN_TARGET_MODE& mode);
[[nodiscard]] bool IsValidMode(const D3DKMDT_MONITOR_SOURCE_MODE& mode);
// Every frequency of the signal is given; none is.
[[nodiscard]] bool HasFrequencies(const D3DKMDT_VIDEO_SIGNAL_INFO& signal);
[[nodiscard]] bool LeavesFrequenciesOpen(const D3DKMDT_VIDEO_SIGNAL_INFO& signal);
// Modes are the same when nothing but their ids differs.
[[nodiscard]] bool IsSameMode(const D3DKMDT_VIDPN_SOURCE_MODE& a, const D3DKMDT_VIDPN_SOURCE_MODE& b);
[[nodiscard]] bool IsSameMode(const D3DKMDT_VIDPN_TARGET_MODE& a, const D3DKMDT_VIDPN_TARGET_MODE& b);
[[nodiscard]] bool IsSameMode(const D3DKMDT_MONITOR_SOURCE_MODE& a, const D3DKMDT_MONITOR_SOURCE_MODE& b);

// True if a part of the list has the mode's id, or is the same mode.
template <class Mode>
[[nodiscard]] bool HasMode(const AcquirableList<Mode>& modes, const Mode& mode) {
  for (const Acquirable<Mode>& other : modes) {
    if (other.state == ElementState::kPart && (other.value.Id == mode.Id || IsSameMode(other.value, mode))) return true;
  }
  return false;
}

}  // namespace tandem::kernel
