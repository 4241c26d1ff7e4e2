#include "drivers/vulkan/display/frame_copier.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "color/format.h"
#include "drivers/vulkan/display/frame_recording.h"

namespace tandem::vulkan {
namespace {

// Enough for every shared buffer with every image of a swap chain; beyond it, all recordings are made again.
constexpr std::size_t kMaxFrameRecordings = 64;
// Interval at which a wait checks for a lost device.
constexpr std::uint64_t kWaitSliceNs = 50'000'000;

Error Failed(const char* call, VkResult result) {
  return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "{} answered {}.", call, ToString(result));
}

}  // namespace

Result<std::unique_ptr<FrameCopier>> FrameCopier::Create(Gpu& gpu) {
  std::unique_ptr<FrameCopier> self(new FrameCopier(gpu));
  if (const VkResult result = gpu.CreateTimeline(self->timeline_); result != VK_SUCCESS) {
    self->timeline_ = VK_NULL_HANDLE;
    return Failed("vkCreateSemaphore", result);
  }
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.queueFamilyIndex = gpu.queue(kRenderNode).family;
  if (const VkResult result = gpu.vk().CreateCommandPool(gpu.device(), &info, nullptr, &self->pool_); result != VK_SUCCESS) {
    self->pool_ = VK_NULL_HANDLE;
    return Failed("vkCreateCommandPool", result);
  }
  return self;
}

FrameCopier::~FrameCopier() {
  if (!gpu_.abandoned()) Await(value_);
  DropConversion();
  gpu_.Destroy(pool_);
  gpu_.Destroy(timeline_);
}

void FrameCopier::Await(std::uint64_t value) {
  while (value != 0 && !gpu_.lost()) {
    const VkResult result = gpu_.Wait(timeline_, value, kWaitSliceNs);
    if (result == VK_SUCCESS) return;
    if (result != VK_TIMEOUT) gpu_.NoteResult(VK_ERROR_DEVICE_LOST);
  }
}

Result<std::uint64_t> FrameCopier::Copy(const CopyCommand& command, const FrameTarget& target) {
  if (target.format.convert_from != VK_FORMAT_UNDEFINED) {
    const AllocationData& primary = command.destination->data();
    if (auto made = MakeConversion(target.format.convert_from, {primary.width, primary.height}); !made.ok()) return made.error();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const Recording* recording = Find(command, target);
  if (recording == nullptr) {
    auto fresh = Record(command, target);
    if (!fresh.ok()) return std::move(fresh).error();
    recording = *fresh;
  }
  auto submitted = Submit(recording->commands, command, target);
  if (submitted.ok()) passes_ = recording->passes;
  return submitted;
}

namespace {

// Passes into the window's image, and through an intermediate image of the frame's format if a blit converts.
PassCount PassesOf(const CopyCommand& command, const FrameTarget& target) {
  constexpr std::uint32_t kConvertedPixelBytes = 4;
  const std::uint32_t frame_bytes = color::BytesPerPixel(command.source->data().format);
  PassCount passes;
  for (const VkBufferImageCopy& region : FrameRegions(command, target)) {
    const std::uint64_t pixels = std::uint64_t{region.imageExtent.width} * region.imageExtent.height;
    passes += {pixels, pixels * frame_bytes};
    if (target.format.convert_from != VK_FORMAT_UNDEFINED) passes += {pixels, pixels * kConvertedPixelBytes};
  }
  return passes;
}

}  // namespace

const FrameCopier::Recording* FrameCopier::Find(const CopyCommand& command, const FrameTarget& target) const {
  const VkBuffer buffer = command.source->rows().buffer;
  for (const Recording& other : recordings_) {
    if (other.source == command.source && other.buffer == buffer && other.image == target.image.image &&
        other.append == target.append && other.whole == target.whole && other.offset_x == command.offset_x &&
        other.offset_y == command.offset_y && other.rects.size() == command.rect_count &&
        std::memcmp(other.rects.data(), command.rects, command.rect_count * sizeof(RECT)) == 0) {
      return &other;
    }
  }
  return nullptr;
}

Result<const FrameCopier::Recording*> FrameCopier::Record(const CopyCommand& command, const FrameTarget& target) {
  if (recordings_.size() >= kMaxFrameRecordings) FreeRecordings();
  Recording recording;
  recording.source = command.source;
  recording.buffer = command.source->rows().buffer;
  recording.image = target.image.image;
  recording.append = target.append;
  recording.whole = target.whole;
  recording.offset_x = command.offset_x;
  recording.offset_y = command.offset_y;
  recording.rects.assign(command.rects, command.rects + command.rect_count);
  recording.passes = PassesOf(command, target);
  if (const VkResult result = gpu_.AllocateCommandBuffer(pool_, recording.commands); result != VK_SUCCESS) {
    return Failed("vkAllocateCommandBuffers", result);
  }
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  VkResult result = gpu_.vk().BeginCommandBuffer(recording.commands, &begin);
  if (result == VK_SUCCESS) {
    const VkImage conversion = target.format.convert_from == VK_FORMAT_UNDEFINED ? VK_NULL_HANDLE : conversion_.image;
    RecordFrame(gpu_.vk(), recording.commands, command, target, conversion);
    result = gpu_.vk().EndCommandBuffer(recording.commands);
  }
  if (result != VK_SUCCESS) {
    gpu_.vk().FreeCommandBuffers(gpu_.device(), pool_, 1, &recording.commands);
    return Failed("vkEndCommandBuffer", result);
  }
  ++recorded_;
  recordings_.push_back(std::move(recording));
  return &recordings_.back();
}

Result<std::uint64_t> FrameCopier::Submit(VkCommandBuffer commands, const CopyCommand& command, const FrameTarget& target) {
  const std::uint64_t value = value_ + 1;
  const std::array<VkSemaphore, 2> waits{target.written ? target.image.presentable : target.image.acquired,
                                         command.source->rendered()};
  const std::array<std::uint64_t, 2> wait_values{0, command.rendered};
  const std::array<VkPipelineStageFlags, 2> stages{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT};
  const std::array<VkSemaphore, 2> signals{target.image.presentable, timeline_};
  const std::array<std::uint64_t, 2> signal_values{0, value};
  const std::uint32_t wait_count = command.rendered == 0 ? 1 : 2;
  VkTimelineSemaphoreSubmitInfo timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline.waitSemaphoreValueCount = wait_count;
  timeline.pWaitSemaphoreValues = wait_values.data();
  timeline.signalSemaphoreValueCount = 2;
  timeline.pSignalSemaphoreValues = signal_values.data();
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &timeline;
  info.waitSemaphoreCount = wait_count;
  info.pWaitSemaphores = waits.data();
  info.pWaitDstStageMask = stages.data();
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 2;
  info.pSignalSemaphores = signals.data();
  const VkResult result = gpu_.Submit(gpu_.queue(kRenderNode).handle, info, VK_NULL_HANDLE);
  if (result != VK_SUCCESS) return Failed("vkQueueSubmit", result);
  value_ = value;
  return value;
}

Result<void> FrameCopier::MakeConversion(VkFormat format, VkExtent2D extent) {
  if (conversion_.format == format && conversion_.extent.width == extent.width && conversion_.extent.height == extent.height)
    return {};
  DropConversion();
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {extent.width, extent.height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  Conversion made{format, extent, VK_NULL_HANDLE, VK_NULL_HANDLE};
  VkResult result = gpu_.vk().CreateImage(gpu_.device(), &info, nullptr, &made.image);
  if (result != VK_SUCCESS) return Failed("vkCreateImage", result);
  VkMemoryRequirements requirements{};
  gpu_.vk().GetImageMemoryRequirements(gpu_.device(), made.image, &requirements);
  VkMemoryAllocateInfo memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory.allocationSize = requirements.size;
  memory.memoryTypeIndex = gpu_.FindMemoryType(requirements.memoryTypeBits, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT).value_or(0);
  result = gpu_.vk().AllocateMemory(gpu_.device(), &memory, nullptr, &made.memory);
  if (result == VK_SUCCESS) result = gpu_.vk().BindImageMemory(gpu_.device(), made.image, made.memory, 0);
  conversion_ = made;
  if (result == VK_SUCCESS) return {};
  DropConversion();
  return Failed("vkAllocateMemory", result);
}

void FrameCopier::DropConversion() {
  if (conversion_.image == VK_NULL_HANDLE) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    FreeRecordings();
  }
  gpu_.Destroy(conversion_.image);
  gpu_.Destroy(conversion_.memory);
  conversion_ = {};
}

void FrameCopier::FreeRecordings() {
  if (gpu_.abandoned()) return;
  Await(value_);
  for (const Recording& recording : recordings_) gpu_.vk().FreeCommandBuffers(gpu_.device(), pool_, 1, &recording.commands);
  recordings_.clear();
}

void FrameCopier::ForgetImages() {
  const std::lock_guard<std::mutex> lock(mutex_);
  FreeRecordings();
}

void FrameCopier::Forget(const Allocation& allocation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto gone = std::remove_if(recordings_.begin(), recordings_.end(), [&](const Recording& recording) {
    if (recording.source != &allocation) return false;
    if (!gpu_.abandoned()) gpu_.vk().FreeCommandBuffers(gpu_.device(), pool_, 1, &recording.commands);
    return true;
  });
  recordings_.erase(gone, recordings_.end());
}

std::uint64_t FrameCopier::recorded() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_;
}

}  // namespace tandem::vulkan
