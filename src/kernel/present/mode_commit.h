// The mode of one source: a VidPN of all active paths is negotiated with the driver, and made functional.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernel/adapter/adapter.h"
#include "kernel/adapter/vidpn.h"
#include "kernel/kernel.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// A source's part of a VidPN: its paths, and the modes that the driver offered and the kernel pinned.
struct PinnedSource {
  std::uint32_t source = 0;
  D3DKMDT_VIDPN_SOURCE_MODE mode{};
  struct Target {
    D3DKMDT_VIDPN_PRESENT_PATH path{};
    D3DKMDT_VIDPN_TARGET_MODE mode{};
  };
  std::vector<Target> targets;
};

// The mode that a source shall have. The first target is the primary one.
struct WantedMode {
  std::uint32_t source = 0;
  std::span<const SourceTarget> targets;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  D3DDDI_ROTATION rotation = D3DDDI_ROTATION_IDENTITY;
  bool any_size = false;  // a mode of another size will do
};

// One change of a source's mode. PASSIVE_LEVEL, one thread.
class ModeCommit {
 public:
  explicit ModeCommit(Adapter& adapter);

  // Asks the driver for modes until each path of `wanted` has one, beside the sources that show something. On failure nothing
  // is changed: STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY without targets, STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED when the
  // driver offers no such mode or rotation, STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED, or the driver's status.
  [[nodiscard]] NTSTATUS Negotiate(std::span<const PinnedSource> others, const WantedMode& wanted);
  // Behind Negotiate() that succeeded. The adapter is idle. `primary`: the driver's handle; null for a display-only driver.
  [[nodiscard]] NTSTATUS Commit(HANDLE primary);
  // Commits a VidPN of `others` alone, in which `source` has no path: its monitors are gone. The adapter is idle.
  [[nodiscard]] NTSTATUS TakeOff(std::span<const PinnedSource> others, std::uint32_t source);
  // The source with the modes that Negotiate() pinned.
  [[nodiscard]] PinnedSource Pinned() const;

 private:
  [[nodiscard]] NTSTATUS Enumerate(D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE type, DXGK_ENUM_PIVOT pivot);
  [[nodiscard]] std::optional<D3DKMDT_2DREGION> PinSource(const WantedMode& wanted);
  [[nodiscard]] NTSTATUS PinTargets(const WantedMode& wanted, const D3DKMDT_2DREGION& size);
  [[nodiscard]] NTSTATUS PinTransformations(const WantedMode& wanted);
  // Answers about active paths, for a trace. STATUS_SUCCESS unless the driver broke a rule.
  [[nodiscard]] NTSTATUS AskHwCapabilities();
  // The driver's status, or STATUS_DEVICE_REMOVED for one that broke a rule while it had the VidPN.
  [[nodiscard]] NTSTATUS TakeBack(const char* ddi, NTSTATUS status);

  Adapter& adapter_;
  VidPn vidpn_;
  std::uint32_t source_ = 0;
  std::vector<std::uint32_t> targets_;
};

}  // namespace tandem::kernel
