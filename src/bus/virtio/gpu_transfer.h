// A transfer of a 3D resource, as rows of bytes in its backing.
#pragma once

#include <cstdint>
#include <optional>

#include "bus/virtio/gpu_protocol_3d.h"
#include "bus/virtio/gpu_resources.h"

namespace tandem::bus {

struct TransferRows {
  std::uint32_t row_bytes = 0;
  std::uint32_t rows = 0;  // of a layer; a row of blocks counts as one
  std::uint32_t layers = 0;
  std::uint64_t stride = 0;  // bytes, in the backing
  std::uint64_t layer_stride = 0;

  [[nodiscard]] std::uint64_t layer_bytes() const { return std::uint64_t{row_bytes} * rows; }
  [[nodiscard]] std::uint64_t bytes() const { return layer_bytes() * layers; }
};

// nullopt when the box is empty or does not lie in the level, cuts a compressed block, or a stride is too small for it.
[[nodiscard]] std::optional<TransferRows> RowsOf(const GpuResource& resource, const virtio::GpuTransfer3d& transfer);

}  // namespace tandem::bus
