// Bytes between the driver's memory and the renderer. They are copied by way of the device's own memory: the renderer never sees
// an address of the driver.
#include <cstring>
#include <numeric>

#include "bus/virtio/gpu_3d.h"
#include "bus/virtio/gpu_backing.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kNoResult = 0xFFFFFFFF;  // GpuQueryState::state of a query that has no result yet

// Rows of staging bytes are whole blocks, and aligned as OpenGL expects them.
std::uint64_t StagingStride(std::uint64_t row_bytes, std::uint32_t block_bytes) {
  constexpr std::uint64_t kOpenGlAlignment = 8;
  const std::uint64_t unit = std::lcm(kOpenGlAlignment, std::uint64_t{block_bytes});
  return (row_bytes + unit - 1) / unit * unit;
}

virtio::GpuTransfer3d WholeResult(std::uint32_t id) {
  return {
      {}, {0, 0, 0, sizeof(virtio::GpuQueryState), 1, 1}, 0, id, 0, sizeof(virtio::GpuQueryState), sizeof(virtio::GpuQueryState)};
}

}  // namespace

using virtio::GpuAnswer;

GpuAnswer Gpu3d::Transfer(const virtio::GpuTransfer3d& command, bool to_host) {
  if (command.header.context != 0 && !contexts_.contains(command.header.context)) return GpuAnswer::kInvalidContext;
  const GpuResource* const resource = resources_.Find(command.resource);
  if (resource == nullptr || resource->texture == nullptr || resource->backing.empty()) return GpuAnswer::kInvalidResource;
  const auto rows = RowsOf(*resource, command);
  if (!rows || command.offset > GpuResources::kMaxBytes) return GpuAnswer::kInvalidParameter;
  const std::uint64_t stride = StagingStride(rows->row_bytes, resource->texture->block.bytes);
  const std::uint64_t layer_stride = stride * rows->rows;
  if (layer_stride * rows->layers > GpuResources::kMaxBytes) return GpuAnswer::kOutOfMemory;
  virtio::GpuTransfer3d staged = command;
  staged.offset = 0;
  staged.stride = static_cast<std::uint32_t>(stride);
  staged.layer_stride = static_cast<std::uint32_t>(layer_stride);
  staging_.assign(static_cast<std::size_t>(layer_stride * rows->layers), std::byte{0});
  GpuAnswer answer = to_host ? MoveRows(*resource, command.offset, *rows, stride, true) : renderer_->Read(staged, staging_);
  if (answer != GpuAnswer::kOk) return answer;
  answer = to_host ? renderer_->Write(staged, staging_) : MoveRows(*resource, command.offset, *rows, stride, false);
  if (answer == GpuAnswer::kOk) copied_bytes_ += rows->bytes();
  return answer;
}

GpuAnswer Gpu3d::MoveRows(const GpuResource& resource, std::uint64_t offset, const TransferRows& rows,
                          std::uint64_t staging_stride, bool to_staging) {
  BackingCopies copies(resource.backing, copies_);
  std::byte* local = staging_.data();
  for (std::uint32_t layer = 0; layer < rows.layers; ++layer, offset += rows.layer_stride) {
    copies_.clear();
    for (std::uint32_t row = 0; row < rows.rows; ++row, local += staging_stride) {
      if (!copies.Add(offset + row * rows.stride, rows.row_bytes, local)) return GpuAnswer::kInvalidParameter;
    }
    if (!(to_staging ? ReadGuest(copies_) : WriteGuest(copies_))) return GpuAnswer::kUnspecified;
  }
  return GpuAnswer::kOk;
}

GpuAnswer Gpu3d::TransferToHost2d(const virtio::GpuTransfer& command) {
  const virtio::GpuRect& rect = command.rect;
  return Transfer({{}, {rect.x, rect.y, 0, rect.width, rect.height, 1}, command.offset, command.resource, 0, 0, 0}, true);
}

GpuAnswer Gpu3d::ReadPicture(std::uint32_t id, GpuResource& resource, const virtio::GpuRect& rect) {
  if (const GpuAnswer reserved = resources_.ReservePicture(resource); reserved != GpuAnswer::kOk) return reserved;
  const std::uint64_t pitch = resource.pitch();
  const std::uint64_t offset = rect.y * pitch + std::uint64_t{rect.x} * 4;
  const GpuAnswer answer = renderer_->Read({{},
                                            {rect.x, rect.y, 0, rect.width, rect.height, 1},
                                            offset,
                                            id,
                                            0,
                                            static_cast<std::uint32_t>(pitch),
                                            static_cast<std::uint32_t>(pitch * rect.height)},
                                           resource.texture->picture);
  if (answer == GpuAnswer::kOk) copied_bytes_ += std::uint64_t{rect.width} * rect.height * 4;
  return answer;
}

GpuAnswer Gpu3d::ClearResult(std::uint32_t id) {
  const virtio::GpuQueryState none{kNoResult, 0, 0};
  staging_.resize(sizeof(none));
  std::memcpy(staging_.data(), &none, sizeof(none));
  return renderer_->Write(WholeResult(id), staging_);
}

void Gpu3d::PublishResults(std::uint32_t fence) {
  if (!results_fence_ || renderer_ == nullptr) return;
  for (const auto& [id, resource] : resources_.all()) {
    if (resource.texture != nullptr && resource.texture->holds_results && !resource.backing.empty()) PublishResult(id, resource);
  }
  if (static_cast<std::int32_t>(fence - *results_fence_) >= 0) results_fence_.reset();
}

// A driver that takes the memory away has no result.
void Gpu3d::PublishResult(std::uint32_t id, const GpuResource& resource) {
  virtio::GpuQueryState result{};
  staging_.resize(sizeof(result));
  if (renderer_->Read(WholeResult(id), staging_) != GpuAnswer::kOk) return;
  std::memcpy(&result, staging_.data(), sizeof(result));
  if (result.state == kNoResult) return;
  static_cast<void>(MoveRows(resource, 0, {sizeof(result), 1, 1, sizeof(result), sizeof(result)}, sizeof(result), false));
  static_cast<void>(ClearResult(id));
}

}  // namespace tandem::bus
