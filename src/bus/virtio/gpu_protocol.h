// Commands of a virtio GPU and their answers (virtio 1.2, 5.7). gpu_protocol_3d.h has the structures of 3D. Little-endian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tandem::bus::virtio {

inline constexpr std::uint16_t kGpuType = 16;
inline constexpr std::uint64_t kGpuVirgl = std::uint64_t{1} << 0;  // VIRTIO_GPU_F_VIRGL
inline constexpr std::uint64_t kGpuEdid = std::uint64_t{1} << 1;   // VIRTIO_GPU_F_EDID

enum class GpuCommand : std::uint32_t {
  kGetDisplayInfo = 0x100,
  kResourceCreate2d,
  kResourceUnref,
  kSetScanout,
  kResourceFlush,
  kTransferToHost2d,
  kResourceAttachBacking,
  kResourceDetachBacking,
  kGetCapsetInfo,
  kGetCapset,
  kGetEdid,
  kContextCreate = 0x200,
  kContextDestroy,
  kContextAttachResource,
  kContextDetachResource,
  kResourceCreate3d,
  kTransferToHost3d,
  kTransferFromHost3d,
  kSubmit3d,
  kUpdateCursor = 0x300,
  kMoveCursor,
};

enum class GpuAnswer : std::uint32_t {
  kOk = 0x1100,
  kDisplayInfo,
  kCapsetInfo,
  kCapset,
  kEdid,
  kUnspecified = 0x1200,
  kOutOfMemory,
  kInvalidScanout,
  kInvalidResource,
  kInvalidContext,
  kInvalidParameter,
};

enum class GpuFormat : std::uint32_t { kB8G8R8A8 = 1, kB8G8R8X8 = 2, kR8G8B8A8 = 67, kR8G8B8X8 = 134 };

inline constexpr std::uint32_t kGpuFence = 1;  // flag of GpuHeader
inline constexpr std::size_t kMaxScanouts = 16, kMaxEdidBytes = 1024;

struct GpuHeader {
  std::uint32_t type;
  std::uint32_t flags;
  std::uint64_t fence;
  std::uint32_t context;
  std::uint32_t padding;
};

struct GpuRect {
  std::uint32_t x, y, width, height;  // pixels
};

struct GpuCreate2d {
  GpuHeader header;
  std::uint32_t resource, format, width, height;
};

struct GpuResourceCommand {  // unref, detach backing
  GpuHeader header;
  std::uint32_t resource, padding;
};

struct GpuSetScanout {
  GpuHeader header;
  GpuRect rect;
  std::uint32_t scanout, resource;
};

struct GpuFlush {
  GpuHeader header;
  GpuRect rect;
  std::uint32_t resource, padding;
};

struct GpuTransfer {
  GpuHeader header;
  GpuRect rect;
  std::uint64_t offset;  // in the backing, bytes
  std::uint32_t resource, padding;
};

struct GpuAttachBacking {  // `entries` GpuBackingEntry follow
  GpuHeader header;
  std::uint32_t resource, entries;
};

struct GpuBackingEntry {
  std::uint64_t address;
  std::uint32_t bytes, padding;
};

struct GpuGetEdid {
  GpuHeader header;
  std::uint32_t scanout, padding;
};

struct GpuCursor {
  GpuHeader header;
  std::uint32_t scanout, x, y, padding;
  std::uint32_t resource, hot_x, hot_y, padding2;  // update alone
};

struct GpuDisplayInfo {
  GpuHeader header;
  struct Scanout {
    GpuRect rect;
    std::uint32_t enabled, flags;
  };
  std::array<Scanout, kMaxScanouts> scanouts;
};

struct GpuEdidAnswer {
  GpuHeader header;
  std::uint32_t bytes, padding;
  std::array<std::uint8_t, kMaxEdidBytes> edid;
};

static_assert(sizeof(GpuHeader) == 24 && sizeof(GpuCreate2d) == 40 && sizeof(GpuSetScanout) == 48 && sizeof(GpuTransfer) == 56 &&
              sizeof(GpuAttachBacking) == 32 && sizeof(GpuCursor) == 56 && sizeof(GpuDisplayInfo) == 408 &&
              sizeof(GpuEdidAnswer) == 1056);

}  // namespace tandem::bus::virtio
