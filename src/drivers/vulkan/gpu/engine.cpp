#include "drivers/vulkan/gpu/engine.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/sync_file.h"
#include "drivers/vulkan/gpu/dma_buf_fences.h"

namespace tandem::vulkan {
namespace {

// Interval at which a wait for the GPU checks whether the engine is being stopped.
constexpr std::uint64_t kWaitSliceNs = 50'000'000;

}  // namespace

Result<std::unique_ptr<Engine>> Engine::Create(Gpu& gpu, Owner& owner, std::uint32_t node, EmulatedLink* link) {
  std::unique_ptr<Engine> self(new Engine(gpu, owner, node, link));
  for (VkSemaphore* timeline : {&self->timeline_, &self->late_timeline_}) {
    const VkResult result = gpu.CreateTimeline(*timeline);
    if (result == VK_SUCCESS) continue;
    *timeline = VK_NULL_HANDLE;
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "A timeline semaphore of node {} cannot be made: {}.", node,
                ToString(result));
  }
  Result<Thread> worker = Thread::Start("vk-node" + std::to_string(node), [engine = self.get()] { engine->Run(); });
  if (!worker.ok()) return std::move(worker).error();
  self->worker_ = std::move(*worker);
  return self;
}

Engine::~Engine() {
  Stop();
  gpu_.GiveTimelineBack(timeline_, last_value_.load(std::memory_order_relaxed));
  gpu_.GiveTimelineBack(late_timeline_, signalled_late());
}

void Engine::Queue(const Packet& packet) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.Wait(lock, [&] { return !packets_.full() || stop_.load(std::memory_order_relaxed); });
  if (stop_.load(std::memory_order_relaxed)) return;
  packets_.push(packet);
  if (packet.deferred) deferred_.fetch_add(1, std::memory_order_acq_rel);
  lock.unlock();
  changed_.NotifyAll();
}

SubmitArrays::SubmitArrays(const SubmitWaits& waits) {
  for (const TimelinePoint& wait : waits) {
    if (wait.value != 0) AddWait(wait.semaphore, wait.value);
  }
}

void SubmitArrays::AddWait(VkSemaphore semaphore, std::uint64_t value) {
  semaphores_[count_] = semaphore;
  values_[count_] = value;
  stages_[count_] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  ++count_;
}

// Values of binary semaphores are ignored.
void SubmitArrays::AddBinary(VkSemaphore wait, VkSemaphore signal) {
  if (wait != VK_NULL_HANDLE) AddWait(wait, 0);
  signals_[1] = signal;
}

VkSubmitInfo SubmitArrays::Info(VkSemaphore signal, std::uint64_t value, VkCommandBuffer commands) {
  const std::uint32_t signal_count = signals_[1] == VK_NULL_HANDLE ? 1 : 2;
  signals_[0] = signal;
  signal_values_[0] = value;
  commands_ = commands;
  timeline_.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline_.waitSemaphoreValueCount = count_;
  timeline_.pWaitSemaphoreValues = values_.data();
  timeline_.signalSemaphoreValueCount = signal_count;
  timeline_.pSignalSemaphoreValues = signal_values_.data();
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &timeline_;
  info.waitSemaphoreCount = count_;
  info.pWaitSemaphores = semaphores_.data();
  info.pWaitDstStageMask = stages_.data();
  info.commandBufferCount = commands == VK_NULL_HANDLE ? 0 : 1;
  info.pCommandBuffers = &commands_;
  info.signalSemaphoreCount = signal_count;
  info.pSignalSemaphores = signals_.data();
  return info;
}

std::uint64_t Engine::Submit(VkCommandBuffer commands, const SubmitWaits& waits, DmaBufFences* fences) {
  SubmitArrays arrays(waits);
  std::unique_lock<std::mutex> turn;
  if (fences != nullptr) {
    turn = fences->Turn();
    arrays.AddBinary(fences->WaitForOthers(), fences->signal());
  }
  std::unique_lock<std::mutex> lock(submit_mutex_);
  const std::uint64_t value = last_value_.load(std::memory_order_relaxed) + 1;
  const VkSubmitInfo info = arrays.Info(timeline_, value, commands);
  if (const VkResult result = gpu_.Submit(queue().handle, info, VK_NULL_HANDLE); result != VK_SUCCESS) {
    gpu_.MarkLost("vkQueueSubmit", result);
    if (fences != nullptr) fences->Withdraw();
    return 0;
  }
  last_value_.store(value, std::memory_order_release);
  lock.unlock();
  if (fences != nullptr) fences->Announce(timeline_, value);
  return value;
}

std::uint64_t Engine::CompletedValue() {
  std::uint64_t value = 0;
  return gpu_.ReadValue(timeline_, value) == VK_SUCCESS ? value : 0;
}

bool Engine::idle() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return packets_.empty() && link_.idle();
}

void Engine::Arrived(UINT fence) {
  completed_fence_.store(fence, std::memory_order_release);
  link_.Arrived();
  owner_.Completed(node_, fence);
}

template <class Dropped>
Packet Engine::DropWaiting(Dropped dropped) {
  Packet newest;
  while (packets_.size() > (begun_ ? 1U : 0U)) {
    const Packet& last = packets_.back();
    if (!last.deferred) break;
    if (newest.fence == 0) newest = last;
    dropped(last);
    packets_.erase(packets_.size() - 1);
    deferred_.fetch_sub(1, std::memory_order_acq_rel);
  }
  return newest;
}

void Engine::GiveBack() {
  link_.Flush();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Before the signal: an acquire must not take the old values for the copies' end.
    const Packet newest = DropWaiting([this](const Packet& packet) { owner_.GivenBack(packet); });
    // Dropped packets are submitted again with new values. They may wait for their old values, which are therefore signalled.
    if (!packets_.empty() && begun_ && packets_.front().deferred) {
      given_back_late_ = std::max(given_back_late_, newest.late);
    } else {
      SignalLate(newest.late);
    }
  }
  changed_.NotifyAll();
}

std::optional<UINT> Engine::Abort() {
  link_.Flush();
  std::optional<UINT> aborted;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Packet newest = DropWaiting([](const Packet&) {});
    if (packets_.empty()) {
      if (newest.fence != 0) completed_fence_.store(newest.fence, std::memory_order_release);
      SignalLate(newest.late);
      aborted = completed_fence_.load(std::memory_order_relaxed);
    }
  }
  changed_.NotifyAll();
  return aborted;
}

bool Engine::MadeProgress() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool progress = packets_.empty() || ended_ != ended_when_asked_;
  ended_when_asked_ = ended_;
  return progress;
}

Engine::State Engine::Describe() {
  State state;
  state.gpu_value = CompletedValue();
  // Does not take submit_mutex_: a hung submission may hold it.
  state.last_value = last_value_.load(std::memory_order_acquire);
  const std::lock_guard<std::mutex> lock(mutex_);
  state.completed_fence = completed_fence_.load(std::memory_order_acquire);
  state.queued = static_cast<std::uint32_t>(packets_.size());
  state.newest_fence = packets_.empty() ? 0 : packets_.back().fence;
  return state;
}

bool Engine::Drain(std::int64_t timeout_ns) {
  Clock& clock = MonotonicClock();
  const std::int64_t deadline = clock.NowNs() + timeout_ns;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!packets_.empty()) {
    if (!clock.WaitUntil(lock, changed_, deadline)) break;
  }
  const bool empty = packets_.empty();
  lock.unlock();
  link_.Flush();
  return empty;
}

void Engine::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_.store(true, std::memory_order_release);
  }
  changed_.NotifyAll();
  worker_.Join();
}

bool Engine::Await(const TimelinePoint& point) {
  while (point.value != 0) {
    if (gpu_.lost()) return false;
    const VkResult result = gpu_.Wait(point.semaphore, point.value, kWaitSliceNs);
    if (result == VK_SUCCESS) break;
    if (result != VK_TIMEOUT) gpu_.MarkLost("vkWaitSemaphores", result);
    if (stop_.load(std::memory_order_acquire)) return false;
  }
  return true;
}

bool Engine::AwaitIdle(int dma_buf) {
  while (!IsIdle(dma_buf, static_cast<int>(kWaitSliceNs / 1'000'000))) {
    if (gpu_.lost() || stop_.load(std::memory_order_acquire)) return false;
  }
  return true;
}

bool Engine::Await(const SubmitWaits& waits) {
  for (const TimelinePoint& wait : waits) {
    if (!Await(wait)) return false;
  }
  return true;
}

void Engine::SignalLate(std::uint64_t value) {
  if (value == 0 || gpu_.lost()) return;
  if (const VkResult result = gpu_.Signal(late_timeline_, value); result != VK_SUCCESS) {
    gpu_.MarkLost("vkSignalSemaphore", result);
    return;
  }
  signalled_late_.store(value, std::memory_order_release);
}

void Engine::Run() {
  RequestDisplayPriority();
  std::int64_t end_ns = 0;  // of the packet before
  for (;;) {
    Packet packet;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.Wait(lock, [&] { return !packets_.empty() || stop_.load(std::memory_order_relaxed); });
      if (stop_.load(std::memory_order_relaxed)) return;
      packet = packets_.front();
      begun_ = true;
    }
    if (packet.deferred) {
      owner_.Execute(*this, packet);
      deferred_.fetch_sub(1, std::memory_order_acq_rel);
    }
    if (!Await(TimelinePoint{timeline_, packet.value}) && stop_.load(std::memory_order_acquire)) return;
    owner_.Finish(*this, packet);
    // The node has one packet at a time: this one began when it was the oldest.
    const std::int64_t begin_ns = std::max(packet.queued_ns, end_ns);
    end_ns = MonotonicClock().NowNs();
    if (packet.passes != nullptr) packet.passes->NoteWork(begin_ns, end_ns);
    SignalLate(packet.late);
    const bool crosses = link_.Holds(packet.crossing);
    if (!crosses) completed_fence_.store(packet.fence, std::memory_order_release);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      packets_.pop();
      begun_ = false;
      ++ended_;
      SignalLate(std::exchange(given_back_late_, 0));
    }
    changed_.NotifyAll();
    if (crosses) {
      link_.Send(packet.fence, packet.crossing, packet.passes);
    } else {
      owner_.Completed(node_, packet.fence);
    }
  }
}

}  // namespace tandem::vulkan
