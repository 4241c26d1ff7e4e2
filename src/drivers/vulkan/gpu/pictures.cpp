#include "drivers/vulkan/gpu/pictures.h"

#include <utility>

#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/gpu/one_shot.h"

namespace tandem::vulkan {
namespace {

// One picture within the device or over its link; a device that takes longer is stuck.
constexpr std::uint64_t kMoveTimeoutNs = 10'000'000'000;

// All of the rows; without a source they become black. The processor and all that comes later see them then.
void RecordMove(const Dispatch& vk, VkCommandBuffer commands, const Allocation* from, const Allocation& to) {
  constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  const Rows rows = to.rows();
  RecordMemoryBarrier(vk, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                      kTransfer, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  if (from == nullptr) {
    vk.CmdFillBuffer(commands, rows.buffer, rows.offset, to.data().size, 0);
  } else {
    const VkBufferCopy all{from->rows().offset, rows.offset, to.data().size};
    vk.CmdCopyBuffer(commands, from->rows().buffer, rows.buffer, 1, &all);
  }
  RecordMemoryBarrier(vk, commands, kTransfer, VK_ACCESS_TRANSFER_WRITE_BIT,
                      VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

}  // namespace

Pictures::~Pictures() = default;

Result<Allocation*> Pictures::Shadow() {
  Gpu& gpu = allocation_.gpu();
  const AllocationData& data = allocation_.data();
  if (shadow_ != nullptr) return shadow_.get();
  auto made = Allocation::CreateRows(gpu, allocation_.owner(), data.width, data.height, data.format, RowsPlace::kSystem);
  if (!made.ok()) return std::move(made).error();
  shadow_ = *std::move(made);
  return shadow_.get();
}

Result<void> Pictures::PlaceShadow(RowsPlace place, std::uint32_t node, const std::function<void(const Allocation&)>& forget) {
  Gpu& gpu = allocation_.gpu();
  const AllocationData& data = allocation_.data();
  if (place == shadow_place_) return {};
  auto made = Allocation::CreateRows(gpu, allocation_.owner(), data.width, data.height, data.format, place);
  if (!made.ok()) {
    device_refused_ = place == RowsPlace::kDevice;
    return std::move(made).error();
  }
  auto shot = OneShot::Create(gpu, node);
  if (!shot.ok()) return std::move(shot).error();
  const VkResult result =
      (*shot)->Run([&](VkCommandBuffer commands) { RecordMove(gpu.vk(), commands, shadow_.get(), **made); }, kMoveTimeoutNs);
  if (result != VK_SUCCESS) {
    gpu.MarkLost("The move of a primary's rows", result);
    return Fail(ErrorKind::kDeviceLost, "The move of a primary's rows came to {}.", ToString(result));
  }
  if (shadow_ != nullptr) forget(*shadow_);
  shadow_ = *std::move(made);
  shadow_place_ = place;
  return {};
}

Result<Allocation*> Pictures::Colored() {
  Gpu& gpu = allocation_.gpu();
  const AllocationData& data = allocation_.data();
  if (colored_ != nullptr) return colored_.get();
  auto made =
      Allocation::CreateRows(gpu, allocation_.owner(), data.width, data.height, drivers::kPaletteColors, RowsPlace::kSystem);
  if (!made.ok()) return std::move(made).error();
  colored_ = *std::move(made);
  return colored_.get();
}

Result<Allocation*> Pictures::Turned(color::Rotation rotation) {
  Gpu& gpu = allocation_.gpu();
  const AllocationData& data = allocation_.data();
  std::unique_ptr<Allocation>& turned = turned_[static_cast<std::size_t>(rotation)];
  if (turned != nullptr) return turned.get();
  const bool quarter = color::IsQuarterTurn(rotation);
  const color::Format format = data.format == drivers::kPaletteFormat ? drivers::kPaletteColors : data.format;
  auto made = quarter ? Allocation::CreateRows(gpu, allocation_.owner(), data.height, data.width, format, RowsPlace::kSystem)
                      : Allocation::CreateRows(gpu, allocation_.owner(), data.width, data.height, format, RowsPlace::kSystem);
  if (!made.ok()) return std::move(made).error();
  turned = *std::move(made);
  return turned.get();
}

Result<Rows> Pictures::Scratch() {
  Gpu& gpu = allocation_.gpu();
  const AllocationData& data = allocation_.data();
  if (data.kind == AllocationKind::kPrimary) {
    Result<Allocation*> shadow = Shadow();
    if (!shadow.ok()) return std::move(shadow).error();
    const Rows rows = (*shadow)->rows();
    return rows.pixels != nullptr ? Result<Rows>(rows) : (*shadow)->pictures().Scratch();
  }
  if (scratch_ == nullptr) {
    Result<std::unique_ptr<HostBuffer>> made = HostBuffer::CreateBounce(gpu, nullptr, data.size);
    if (!made.ok()) return std::move(made).error();
    scratch_ = std::move(*made);
  }
  return scratch_->rows();
}

}  // namespace tandem::vulkan
