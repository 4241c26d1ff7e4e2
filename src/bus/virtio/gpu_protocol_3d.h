// Commands of a virtio GPU with VIRTIO_GPU_F_VIRGL, and values of the virgl protocol that the device model looks at.
// Little-endian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bus/virtio/gpu_protocol.h"

namespace tandem::bus::virtio {

// Capability sets in the order of their index.
inline constexpr std::array<std::uint32_t, 2> kCapsets{1, 2};  // VIRTIO_GPU_CAPSET_VIRGL, _VIRGL2

struct GpuGetCapsetInfo {
  GpuHeader header;
  std::uint32_t index, padding;
};

struct GpuCapsetInfo {  // the answer
  GpuHeader header;
  std::uint32_t id, max_version, max_bytes, padding;
};

struct GpuGetCapset {
  GpuHeader header;
  std::uint32_t id, version;
};

struct GpuContextCreate {
  GpuHeader header;
  std::uint32_t name_bytes, init;  // init: a capability set, or zero
  std::array<char, 64> name;
};

struct GpuContextResource {  // attach, detach
  GpuHeader header;
  std::uint32_t resource, padding;
};

struct GpuCreate3d {
  GpuHeader header;
  std::uint32_t resource, target, format, bind;
  std::uint32_t width, height, depth, array_size;
  std::uint32_t last_level, samples, flags, padding;
};

struct GpuBox {
  std::uint32_t x, y, z, width, height, depth;  // texels, or bytes of a buffer
};

struct GpuTransfer3d {
  GpuHeader header;
  GpuBox box;
  std::uint64_t offset;  // in the backing, bytes
  std::uint32_t resource, level;
  std::uint32_t stride, layer_stride;  // bytes; 0: those of the level
};

struct GpuSubmit3d {  // `bytes` of virgl commands follow
  GpuHeader header;
  std::uint32_t bytes, padding;
};

static_assert(sizeof(GpuCapsetInfo) == 40 && sizeof(GpuContextCreate) == 96 && sizeof(GpuCreate3d) == 72 &&
              sizeof(GpuTransfer3d) == 72 && sizeof(GpuSubmit3d) == 32);

// Values of GpuCreate3d::target.
enum class GpuTarget : std::uint32_t {
  kBuffer,
  kTexture1d,
  kTexture2d,
  kTexture3d,
  kCube,
  kRectangle,
  kArray1d,
  kArray2d,
  kCubeArray,
};

// Bits of GpuCreate3d::bind.
inline constexpr std::uint32_t kBindCustom = 1u << 17, kBindStaging = 1u << 19;
inline constexpr std::uint32_t kTopIsFirst = 1;  // flag of GpuCreate3d: VIRTIO_GPU_RESOURCE_FLAG_Y_0_TOP

// Offsets of the capability bits in capability set 2, and the bits that need guest memory or blobs under a resource.
inline constexpr std::size_t kCapabilityBits = 392, kCapabilityBits2 = 688;
inline constexpr std::uint32_t kCapDebugFlags = 1u << 14, kCapTransfer = 1u << 17, kCapCopyTransfer = 1u << 26,
                               kCapBufferStorage = 1u << 31;
inline constexpr std::uint32_t kCap2UntypedResource = 1u << 1, kCap2VideoMemory = 1u << 2, kCap2MemoryInfo = 1u << 3,
                               kCap2CopyBothWays = 1u << 7;

// State of a query in a buffer with kBindCustom alone: what the device writes when the result is there.
struct GpuQueryState {
  std::uint32_t state, result_bytes;
  std::uint64_t result;
};
static_assert(sizeof(GpuQueryState) == 16);

}  // namespace tandem::bus::virtio
