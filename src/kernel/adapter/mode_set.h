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

}  // namespace tandem::kernel
