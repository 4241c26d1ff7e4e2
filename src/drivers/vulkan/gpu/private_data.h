// The private data that the two halves of this driver exchange through the kernel, and what others may read of it. Plain data of
// fixed layout; whoever reads checks magic and version first.
#pragma once

#include <array>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "color/nv12.h"

namespace tandem::vulkan {

// Bytes: every driver of this contract reads such rows, and VkBufferImageCopy takes them on every device.
inline constexpr std::uint32_t kPitchAlignment = 256;
inline constexpr std::uint32_t kHeightAlignment = 4;  // rows; D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT

// How system pages of one kind become usable by the device, found by trying when it was started.
enum class ImportState : std::uint32_t {
  kRefused = 0,   // copied by the CPU into a buffer of the device's own
  kWorks = 1,     // imported; a pattern passed in both directions
  kUntested = 2,  // the pages could not be made
};

// The answer to DXGKQAITYPE_UMDRIVERPRIVATE (and KMTQAITYPE_UMDRIVERPRIVATE).
struct AdapterData {
  static constexpr std::uint32_t kMagic = 0x44415654;  // "TVAD"
  static constexpr std::uint32_t kVersion = 2;

  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t cross_adapter_tier = 0;  // 0..3
  std::uint32_t vidpn_sources = 0;
  ImportState anonymous_import = ImportState::kRefused;  // private anonymous pages
  ImportState memfd_import = ImportState::kRefused;      // shared pages of a memfd
  std::int32_t anonymous_result = 0;                     // VkResult of the first call that failed
  std::int32_t memfd_result = 0;
  std::uint64_t import_alignment = 0;  // minImportedHostPointerAlignment, bytes
  std::uint64_t gpu_write_ns = 0;      // a pattern of kProbeBytes written by the GPU into imported pages, until the CPU saw it
  std::uint64_t gpu_read_ns = 0;       // and the other way
  std::uint64_t bounced_copies = 0;    // presents that the CPU copied, so far
  std::uint64_t bounced_bytes = 0;
  std::uint32_t borrowed = 0;  // 1: the device is the application's
  std::uint32_t device_lost = 0;
  // The way between the device's own memory and system memory (base/link_measure.h), out of the device and into it; 0: it was not
  // measured. A software device has none.
  std::uint64_t link_out_bytes_per_second = 0;
  std::uint64_t link_in_bytes_per_second = 0;
  std::int64_t link_out_latency_ns = 0;
  std::int64_t link_in_latency_ns = 0;
  std::uint32_t shaders_code_links = 0;  // 1: a queue takes the dispatches that encode and decode before the link
  std::uint32_t reserved = 0;
  std::array<char, 192> reason{};  // a sentence about the imports, zero-terminated
};
static_assert(sizeof(AdapterData) == 312);

enum class AllocationKind : std::uint32_t {
  kImage = 1,    // a VkImage of the device's own, for an application to draw into
  kLinear = 2,   // rows in system memory that other adapters see
  kPrimary = 3,  // what a VidPn source scans out; the pixels are the window system's
  kHeap = 4,     // bytes in system memory without a pixel format
  kLocal = 5,    // rows in the device's own memory, which move to system memory and back as the kernel wants
};

enum AllocationFlag : std::uint32_t {
  // Of kLinear and kHeap: the kernel-mode half gets an address of the backing store, too (ShareBackingStoreWithKmd).
  kShareBackingStore = 1,
  // Of kPrimary: whole frames are copied to it and flipped, nothing else. Without it the driver keeps a copy of what is shown, to
  // draw into and to read; one with a palette always does.
  kFramesOnly = 2,
};

inline constexpr std::uint32_t kMaxViewFormats = 8;

// Allocation private data. Written by the user-mode half or by DxgkDdiGetStandardAllocationDriverData; `object` is filled by
// DxgkDdiCreateAllocation.
struct AllocationData {
  static constexpr std::uint32_t kMagic = 0x4C415654;  // "TVAL"
  static constexpr std::uint32_t kVersion = 1;

  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  AllocationKind kind = AllocationKind::kLinear;
  color::Format format = color::Format::kUnknown;
  std::uint32_t width = 0;         // pixels; bytes of a heap
  std::uint32_t height = 0;        // pixels
  std::uint32_t pitch = 0;         // bytes; 0 for images and primaries, whose rows nobody sees
  std::uint32_t vidpn_source = 0;  // of a primary
  std::uint64_t size = 0;          // bytes, whole pages
  // Of an image: what the application asked for.
  VkImageCreateFlags image_flags = 0;
  VkImageUsageFlags image_usage = 0;
  std::uint32_t view_format_count = 0;
  std::array<std::int32_t, kMaxViewFormats> view_formats{};  // VkFormat
  std::uint32_t flags = 0;                                   // of AllocationFlag
  std::uint64_t object = 0;  // the kernel-mode half's allocation, for the user-mode half of the same process
};
static_assert(sizeof(AllocationData) == 96);

// 4:2:0 as color/nv12.h has it, that other adapters read: copies go into it, and none out of it. A build without 4:2:0 knows no
// such surface.
[[nodiscard]] constexpr bool IsNv12(color::Format format) { return color::kHasYuv420 && format == color::kNv12; }

// Fills pitch and size. `pitch` 0: the smallest multiple of kPitchAlignment that holds a row; else it must hold one and be a
// multiple of 128. Link surfaces and NV12, of even extents, are of kind kLinear. kInvalidArgument with value and limit.
[[nodiscard]] Result<AllocationData> DescribeSurface(AllocationKind kind, std::uint32_t width, std::uint32_t height,
                                                     color::Format format, std::uint32_t pitch);
// `bytes` of system memory without a format. kInvalidArgument for 0.
[[nodiscard]] Result<AllocationData> DescribeHeap(std::uint32_t bytes);
// Checks what came from user mode. kInvalidArgument.
[[nodiscard]] Result<AllocationData> ValidateAllocationData(const void* data, std::uint32_t data_size);

// Escape private data (D3DKMTEscape, pfnEscapeCb): why the linear image of an opened cross-adapter allocation is missing.
struct EscapeData {
  static constexpr std::uint32_t kMagic = 0x45435654;  // "TVCE"
  static constexpr std::uint32_t kVersion = 1;

  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t allocation = 0;    // D3DKMT_HANDLE, in
  std::uint32_t presentable = 0;   // out: 1 when it has a VkImage that an application can draw into
  std::array<char, 256> reason{};  // out: a sentence, zero-terminated; empty when presentable
};
static_assert(sizeof(EscapeData) == 272);

// Escape private data: the kernel-mode half reads or writes four bytes of a backing store that is shared with it
// (kShareBackingStore).
struct BackingStoreEscape {
  static constexpr std::uint32_t kMagic = 0x45425654;  // "TVBE"

  std::uint32_t magic = kMagic;
  std::uint32_t allocation = 0;  // D3DKMT_HANDLE
  std::uint32_t write = 0;
  std::uint32_t value = 0;   // written, or what was read
  std::uint64_t offset = 0;  // bytes; the four bytes there lie within the allocation
};
static_assert(sizeof(BackingStoreEscape) == 24);

}  // namespace tandem::vulkan
