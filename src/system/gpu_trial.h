// Facts of one Vulkan device and the speed of its memory, link and shaders, measured by the driver's own code.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/link_measure.h"
#include "base/result.h"
#include "config/adapter_info.h"
#include "link/surface/link_surface.h"
#include "system/link_pictures.h"

namespace tandem::system {

struct GpuFacts {
  std::string vulkan_version;  // "1.3.239"
  struct Heap {
    std::uint64_t bytes = 0;
    bool device_local = false;
  };
  std::vector<Heap> heaps;
  struct Family {
    std::string uses;  // "graphics, compute, transfer"
    std::uint32_t queues = 0;
    std::uint32_t timestamp_bits = 0;
  };
  std::vector<Family> families;
  std::uint64_t import_alignment_bytes = 0;  // of host pages; 0: none are imported
  std::uint64_t max_storage_bytes = 0;
  std::uint32_t max_image_extent = 0;
};

// Import of system pages, tried with patterns both ways.
struct GpuSharing {
  std::string anonymous;  // "works", "refused" or "untested": private pages by their address
  std::string memfd;      // a memfd's by their address
  std::string dma_buf;    // a memfd's by a dma-buf over them
  std::string exported;   // the device's own memory as a dma-buf
  std::string reason;
  LinkMeasure out;  // from the device's own memory to pages, and back
  LinkMeasure in;
};

struct GpuMemory {
  std::uint64_t local_bytes_per_second = 0;  // copies within the device's own memory
  bool separate_queues = false;              // copies of frames have a queue of their own
  std::int64_t copy_ns = 0;                  // a copy to system memory, other work, and both at once
  std::int64_t work_ns = 0;
  std::int64_t both_ns = 0;
  double overlap = 0;  // share of the shorter one that the other one hides
};

struct GpuCodingRequest {
  bool encodes = true;
  link::LinkEncoding encoding = link::LinkEncoding::kLossless;
  std::uint32_t width = 0;  // whole pitches: a multiple of 64
  std::uint32_t height = 0;
};

// A shader and the processor code the same picture.
struct GpuCoding {
  std::uint64_t bytes = 0;        // coded
  std::int64_t coding_ns = 0;     // the shader alone; 0: the queue has no clock
  std::int64_t crossing_ns = 0;   // the coded bytes over the link; 0: likewise, or they cross while they are coded
  std::int64_t shader_ns = 0;     // with submission, crossing and wait
  std::int64_t processor_ns = 0;  // where the pixels cross uncoded
  bool same = false;              // both have the same bits
};

// An open device. One thread at a time.
class GpuTrial {
 public:
  // Opens the device for itself. The driver's errors.
  [[nodiscard]] static Result<std::unique_ptr<GpuTrial>> Open(const config::AdapterInfo& adapter);
  virtual ~GpuTrial() = default;

  [[nodiscard]] virtual GpuFacts Facts() const = 0;
  // Each blocks for tenths of a second, on slow devices for seconds. kOutOfMemory, kDeviceLost, kTimeout.
  [[nodiscard]] virtual Result<GpuSharing> TrySharing() = 0;
  [[nodiscard]] virtual Result<GpuMemory> TryMemory() = 0;
  // kUnsupported: shaders do not take this task, with the reason.
  [[nodiscard]] virtual Result<GpuCoding> TryCoding(const GpuCodingRequest& request, LinkPictures& pictures) = 0;
};

}  // namespace tandem::system
