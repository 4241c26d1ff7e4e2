#include "drivers/vulkan/gpu/recorded_work.h"

#include <algorithm>

#include "base/log.h"

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
  if (result != VK_SUCCESS)
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "A command pool cannot be made: {}.", ToString(result));
  VkQueryPoolCreateInfo queries{};
  queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queries.queryCount = kMarks;
  if (queue.timestamp_bits != 0) result = gpu.vk().CreateQueryPool(gpu.device(), &queries, nullptr, &self->marks_);
  if (result != VK_SUCCESS) self->marks_ = VK_NULL_HANDLE;
  if (!self->has_clock()) {
    Log(LogLevel::kInfo, "{}: a queue tells no time; the processor times what crosses links, and its own waits with it.",
        gpu.name());
  }
  return self;
}

RecordedWork::~RecordedWork() {
  gpu_.Destroy(pool_);
  gpu_.Destroy(timeline_);
  if (marks_ != VK_NULL_HANDLE && !gpu_.abandoned()) gpu_.vk().DestroyQueryPool(gpu_.device(), marks_, nullptr);
}

void RecordedWork::Mark(VkCommandBuffer& commands, std::uint32_t which) {
  marking_ = true;
  if (!has_clock()) {
    if (which != 1) return;
    auto behind = BeginCommands();
    if (!behind.ok()) return;  // the work is not timed then
    split_ = gpu_.vk().EndCommandBuffer(commands);
    commands = behind_ = *behind;
    return;
  }
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

Result<VkCommandBuffer> RecordedWork::BeginCommands() {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkResult result = gpu_.AllocateCommandBuffer(pool_, commands);
  if (result != VK_SUCCESS)
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "A command buffer cannot be had: {}.", ToString(result));
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  result = gpu_.vk().BeginCommandBuffer(commands, &begin);
  if (result == VK_SUCCESS) return commands;
  gpu_.vk().FreeCommandBuffers(gpu_.device(), pool_, 1, &commands);
  return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "vkBeginCommandBuffer answered {}.", ToString(result));
}

Result<std::unique_ptr<RecordedWork::Recording>> RecordedWork::Begin() {
  if (recordings_.size() >= kMaxRecordedWork) DropOldest();
  marking_ = false;
  behind_ = VK_NULL_HANDLE;
  split_ = VK_SUCCESS;
  auto commands = BeginCommands();
  if (!commands.ok()) return std::move(commands).error();
  auto recording = std::make_unique<Recording>();
  recording->commands[0] = *commands;
  return recording;
}

Result<RecordedWork::Found> RecordedWork::End(const Key& key, std::unique_ptr<Recording> recording, Result<Keep> kept) {
  recording->commands[1] = behind_;
  const VkCommandBuffer last = behind_ == VK_NULL_HANDLE ? recording->commands[0] : behind_;
  const VkResult result = !kept.ok() || split_ != VK_SUCCESS ? split_ : gpu_.vk().EndCommandBuffer(last);
  if (!kept.ok() || result != VK_SUCCESS) {
    Free(*recording);
    if (!kept.ok()) return std::move(kept).error();
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "vkEndCommandBuffer answered {}.", ToString(result));
  }
  recording->key = key;
  recording->keep = *std::move(kept);
  recording->last_turn = ++turn_;
  recording->marked = marking_;
  ++recorded_;
  recordings_.push_back(std::move(recording));
  return Found{recordings_.back()->commands, marking_};
}

// Signals the timeline's next value.
Result<void> RecordedWork::Queue(VkCommandBuffer commands, const SubmitWaits& waits) {
  SubmitArrays arrays(waits);
  const VkSubmitInfo info = arrays.Info(timeline_, value_ + 1, commands);
  if (const VkResult result = gpu_.Submit(queue_.handle, info, VK_NULL_HANDLE); result != VK_SUCCESS) {
    gpu_.MarkLost("vkQueueSubmit", result);
    return Fail(ErrorKind::kDeviceLost, "vkQueueSubmit answered {}.", ToString(result));
  }
  ++value_;
  return {};
}

Result<void> RecordedWork::Await(std::uint64_t value, Engine& engine) {
  if (engine.Await(TimelinePoint{timeline_, value})) return {};
  return Fail(ErrorKind::kDeviceLost, "The work of {} did not come to an end.", gpu_.name());
}

Result<RecordedWork::Times> RecordedWork::Submit(const Found& found, const SubmitWaits& waits, Engine& engine) {
  if (found.commands[1] != VK_NULL_HANDLE) return SubmitTimed(found, waits, engine);
  if (auto queued = Queue(found.commands[0], waits); !queued.ok()) return queued.error();
  if (auto done = Await(value_, engine); !done.ok()) return done.error();
  return found.marked && has_clock() ? ReadMarks() : Times{};
}

// When the first, empty submission has ended, all earlier work in the queue has ended as well.
Result<RecordedWork::Times> RecordedWork::SubmitTimed(const Found& found, const SubmitWaits& waits, Engine& engine) {
  for (const VkCommandBuffer commands : {VkCommandBuffer{VK_NULL_HANDLE}, found.commands[0], found.commands[1]}) {
    if (auto queued = Queue(commands, commands == VK_NULL_HANDLE ? waits : SubmitWaits{}); !queued.ok()) return queued.error();
  }
  std::array<std::int64_t, kMarks> ended_ns{};
  for (std::uint32_t i = 0; i < kMarks; ++i) {
    if (auto done = Await(value_ + 1 + i - kMarks, engine); !done.ok()) return done.error();
    ended_ns[i] = clock_.NowNs();
  }
  return Times{true, ended_ns[1] - ended_ns[0], ended_ns[2] - ended_ns[1]};
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
  if (gpu_.abandoned()) return;
  for (const VkCommandBuffer commands : recording.commands) {
    if (commands != VK_NULL_HANDLE) gpu_.vk().FreeCommandBuffers(gpu_.device(), pool_, 1, &commands);
  }
}

}  // namespace tandem::vulkan
