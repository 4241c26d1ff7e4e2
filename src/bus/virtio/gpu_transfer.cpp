#include "bus/virtio/gpu_transfer.h"

#include <algorithm>

namespace tandem::bus {
namespace {

std::uint32_t AtLevel(std::uint32_t extent, std::uint32_t level) { return std::max(1u, extent >> level); }

std::uint32_t BlocksIn(std::uint32_t texels, std::uint32_t block) { return (texels + block - 1) / block; }

// True if the part is not empty, lies inside, and begins and ends at blocks; the last block may be cut by the edge.
bool IsPart(std::uint32_t begin, std::uint32_t size, std::uint32_t extent, std::uint32_t block) {
  if (size == 0 || begin >= extent || size > extent - begin) return false;
  return begin % block == 0 && (size % block == 0 || begin + size == extent);
}

}  // namespace

std::optional<TransferRows> RowsOf(const GpuResource& resource, const virtio::GpuTransfer3d& transfer) {
  const GpuTexture& texture = *resource.texture;
  if (transfer.level > texture.last_level) return std::nullopt;
  const TexelBlock& block = texture.block;
  const std::uint32_t width = AtLevel(resource.width, transfer.level);
  const std::uint32_t height = AtLevel(resource.height, transfer.level);
  const bool has_depth = texture.target == virtio::GpuTarget::kTexture3d;
  const std::uint32_t layers = has_depth ? AtLevel(texture.depth, transfer.level) : texture.array_size;
  const virtio::GpuBox& box = transfer.box;
  if (!IsPart(box.x, box.width, width, block.width) || !IsPart(box.y, box.height, height, block.height) ||
      !IsPart(box.z, box.depth, layers, 1)) {
    return std::nullopt;
  }
  TransferRows rows;
  rows.row_bytes = BlocksIn(box.width, block.width) * block.bytes;
  rows.rows = BlocksIn(box.height, block.height);
  rows.layers = box.depth;
  rows.stride = transfer.stride != 0 ? transfer.stride : std::uint64_t{BlocksIn(width, block.width)} * block.bytes;
  rows.layer_stride = transfer.layer_stride != 0 ? transfer.layer_stride : rows.stride * BlocksIn(height, block.height);
  if (rows.stride < rows.row_bytes || (rows.layers > 1 && rows.layer_stride < rows.stride * rows.rows)) return std::nullopt;
  return rows;
}

}  // namespace tandem::bus
