// The graphics kernel as its host sees it: load drivers, plug devices, count. User mode enters by the D3DKMT thunks only
// (d3dkmthk.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/dma_buf.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "kernel/feature/feature.h"

#include <dispmprt.h>

namespace tandem::kernel {

// Colors that a pixel of one byte can name.
inline constexpr std::uint32_t kPaletteEntries = 256;
// Guests of one adapter.
inline constexpr std::size_t kMaxFeatureGuests = 16;

class Driver;  // a loaded miniport; owned by the kernel

// kHidden: an adapter that is tagged as no graphics adapter (the GPU of a machine whose system loads no second graphics driver).
// It is not enumerated, has no VidPn sources whatever its driver says, and is opened by its LUID alone.
enum class AdapterVisibility : std::uint8_t { kListed, kHidden };

// The monitor at a target, as the driver describes it.
struct MonitorDescription {
  bool connected = true;
  std::vector<std::uint8_t> edid;                  // whole blocks of 128 bytes; empty: the driver gives none
  std::vector<D3DKMDT_MONITOR_SOURCE_MODE> modes;  // the EDID's preferred one and the driver's; preferred ones first
  std::uint8_t angle = 0;                          // DXGK_CHILD_STATUS.Rotation.Angle, as the driver reported it last
};

// The mode that a driver set for the kernel's last words, and a block of them, A8R8G8B8. Extents in pixels, pitch in bytes.
struct SystemDisplay {
  UINT width = 0;
  UINT height = 0;
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
};
struct SystemBlock {
  const std::byte* pixels = nullptr;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t pitch = 0;
  std::uint32_t x = 0;  // place on the display
  std::uint32_t y = 0;
};

// Shapes that a driver shows over a source's picture; none of them: it has no pointer.
struct PointerCaps {
  DXGK_POINTERFLAGS shapes{};
  std::uint32_t max_width = 0;  // pixels
  std::uint32_t max_height = 0;
};

// Monochrome: an AND mask of one bit a pixel, and an XOR mask of the same size behind it. Color: A8R8G8B8, whose alpha blends.
// Masked color: A8R8G8B8, which replaces the screen's pixel where alpha is 0, and is combined with it by XOR where it is 0xFF.
enum class PointerKind : std::uint8_t { kMonochrome, kColor, kMaskedColor };

// The image of a pointer, as DXGKARG_SETPOINTERSHAPE describes it.
struct PointerShape {
  PointerKind kind = PointerKind::kColor;
  std::uint32_t width = 0;   // pixels
  std::uint32_t height = 0;  // pixels, of one mask
  std::uint32_t pitch = 0;   // bytes
  std::uint32_t hot_x = 0;   // inside the image
  std::uint32_t hot_y = 0;
  std::span<const std::byte> pixels;
};

// Place of the image's upper left corner, in pixels from that of the source's picture; it may lie outside.
struct PointerPosition {
  std::int32_t x = 0;
  std::int32_t y = 0;
  bool visible = false;
};

struct AdapterDescription {
  LUID luid{};
  std::string name;                      // the DEVICE_OBJECT's
  std::string driver_name;               // given to LoadDriver
  std::uint32_t wddm_version = 0;        // DXGK_WDDMVERSION of the driver's caps
  std::uint32_t cross_adapter_tier = 0;  // 0..3, from DXGK_VIDMMCAPS
  bool compute_only = false;             // MiscCaps.ComputeOnly: no present, no surfaces of a desktop
  std::string tier_refusal;              // why the tier that the driver declares counts as 0; empty: it counts
  std::uint32_t vidpn_sources = 0;
  std::uint32_t targets = 0;  // video outputs
  std::uint32_t nodes = 0;
  std::uint64_t local_memory_bytes = 0;
  AdapterVisibility visibility = AdapterVisibility::kListed;
  std::uint32_t copy_node = 0;  // the first one with a copy engine, by DxgkDdiGetNodeMetadata; 0 when none says so
  PointerCaps pointer;
};

// Surfaces that the driver describes without a user-mode half (D3DKMDT_STANDARDALLOCATION_TYPE).
enum class StandardSurface : std::uint8_t { kSharedPrimary, kShadow, kStaging, kTexture, kCrossAdapterTexture };

struct StandardSurfaceRequest {
  StandardSurface type = StandardSurface::kTexture;
  std::uint32_t width = 0;   // pixels
  std::uint32_t height = 0;  // pixels
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  std::uint32_t vidpn_source = 0;  // shared primaries only
};

// The private data by which DxgkDdiCreateAllocation makes such a surface.
struct StandardSurfaceData {
  std::vector<std::byte> allocation_data;
  std::vector<std::byte> resource_data;
  std::uint32_t pitch = 0;  // bytes; 0: the driver keeps it to itself
};

// Monotonic counters of one adapter. Reading them costs nothing to the frame path.
struct AdapterCounters {
  std::uint64_t ddi_presents = 0;  // calls of DxgkDdiPresent
  std::uint64_t submissions = 0;   // calls of DxgkDdiSubmitCommand, paging included
  std::uint64_t patches = 0;
  std::uint64_t flips = 0;   // calls of DxgkDdiSetVidPnSourceAddress that were not mode changes
  std::uint64_t vsyncs = 0;  // CRTC_VSYNC interrupts
  std::uint64_t resets = 0;
  std::uint64_t preemptions = 0;           // calls of DxgkDdiPreemptCommand
  std::uint64_t preemptions_answered = 0;  // DMA_PREEMPTED interrupts
  std::uint64_t lost_interrupts = 0;       // completions that only DxgkDdiQueryCurrentFence told of
};

// The progress of a node's engine.
struct FenceProgress {
  std::uint32_t current = 0;    // answer of DxgkDdiQueryCurrentFence
  std::uint32_t completed = 0;  // the last fence that an interrupt reported
  std::uint32_t submitted = 0;  // the last SubmissionFenceId
};

// Reaction of the kernel to an engine that does not finish (timeout detection and recovery, TDR).
enum class TdrLevel : std::uint8_t {
  kOff,      // nothing
  kStop,     // the adapter is stopped, where Windows would stop the machine
  kRecover,  // the engine, or else the adapter, is reset
};

struct TdrSettings {
  TdrLevel level = TdrLevel::kRecover;
  // A DMA buffer that has run for so long is preempted; a preemption that has not come after so long is a timeout.
  std::int64_t delay_ns = 2'000'000'000;
  // A call of the driver that has not returned after so long: the adapter is given up (TdrDdiDelay).
  std::int64_t ddi_delay_ns = 5'000'000'000;
  // One more timeout than `limit_count` within `limit_time_ns` stops the adapter.
  std::uint32_t limit_count = 5;
  std::int64_t limit_time_ns = 60'000'000'000;
};

// Settings of a kernel that judges drivers, beyond one that serves programs. All of it stays within the contract.
struct TrialSettings {
  // Leaves DxgkDdiPatch out for a DMA buffer whose allocations are at the addresses that its allocation list had.
  bool skips_needless_patches = false;
  // Moves each allocation that is not pinned before a DMA buffer that names it is submitted.
  bool moves_allocations = false;
  // Submits DMA buffers in pieces, cut at every SplitOffset, and lets paging buffers begin at an offset.
  bool splits_buffers = false;
  // Lists the paths of a VidPN with the primary one last: the contract names it by ImportanceOrdinal, not by its place.
  bool lists_primary_last = false;
  // Puts guard zones behind DMA buffers, patch-location lists and private data. Kernel::Overrun() tells of writes into them.
  bool guards_buffers = false;
};

// One timeout, as it was recovered from.
struct TimeoutReport {
  std::uint32_t code = 0;             // the bug check code that Windows has for it, 0x117 or 0x141
  const char* name = "";              // the code's
  std::uint32_t node = 0;             // that hung
  std::uint32_t fence = 0;            // SubmissionFenceId of what hung
  bool responsive = false;            // DxgkDdiQueryEngineStatus said so
  std::int64_t time_ns = 0;           // time of the clock
  std::vector<std::byte> debug_info;  // bytes of DxgkDdiCollectDbgInfo, without the zeros at their end
};

// A target that shows what a VidPn source shows. The picture is turned by the display orientation, and there by `offset` more,
// counter-clockwise.
struct SourceTarget {
  std::uint32_t target = 0;  // VidPnTargetId
  D3DDDI_ROTATION offset = D3DDDI_ROTATION_IDENTITY;
};

// A mode of a VidPn source that the driver offers.
struct SourceModeOffer {
  std::uint32_t width = 0;   // pixels of the primary
  std::uint32_t height = 0;  // pixels
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
};

// Pages of system-memory allocations. Other processes can map memfd pages; anonymous pages are the only ones that every Vulkan
// driver imports. kDmaBuf: memory that a device exports, for cross-adapter resources alone; other allocations get a memfd. All
// are zeroed and page aligned.
enum class BackingStoreKind { kMemfd, kAnonymous, kDmaBuf };

// One per process at a time: Create() installs the object that the D3DKMT thunks answer from, the destructor stops every adapter
// (in reverse order of plugging) and removes it. Without one every thunk answers STATUS_DEVICE_REMOVED.
// Thread-safe. Never call it from a DDI.
class Kernel {
 public:
  static Result<std::unique_ptr<Kernel>> Create(Clock& clock);
  static Result<std::unique_ptr<Kernel>> Create(Clock& clock, const TdrSettings& tdr);
  static Result<std::unique_ptr<Kernel>> Create(Clock& clock, const TdrSettings& tdr, const TrialSettings& trial);
  virtual ~Kernel() = default;

  // Runs `prologue` at the start of every thunk, on the caller's thread; null: nothing. For a host that starts the kernel with
  // the first call.
  static void SetPrologue(void (*prologue)() noexcept);
  // For the child of a fork(), which has none of the kernel's threads. Every thunk then answers STATUS_DEVICE_REMOVED.
  static void AbandonInChild();

  // Calls `entry` (DriverEntry) and keeps what it registered with DxgkInitialize. The name is for people ("soft", "vulkan").
  virtual Result<Driver*> LoadDriver(DRIVER_INITIALIZE* entry, std::string name) = 0;
  // AddDevice, StartDevice, QueryAdapterInfo (caps, segments), their checks. `device_extension` is the bus's description of the
  // device and stays valid until RemoveAdapter returned.
  virtual Result<LUID> AddAdapter(Driver& driver, void* device_extension, std::string name, AdapterVisibility visibility) = 0;
  Result<LUID> AddAdapter(Driver& driver, void* device_extension, std::string name) {
    return AddAdapter(driver, device_extension, std::move(name), AdapterVisibility::kListed);
  }
  // StopDevice, RemoveDevice. kTimeout for an adapter with a call in its driver that does not return: nobody gets into it any
  // more, and what it and the driver use stays for good, `device_extension` included. User-mode handles to the adapter stay valid
  // and answer STATUS_DEVICE_REMOVED.
  virtual Result<void> RemoveAdapter(LUID adapter) = 0;

  // As RemoveAdapter for a device that is gone: a driver that declares SupportSurpriseRemoval hears so first
  // (DxgkDdiNotifySurpriseRemoval).
  virtual Result<void> SurpriseRemoveAdapter(LUID adapter) = 0;

  // The system stops, and the driver of the adapter shows the kernel's last words. Nothing but writes and the adapter's removal
  // follow. Errors: as adapter/system_display.h.
  virtual Result<SystemDisplay> EnableSystemDisplay(LUID adapter) = 0;
  virtual Result<void> WriteSystemDisplay(LUID adapter, const SystemBlock& block) = 0;

  // The targets that a VidPn source feeds from now on, the primary one first; several are a clone. Other sources lose them. At
  // first source N feeds target N. Neither the source nor one that loses a target may show anything. kNotFound, kInvalidArgument.
  virtual Result<void> SetTargets(LUID adapter, std::uint32_t vidpn_source, std::span<const SourceTarget> targets) = 0;

  // Entries of the palette that a source's P8 primaries are shown by, from `first` on. kInvalidArgument beyond kPaletteEntries,
  // kUnsupported where the driver has no palette, kNotFound.
  virtual Result<void> SetPalette(LUID adapter, std::uint32_t vidpn_source, std::uint32_t first,
                                  std::span<const D3DKMDT_PALETTEDATA> entries) = 0;

  // Switches what a source shows off or on; its mode stays. A source without a mode stays dark. kNotFound, kDeviceLost.
  virtual Result<void> SetVisibility(LUID adapter, std::uint32_t vidpn_source, bool visible) = 0;

  // The mode that the driver offers a source for `width` x `height` pixels of 32 bits: of this size, else the smallest that holds
  // it, else the largest. Nothing is set. kNotFound; kUnsupported when the driver offers none, with the status.
  virtual Result<SourceModeOffer> ClosestMode(LUID adapter, std::uint32_t vidpn_source, std::uint32_t width,
                                              std::uint32_t height) = 0;

  // Gives a source's pointer its image, or moves it. kNotFound; kUnsupported for a driver without pointer, or without this kind;
  // kInvalidArgument for an image above the driver's limits, whose rows are not there, or whose mask is neither 0 nor 0xFF; else
  // the driver's status as kInternal.
  virtual Result<void> SetPointerShape(LUID adapter, std::uint32_t vidpn_source, const PointerShape& shape) = 0;
  virtual Result<void> SetPointerPosition(LUID adapter, std::uint32_t vidpn_source, const PointerPosition& position) = 0;

  // Preempts the work of a node, as work of a higher priority would. False while nothing runs or a preemption is not answered.
  virtual Result<bool> Preempt(LUID adapter, std::uint32_t node) = 0;
  // Asks DxgkDdiQueryCurrentFence. kUnsupported with the status when the driver fails it.
  virtual Result<FenceProgress> QueryFence(LUID adapter, std::uint32_t node) = 0;

  // Every feature that this kernel knows, in the order of their ids.
  [[nodiscard]] static std::span<const Feature> Features();
  // kInvalidArgument, with a sentence, for an override that can never apply.
  [[nodiscard]] static Result<void> CheckFeatureOverride(const FeatureOverride& change);
  // For adapters that are added from now on, and for global features at once; replaces the overrides of before. kInvalidArgument
  // for one that cannot apply: nothing changes then.
  virtual Result<void> SetFeatureOverrides(const std::vector<FeatureOverride>& overrides) = 0;
  // The state of each feature, in the order of Features(). Asks no driver.
  [[nodiscard]] virtual Result<std::vector<FeatureState>> FeatureStates(LUID adapter) const = 0;

  // Asks the driver for the interface of every enabled feature that has one at its version, and returns how many there are.
  // kInternal when the driver broke a rule.
  virtual Result<std::uint32_t> AskFeatureInterfaces(LUID adapter) = 0;
  // Asks DxgkDdiGetStandardAllocationDriverData. kUnsupported when the driver has no such surface, with the status that it
  // answered.
  virtual Result<StandardSurfaceData> DescribeStandardSurface(LUID adapter, const StandardSurfaceRequest& request) = 0;

  // Asks DxgkDdiQueryChildStatus of the child `status.ChildUid` for `status.Type`, and returns what the driver answered.
  // kUnsupported when the driver has no such DDI.
  virtual Result<NTSTATUS> QueryChildStatus(LUID adapter, DXGK_CHILD_STATUS& status) = 0;

  // The monitor at a target: read when the adapter starts, and whenever the driver indicates a change. kNotFound.
  [[nodiscard]] virtual Result<MonitorDescription> Monitor(LUID adapter, std::uint32_t target) const = 0;

  // Answers a guest's kernel about the features of an adapter, until the guest or the adapter goes. The guest has the other end
  // of a connected stream socket (Unix, vsock). kNotFound, kLimit (kMaxFeatureGuests).
  virtual Result<void> ServeGuest(LUID adapter, UniqueFd socket) = 0;
  // The adapter that is added next is a guest's; its host is at the other end of the socket. Waits for the host's welcome. A host
  // that lies, stalls or goes away afterwards turns features off and nothing else. kDeviceLost, with the reason: no welcome came,
  // and the next adapter is no guest's.
  virtual Result<void> JoinHost(UniqueFd socket) = 0;

  // For allocations created from now on; kMemfd at first.
  virtual void SetBackingStorePreference(BackingStoreKind kind) = 0;
  // Makes the dma-bufs of kDmaBuf; null: none, and a memfd is taken. A resource gets a memfd, too, when the source has no memory
  // for it.
  virtual void SetDmaBufSource(std::shared_ptr<DmaBufSource> source) = 0;

  [[nodiscard]] virtual std::vector<AdapterDescription> Adapters() const = 0;
  [[nodiscard]] virtual Result<AdapterCounters> Counters(LUID adapter) const = 0;
  // The rule that the adapter's driver broke, and how; empty as long as it broke none.
  [[nodiscard]] virtual Result<std::string> Violation(LUID adapter) const = 0;
  // The first write behind a buffer that was seen; empty while none was. Needs TrialSettings::guards_buffers.
  [[nodiscard]] virtual Result<std::string> Overrun(LUID adapter) const = 0;
  // The adapter's latest timeouts, oldest first.
  [[nodiscard]] virtual Result<std::vector<TimeoutReport>> Timeouts(LUID adapter) const = 0;
};

}  // namespace tandem::kernel
