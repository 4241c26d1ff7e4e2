#include "drivers/vulkan/kmd/recorded_work.h"

#include <algorithm>

namespace tandem::vulkan {
namespace {

constexpr std::uint32_t kMarks = 3;

}  // namespace

Result<std::unique_ptr<RecordedWork>> RecordedWork::Create(Gpu& gpu, const Gpu::Queue& queue) {
  std::unique_ptr<RecordedWork> self(new RecordedWork(gpu, queue));
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.queueFamilyIndex = queue.family;
  VkResult result = gpu.vk().CreateCommandPool(gpu.device(), &info, nullptr, &self->pool_);
  if (result != VK_SUCCESS) {
    self->pool_ = VK_NULL_HANDLE;
  } else if (result = gpu.CreateTimeline(self->timeline_); result != VK_SUCCESS) {
    self->timeline_ = VK_NULL_HANDLE;
  }
  if (result != VK_SUCCESS) return Fail(ErrorKind::kOutOfMemory, "A command pool cannot be made: {}.", ToString(result));
  if (queue.timestamp_bits == 0) return self;
  VkQueryPoolCreateInfo queries{};
  queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queries.queryCount = kMarks;
  if (gpu.vk().CreateQueryPool(gpu.device(), &queries, nullptr, &self->marks_) != VK_SUCCESS) self->marks_ = VK_NULL_HANDLE;
  return self;
}

RecordedWork::~RecordedWork() {
  gpu_.Destroy(pool_);
  gpu_.Destroy(timeline_);
  if (marks_ != VK_NULL_HANDLE && !gpu_.abandoned()) gpu_.vk().DestroyQueryPool(gpu_.device(), marks_, nullptr);
}

void RecordedWork::Mark(VkCommandBuffer commands, std::uint32_t which) {
  if (marks_ == VK_NULL_HANDLE) return;
  marking_ = true;
  if (which == 0) gpu_.vk().CmdResetQueryPool(commands, marks_, 0, kMarks);
  gpu_.vk().CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, marks_, which);
}

RecordedWork::Times RecordedWork::ReadMarks() const {
  std::array<std::uint64_t, kMarks> ticks{};
  const VkResult result = gpu_.vk().GetQueryPoolResults(gpu_.device(), marks_, 0, kMarks, sizeof(ticks), ticks.data(),
                                                        sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT);
  if (result != VK_SUCCESS) return {};
  const std::uint64_t mask = queue_.timestamp_bits >= 64 ? ~0ULL : (1ULL << queue_.timestamp_bits) - 1;
  const auto between = [&](std::size_t from, std::size_t to) {
    return static_cast<std::int64_t>(static_cast<double>((ticks[to] - ticks[from]) & mask) * gpu_.timestamp_period_ns());
  };
  return {true, between(0, 1), between(1, 2)};
}

RecordedWork::Found RecordedWork::Find(const Key& key) {
  for (const auto& recording : recordings_) {
    if (!(recording->key == key)) continue;
    recording->last_turn = ++turn_;
    return {recording->commands, recording->marked};
  }
  return {};
}

Result<std::unique_ptr<RecordedWork::Recording>> RecordedWork::Begin() {
  if (recordings_.size() >= kMaxRecordedWork) DropOldest();
  marking_ = false;
  auto recording = std::make_unique<Recording>();
  VkResult result = gpu_.AllocateCommandBuffer(pool_, recording->commands);
  if (result != VK_SUCCESS) return Fail(ErrorKind::kOutOfMemory, "A command buffer cannot be had: {}.", ToString(result));
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  result = gpu_.vk().BeginCommandBuffer(recording->commands, &begin);
  if (result == VK_SUCCESS) return recording;
  Free(*recording);
  return Fail(ErrorKind::kOutOfMemory, "vkBeginCommandBuffer answered {}.", ToString(result));
}

Result<RecordedWork::Found> RecordedWork::End(const Key& key, std::unique_ptr<Recording> recording, Result<Keep> kept) {
  const VkResult result = kept.ok() ? gpu_.vk().EndCommandBuffer(recording->commands) : VK_SUCCESS;
  if (!kept.ok() || result != VK_SUCCESS) {
    Free(*recording);
    if (!kept.ok()) return std::move(kept).error();
    return Fail(ErrorKind::kOutOfMemory, "vkEndCommandBuffer answered {}.", ToString(result));
  }
  recording->key = key;
  recording->keep = *std::move(kept);
  recording->last_turn = ++turn_;
  recording->marked = marking_;
  ++recorded_;
  recordings_.push_back(std::move(recording));
  return Found{recordings_.back()->commands, marking_};
}

Result<RecordedWork::Times> RecordedWork::Submit(const Found& found, const SubmitWaits& waits, Engine& engine) {
  SubmitArrays arrays(waits);
  const std::uint64_t value = value_ + 1;
  const VkSubmitInfo info = arrays.Info(timeline_, value, found.commands);
  if (const VkResult result = gpu_.Submit(queue_.handle, info, VK_NULL_HANDLE); result != VK_SUCCESS) {
    gpu_.Lose("vkQueueSubmit", result);
    return Fail(ErrorKind::kDeviceLost, "vkQueueSubmit answered {}.", ToString(result));
  }
  value_ = value;
  if (!engine.Await(TimelinePoint{timeline_, value})) {
    return Fail(ErrorKind::kDeviceLost, "The work of {} did not come to an end.", gpu_.name());
  }
  return found.marked ? ReadMarks() : Times{};
}

void RecordedWork::DropOldest() {
  const auto oldest = std::min_element(recordings_.begin(), recordings_.end(),
                                       [](const auto& a, const auto& b) { return a->last_turn < b->last_turn; });
  Free(**oldest);
  recordings_.erase(oldest);
}

void RecordedWork::Forget(const Allocation* allocation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& recording : recordings_) {
    if (recording->key.source != allocation && recording->key.destination != allocation) continue;
    Free(*recording);
    recording.reset();
  }
  std::erase(recordings_, nullptr);
}

void RecordedWork::ForgetAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& recording : recordings_) Free(*recording);
  recordings_.clear();
}

std::uint64_t RecordedWork::recorded() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_;
}

void RecordedWork::Free(Recording& recording) const {
  if (recording.commands != VK_NULL_HANDLE && !gpu_.abandoned()) {
    gpu_.vk().FreeCommandBuffers(gpu_.device(), pool_, 1, &recording.commands);
  }
}

}  // namespace tandem::vulkan
