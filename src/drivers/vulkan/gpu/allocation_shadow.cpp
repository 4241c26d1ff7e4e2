// The part of Allocation that keeps rows which stand for pixels: scratches, what a primary holds, and what is shown of it.
#include <cstring>
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

Rows Allocation::rows() const {
  if (local_ != nullptr) return local_->At(0);
  return linear_ == nullptr ? Rows{} : linear_->rows();
}

Result<std::unique_ptr<Allocation>> Allocation::MakeRows(std::uint32_t width, std::uint32_t height, color::Format format,
                                                         RowsPlace place) {
  Result<AllocationData> data = DescribeSurface(AllocationKind::kLinear, width, height, format, 0);
  if (!data.ok()) return std::move(data).error();
  std::unique_ptr<Allocation> made(new Allocation(gpu_, owner_, *data));
  if (place == RowsPlace::kDevice) {
    Result<std::unique_ptr<LocalMemory>> local = LocalMemory::Create(gpu_, 0, data->size);
    if (!local.ok()) return std::move(local).error();
    made->local_ = std::move(*local);
    return made;
  }
  Result<std::unique_ptr<HostBuffer>> rows = HostBuffer::CreateBounce(gpu_, nullptr, data->size);
  if (!rows.ok()) return std::move(rows).error();
  std::memset((*rows)->bounce(), 0, data->size);
  made->linear_ = std::move(*rows);
  return made;
}

Result<Allocation*> Allocation::Shadow() {
  if (shadow_ != nullptr) return shadow_.get();
  auto made = MakeRows(data_.width, data_.height, data_.format, RowsPlace::kSystem);
  if (!made.ok()) return std::move(made).error();
  shadow_ = *std::move(made);
  return shadow_.get();
}

Result<void> Allocation::PlaceShadow(RowsPlace place, std::uint32_t node, const std::function<void(const Allocation&)>& forget) {
  if (place == shadow_place_) return {};
  auto made = MakeRows(data_.width, data_.height, data_.format, place);
  if (!made.ok()) {
    device_refused_ = place == RowsPlace::kDevice;
    return std::move(made).error();
  }
  auto shot = OneShot::Create(gpu_, node);
  if (!shot.ok()) return std::move(shot).error();
  const VkResult result =
      (*shot)->Run([&](VkCommandBuffer commands) { RecordMove(gpu_.vk(), commands, shadow_.get(), **made); }, kMoveTimeoutNs);
  if (result != VK_SUCCESS) {
    gpu_.Lose("The move of a primary's rows", result);
    return Fail(ErrorKind::kDeviceLost, "The move of a primary's rows came to {}.", ToString(result));
  }
  if (shadow_ != nullptr) forget(*shadow_);
  shadow_ = *std::move(made);
  shadow_place_ = place;
  return {};
}

Result<Allocation*> Allocation::Colored() {
  if (colored_ != nullptr) return colored_.get();
  auto made = MakeRows(data_.width, data_.height, drivers::kPaletteColors, RowsPlace::kSystem);
  if (!made.ok()) return std::move(made).error();
  colored_ = *std::move(made);
  return colored_.get();
}

Result<Allocation*> Allocation::Turned(color::Rotation rotation) {
  std::unique_ptr<Allocation>& turned = turned_[static_cast<std::size_t>(rotation)];
  if (turned != nullptr) return turned.get();
  const bool quarter = color::IsQuarterTurn(rotation);
  const color::Format format = data_.format == drivers::kPaletteFormat ? drivers::kPaletteColors : data_.format;
  auto made = quarter ? MakeRows(data_.height, data_.width, format, RowsPlace::kSystem)
                      : MakeRows(data_.width, data_.height, format, RowsPlace::kSystem);
  if (!made.ok()) return std::move(made).error();
  turned = *std::move(made);
  return turned.get();
}

Result<Rows> Allocation::Scratch() {
  if (data_.kind == AllocationKind::kPrimary) {
    Result<Allocation*> shadow = Shadow();
    if (!shadow.ok()) return std::move(shadow).error();
    const Rows rows = (*shadow)->rows();
    return rows.pixels != nullptr ? Result<Rows>(rows) : (*shadow)->Scratch();
  }
  if (scratch_ == nullptr) {
    Result<std::unique_ptr<HostBuffer>> made = HostBuffer::CreateBounce(gpu_, nullptr, data_.size);
    if (!made.ok()) return std::move(made).error();
    scratch_ = std::move(*made);
  }
  return scratch_->rows();
}

}  // namespace tandem::vulkan
