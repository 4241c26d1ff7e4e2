// Private data that the driver's two halves exchange through the kernel, and the parts that others may read. Plain data of
// fixed layout; every reader checks magic and version first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "color/format.h"
#include "drivers/common/surface_layout.h"

namespace tandem::vulkan {

// The way in which the device uses one kind of system pages, found by a probe at its start.
enum class ImportState : std::uint32_t {
  kRefused = 0,   // the CPU copies them into a buffer of the device's own
  kWorks = 1,     // imported; the probe's pattern passed in both directions
  kUntested = 2,  // the pages could not be allocated
};

// Ways in which the device may reach system pages, in the order of their choice.
enum class PageWay : std::uint32_t {
  kDmaBuf = 0,     // a memfd's, by a dma-buf over them
  kMemfd = 1,      // a memfd's, by their address
  kAnonymous = 2,  // private ones, by their address
  kExported = 3,   // memory of the device, which it exports as a dma-buf
};
inline constexpr std::size_t kPageWays = 4;

// The probe's finding for one way.
struct PageWayData {
  ImportState state = ImportState::kUntested;
  std::int32_t result = 0;       // VkResult of the first failed call
  std::uint64_t write_ns = 0;    // the GPU writes kProbeBytes into the pages, submission included; 0: the CPU did not see them
  std::uint64_t read_ns = 0;     // the reverse direction
  std::array<char, 168> reason;  // a sentence, zero-terminated
};

// The answer to DXGKQAITYPE_UMDRIVERPRIVATE (and KMTQAITYPE_UMDRIVERPRIVATE).
struct AdapterData {
  static constexpr std::uint32_t kMagic = 0x44415654;  // "TVAD"
  static constexpr std::uint32_t kVersion = 3;

  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t cross_adapter_tier = 0;  // 0..3
  std::uint32_t vidpn_sources = 0;
  std::uint64_t import_alignment = 0;  // minImportedHostPointerAlignment, bytes
  std::uint64_t bounced_copies = 0;    // presents copied by the CPU so far
  std::uint64_t bounced_bytes = 0;
  std::uint32_t borrowed = 0;  // 1: the device is the application's
  std::uint32_t device_lost = 0;
  // The link between the device's own memory and system memory (base/link_measure.h), out of the device and into it; 0: not
  // measured. A software device has none.
  std::uint64_t link_out_bytes_per_second = 0;
  std::uint64_t link_in_bytes_per_second = 0;
  std::int64_t link_out_latency_ns = 0;
  std::int64_t link_in_latency_ns = 0;
  std::uint32_t shaders_code_links = 0;                 // 1: a queue takes the dispatches that encode and decode before the link
  ImportState dma_buf_images = ImportState::kUntested;  // a program can draw into an image over a dma-buf
  std::array<char, 192> reason{};                       // a sentence about the imports, zero-terminated
  std::uint64_t fences_in = 0;                          // sync_files of other users of shared pages that the device waited for
  std::uint64_t fences_out = 0;                         // its own that others can wait for
  std::uint32_t sync_files = 0;                         // 1: its semaphores are sync_files; otherwise the processor waits
  std::uint32_t reserved = 0;
  std::array<PageWayData, kPageWays> ways{};

  [[nodiscard]] const PageWayData& Of(PageWay way) const { return ways[static_cast<std::size_t>(way)]; }
};
static_assert(sizeof(AdapterData) == 304 + kPageWays * sizeof(PageWayData));
static_assert(sizeof(PageWayData) == 192);

enum class AllocationKind : std::uint32_t {
  kImage = 1,    // a VkImage of the device's own, for an application to render to
  kLinear = 2,   // rows in system memory, visible to other adapters
  kPrimary = 3,  // a VidPn source scans it out; the window system owns the pixels
  kHeap = 4,     // bytes in system memory without a pixel format
  kLocal = 5,    // rows in the device's own memory, which the kernel may move to system memory and back
};

enum AllocationFlag : std::uint32_t {
  // For kLinear and kHeap: the kernel-mode half also gets an address of the backing store (ShareBackingStoreWithKmd).
  kShareBackingStore = 1,
  // For kPrimary: the primary only takes copies of whole frames, and flips. Without the flag the driver keeps a copy of the
  // shown picture, for drawing and reading. A primary with a palette always has that copy.
  kFramesOnly = 2,
};

inline constexpr std::uint32_t kMaxViewFormats = 8;

// Allocation private data. The user-mode half or DxgkDdiGetStandardAllocationDriverData writes it; DxgkDdiCreateAllocation
// fills `object`.
struct AllocationData {
  static constexpr std::uint32_t kMagic = 0x4C415654;  // "TVAL"
  static constexpr std::uint32_t kVersion = 1;

  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  AllocationKind kind = AllocationKind::kLinear;
  color::Format format = color::Format::kUnknown;
  std::uint32_t width = 0;         // pixels; bytes of a heap
  std::uint32_t height = 0;        // pixels
  std::uint32_t pitch = 0;         // bytes; 0 for images and primaries, whose rows are not visible
  std::uint32_t vidpn_source = 0;  // for a primary
  std::uint64_t size = 0;          // bytes, whole pages
  // For an image: the application's properties.
  VkImageCreateFlags image_flags = 0;
  VkImageUsageFlags image_usage = 0;
  std::uint32_t view_format_count = 0;
  std::array<std::int32_t, kMaxViewFormats> view_formats{};  // VkFormat
  std::uint32_t flags = 0;                                   // combination of AllocationFlag
  std::uint64_t object = 0;  // the kernel-mode half's allocation, for the user-mode half of the same process
};
static_assert(sizeof(AllocationData) == 96);

// Fills pitch and size by drivers::LayOutSurface. Images and primaries keep their pitch to themselves; link surfaces and NV12
// are of kind kLinear. kInvalidArgument.
[[nodiscard]] Result<AllocationData> DescribeSurface(AllocationKind kind, std::uint32_t width, std::uint32_t height,
                                                     color::Format format, std::uint32_t pitch);
// Describes `bytes` of system memory without a format. kInvalidArgument for 0.
[[nodiscard]] Result<AllocationData> DescribeHeap(std::uint32_t bytes);
// Validates data from user mode. kInvalidArgument.
[[nodiscard]] Result<AllocationData> ValidateAllocationData(const void* data, std::uint32_t data_size);

// Escape private data (D3DKMTEscape, pfnEscapeCb): the reason why an opened cross-adapter allocation has no linear image.
struct EscapeData {
  static constexpr std::uint32_t kMagic = 0x45435654;  // "TVCE"
  static constexpr std::uint32_t kVersion = 1;

  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t allocation = 0;    // D3DKMT_HANDLE, in
  std::uint32_t presentable = 0;   // out: 1 if it has a VkImage that an application can render to
  std::array<char, 256> reason{};  // out: a sentence, zero-terminated; empty when presentable
};
static_assert(sizeof(EscapeData) == 272);

}  // namespace tandem::vulkan
