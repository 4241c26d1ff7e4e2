#include "drivers/vulkan/gpu/command_cache.h"

#include <algorithm>

namespace tandem::vulkan {

Result<std::unique_ptr<CommandCache>> CommandCache::Create(Engine& engine, const Gpu& gpu) {
  std::unique_ptr<CommandCache> self(new CommandCache(engine, gpu));
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.queueFamilyIndex = engine.queue().family;
  if (const VkResult result = gpu.vk().CreateCommandPool(gpu.device(), &info, nullptr, &self->pool_); result != VK_SUCCESS) {
    self->pool_ = VK_NULL_HANDLE;
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "The command pool of node {} cannot be made: {}.", engine.node(),
                ToString(result));
  }
  return self;
}

CommandCache::~CommandCache() { gpu_.Destroy(pool_); }

void CommandCache::Forget(const Allocation* allocation) {
  const auto names = [allocation](const std::unique_ptr<Recording>& recording) {
    return recording->key.source == allocation || recording->key.destination == allocation;
  };
  std::unique_lock<std::mutex> lock(mutex_);
  returned_.Wait(lock, [&] {
    return std::none_of(recordings_.begin(), recordings_.end(),
                        [&](const auto& recording) { return names(recording) && recording->users != 0; });
  });
  for (auto& recording : recordings_) {
    if (names(recording)) Free(*recording);
  }
  std::erase_if(recordings_, names);
}

void CommandCache::GiveBack(Recording& recording, std::uint64_t value) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    recording.last_value = std::max(recording.last_value, value);
    --recording.users;
  }
  returned_.NotifyAll();
}

std::uint64_t CommandCache::recorded() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_;
}

CommandCache::Recording* CommandCache::Find(const Key& key) {
  for (const auto& recording : recordings_) {
    const Key& other = recording->key;
    if (other.opcode == key.opcode && other.source == key.source && other.destination == key.destination &&
        other.source_rows == key.source_rows && other.destination_rows == key.destination_rows &&
        std::equal(key.parameters.begin(), key.parameters.end(), recording->parameters.begin(), recording->parameters.end())) {
      return recording.get();
    }
  }
  return nullptr;
}

std::unique_ptr<CommandCache::Recording> CommandCache::Begin() {
  if (recordings_.size() >= kMaxRecordings) DropOldest();
  auto recording = std::make_unique<Recording>();
  if (gpu_.AllocateCommandBuffer(pool_, recording->commands) != VK_SUCCESS) return nullptr;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  if (gpu_.vk().BeginCommandBuffer(recording->commands, &begin) == VK_SUCCESS) return recording;
  Free(*recording);
  return nullptr;
}

CommandCache::Recording* CommandCache::End(const Key& key, std::unique_ptr<Recording> recording) {
  if (gpu_.vk().EndCommandBuffer(recording->commands) != VK_SUCCESS) {
    Free(*recording);
    return nullptr;
  }
  recording->key = key;
  recording->parameters.assign(key.parameters.begin(), key.parameters.end());
  recording->key.parameters = {};
  ++recorded_;
  recordings_.push_back(std::move(recording));
  return recordings_.back().get();
}

void CommandCache::DropOldest() {
  const std::uint64_t completed = engine_.CompletedValue();
  auto oldest = recordings_.end();
  for (auto it = recordings_.begin(); it != recordings_.end(); ++it) {
    if ((*it)->users != 0 || (*it)->last_value > completed) continue;
    if (oldest == recordings_.end() || (*it)->last_turn < (*oldest)->last_turn) oldest = it;
  }
  if (oldest == recordings_.end()) return;
  Free(**oldest);
  recordings_.erase(oldest);
}

void CommandCache::Free(Recording& recording) {
  if (recording.commands != VK_NULL_HANDLE && !gpu_.abandoned()) {
    gpu_.vk().FreeCommandBuffers(gpu_.device(), pool_, 1, &recording.commands);
  }
}

}  // namespace tandem::vulkan
