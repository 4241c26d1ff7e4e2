#include "drivers/vulkan/gpu/memory_trial.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/memory_map.h"
#include "base/thread.h"
#include "drivers/vulkan/gpu/host_buffer.h"
#include "drivers/vulkan/gpu/local_memory.h"
#include "drivers/vulkan/gpu/one_shot.h"

namespace tandem::vulkan {
namespace {

constexpr std::uint64_t kTimeoutNs = 5'000'000'000;
constexpr std::uint64_t kBytes = 64ULL << 20;  // more than caches hold, and 1 ms of the fastest links
constexpr int kRuns = 3;                       // after one warm-up run
constexpr std::uint32_t kMostRepeats = 64;

// Copies of kBytes between two buffers on a node's queue.
class Copies {
 public:
  static Result<Copies> Create(Gpu& gpu, std::uint32_t node, VkBuffer from, VkBuffer to) {
    auto shot = OneShot::Create(gpu, node);
    if (!shot.ok()) return std::move(shot).error();
    return Copies(gpu, *std::move(shot), from, to);
  }

  // Returns when they are done; the time in ns.
  Result<std::int64_t> Run(Clock& clock, std::uint32_t repeats) {
    const std::int64_t begin_ns = clock.NowNs();
    const VkResult result = shot_->Run(
        [&](VkCommandBuffer commands) {
          const VkBufferCopy region{0, 0, kBytes};
          for (std::uint32_t i = 0; i < repeats; ++i) gpu_->vk().CmdCopyBuffer(commands, from_, to_, 1, &region);
        },
        kTimeoutNs);
    if (result == VK_SUCCESS) return clock.NowNs() - begin_ns;
    return Fail(result == VK_TIMEOUT ? ErrorKind::kTimeout : ErrorKind::kDeviceLost, "{} copies of {} bytes answered {}.",
                repeats, kBytes, ToString(result));
  }

 private:
  Copies(Gpu& gpu, std::unique_ptr<OneShot> shot, VkBuffer from, VkBuffer to)
      : gpu_(&gpu), shot_(std::move(shot)), from_(from), to_(to) {}
  Gpu* gpu_;
  std::unique_ptr<OneShot> shot_;
  VkBuffer from_;
  VkBuffer to_;
};

Result<std::int64_t> Shortest(const std::function<Result<std::int64_t>()>& run) {
  std::int64_t shortest_ns = 0;
  for (int i = 0; i <= kRuns; ++i) {
    const auto took_ns = run();
    if (!took_ns.ok()) return took_ns.error();
    shortest_ns = i <= 1 ? *took_ns : std::min(shortest_ns, *took_ns);
  }
  return shortest_ns;
}

// Both at once, from the first's begin to the last's end.
Result<std::int64_t> Together(Clock& clock, Copies& out, Copies& work, std::uint32_t repeats) {
  Result<std::int64_t> beside = std::int64_t{0};
  const std::int64_t begin_ns = clock.NowNs();
  auto thread = Thread::Start("tandem-overlap", [&] { beside = work.Run(clock, repeats); });
  if (!thread.ok()) return std::move(thread).error();
  const auto here = out.Run(clock, 1);
  thread->Join();
  if (!here.ok()) return here.error();
  if (!beside.ok()) return beside.error();
  return clock.NowNs() - begin_ns;
}

// Pages and the device's own memory.
struct Room {
  MemoryMap pages;
  std::unique_ptr<HostBuffer> system;
  std::unique_ptr<LocalMemory> from;
  std::unique_ptr<LocalMemory> to;
};

Result<Room> MakeRoom(Gpu& gpu) {
  auto pages = MemoryMap::CreateAnonymous(kBytes);
  if (!pages.ok()) return std::move(pages).error();
  VkResult refusal = VK_SUCCESS;
  auto system = HostBuffer::Import(gpu, pages->data(), kBytes, refusal);
  if (!system.ok()) system = HostBuffer::CreateBounce(gpu, nullptr, kBytes);
  if (!system.ok()) return std::move(system).error();
  auto from = LocalMemory::Create(gpu, 0, kBytes);
  if (!from.ok()) return std::move(from).error();
  auto to = LocalMemory::Create(gpu, 0, kBytes);
  if (!to.ok()) return std::move(to).error();
  return Room{*std::move(pages), *std::move(system), *std::move(from), *std::move(to)};
}

Result<OverlapTimes> Measure(Gpu& gpu, Clock& clock, Room& room) {
  OverlapTimes times;
  times.separate_queues = gpu.queue(kRenderNode).handle != gpu.queue(kCopyNode).handle;
  auto out = Copies::Create(gpu, kCopyNode, room.from->At(0).buffer, room.system->handle());
  if (!out.ok()) return std::move(out).error();
  auto work = Copies::Create(gpu, kRenderNode, room.from->At(0).buffer, room.to->At(0).buffer);
  if (!work.ok()) return std::move(work).error();
  const auto out_ns = Shortest([&] { return out->Run(clock, 1); });
  if (!out_ns.ok()) return out_ns.error();
  const auto once_ns = Shortest([&] { return work->Run(clock, 1); });
  if (!once_ns.ok()) return once_ns.error();
  const std::int64_t repeats = std::clamp<std::int64_t>(*out_ns / std::max<std::int64_t>(*once_ns, 1), 1, kMostRepeats);
  const auto work_ns = Shortest([&] { return work->Run(clock, static_cast<std::uint32_t>(repeats)); });
  if (!work_ns.ok()) return work_ns.error();
  const auto both_ns = Shortest([&] { return Together(clock, *out, *work, static_cast<std::uint32_t>(repeats)); });
  if (!both_ns.ok()) return both_ns.error();
  times.out_ns = *out_ns;
  times.work_ns = *work_ns;
  times.both_ns = *both_ns;
  return times;
}

// The device may still write into these pages if its work cannot be awaited.
void Release(const Gpu& gpu, Room room) {
  if (gpu.abandoned()) static_cast<void>(new MemoryMap(std::move(room.pages)));
}

}  // namespace

double OverlapTimes::Share() const {
  const auto shorter = static_cast<double>(std::min(out_ns, work_ns));
  if (shorter <= 0) return 0;
  return std::clamp(static_cast<double>(out_ns + work_ns - both_ns) / shorter, 0.0, 1.0);
}

Result<std::uint64_t> TimeLocalCopies(Gpu& gpu, Clock& clock) {
  auto room = MakeRoom(gpu);
  if (!room.ok()) return std::move(room).error();
  auto work = Copies::Create(gpu, kRenderNode, room->from->At(0).buffer, room->to->At(0).buffer);
  constexpr std::uint32_t kRepeats = 4;
  const auto took_ns = work.ok() ? Shortest([&] { return work->Run(clock, kRepeats); }) : Result<std::int64_t>(work.error());
  Release(gpu, *std::move(room));
  if (!took_ns.ok()) return took_ns.error();
  return static_cast<std::uint64_t>(static_cast<double>(kRepeats * kBytes) * 1e9 /
                                    static_cast<double>(std::max<std::int64_t>(*took_ns, 1)));
}

Result<OverlapTimes> TimeOverlap(Gpu& gpu, Clock& clock) {
  auto room = MakeRoom(gpu);
  if (!room.ok()) return std::move(room).error();
  auto times = Measure(gpu, clock, *room);
  Release(gpu, *std::move(room));
  return times;
}

}  // namespace tandem::vulkan
