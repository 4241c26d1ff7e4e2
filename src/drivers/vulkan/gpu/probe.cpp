#include "drivers/vulkan/gpu/probe.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "base/memory_map.h"
#include "drivers/vulkan/gpu/host_buffer.h"
#include "drivers/vulkan/gpu/one_shot.h"

namespace tandem::vulkan {
namespace {

constexpr std::uint64_t kTimeoutNs = 5'000'000'000;
constexpr std::uint32_t kGpuPattern = 0xA55A1234;
constexpr std::uint32_t kCpuPattern = 0x13579BDF;

void BufferBarrier(const Dispatch& vk, VkCommandBuffer commands, VkBuffer buffer) {
  VkBufferMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.buffer = buffer;
  barrier.size = VK_WHOLE_SIZE;
  vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 0, nullptr, 1, &barrier, 0,
                        nullptr);
}

// A pattern that differs from word to word.
std::uint32_t Word(std::size_t index) { return kCpuPattern + static_cast<std::uint32_t>(index) * 2654435761U; }

struct Outcome {
  ImportState state = ImportState::kRefused;
  VkResult result = VK_SUCCESS;
  std::int64_t write_ns = 0;
  std::int64_t read_ns = 0;
  std::string reason;
};

// The GPU fills the pages and the CPU checks them; then the CPU writes and the GPU copies the pages away.
Result<void> PassPatterns(Gpu& gpu, Clock& clock, const HostBuffer& pages, Outcome& out) {
  Result<std::unique_ptr<OneShot>> shot = OneShot::Create(gpu, kCopyNode);
  if (!shot.ok()) return std::move(shot).error();
  Result<std::unique_ptr<HostBuffer>> result = HostBuffer::CreateBounce(gpu, nullptr, kProbeBytes);
  if (!result.ok()) return std::move(result).error();
  const Dispatch& vk = gpu.vk();
  constexpr std::size_t kWords = kProbeBytes / sizeof(std::uint32_t);
  const auto* seen = reinterpret_cast<const volatile std::uint32_t*>(pages.pages());

  const std::int64_t start = clock.NowNs();
  out.result = (*shot)->Run(
      [&](VkCommandBuffer commands) {
        vk.CmdFillBuffer(commands, pages.handle(), 0, kProbeBytes, kGpuPattern);
        BufferBarrier(vk, commands, pages.handle());
      },
      kTimeoutNs);
  if (out.result != VK_SUCCESS) return Fail(ErrorKind::kUnsupported, "writing by the GPU answered {}", ToString(out.result));
  for (std::size_t i = 0; i < kWords; ++i) {
    if (seen[i] != kGpuPattern)
      return Fail(ErrorKind::kUnsupported, "the CPU saw 0x{:x} at word {}, not what the GPU wrote", std::uint32_t{seen[i]}, i);
  }
  out.write_ns = clock.NowNs() - start;

  auto* words = reinterpret_cast<std::uint32_t*>(pages.pages());
  for (std::size_t i = 0; i < kWords; ++i) words[i] = Word(i);
  const std::int64_t read_start = clock.NowNs();
  const VkBufferCopy region{0, 0, kProbeBytes};
  out.result = (*shot)->Run(
      [&](VkCommandBuffer commands) {
        vk.CmdCopyBuffer(commands, pages.handle(), (*result)->handle(), 1, &region);
        BufferBarrier(vk, commands, (*result)->handle());
      },
      kTimeoutNs);
  if (out.result != VK_SUCCESS) return Fail(ErrorKind::kUnsupported, "reading by the GPU answered {}", ToString(out.result));
  out.read_ns = clock.NowNs() - read_start;
  const auto* copied = reinterpret_cast<const std::uint32_t*>((*result)->bounce());
  for (std::size_t i = 0; i < kWords; ++i) {
    if (copied[i] != Word(i))
      return Fail(ErrorKind::kUnsupported, "the GPU read 0x{:x} at word {}, not what the CPU wrote", copied[i], i);
  }
  return {};
}

Outcome Try(Gpu& gpu, Clock& clock, std::byte* pages) {
  Outcome out;
  Result<std::unique_ptr<HostBuffer>> imported = HostBuffer::Import(gpu, pages, kProbeBytes, out.result);
  if (!imported.ok()) {
    out.reason = imported.error().message;
    out.reason.pop_back();  // removes the full stop
    return out;
  }
  Result<void> passed = PassPatterns(gpu, clock, **imported, out);
  out.state = passed.ok() ? ImportState::kWorks : ImportState::kRefused;
  out.reason = passed.ok() ? "patterns passed both ways" : passed.error().message;
  return out;
}

// The device may still write into these pages if its work cannot be awaited.
void Release(const Gpu& gpu, MemoryMap pages) {
  if (gpu.abandoned()) static_cast<void>(new MemoryMap(std::move(pages)));
}

}  // namespace

ImportProbe ProbeImports(Gpu& gpu, Clock& clock) {
  ImportProbe probe;
  Outcome anonymous{ImportState::kUntested, VK_SUCCESS, 0, 0, "no pages"};
  Outcome memfd = anonymous;
  if (Result<MemoryMap> pages = MemoryMap::CreateAnonymous(kProbeBytes); pages.ok()) {
    anonymous = Try(gpu, clock, pages->data());
    Release(gpu, *std::move(pages));
  }
  Result<UniqueFd> fd = CreateSharedPages("tandem-probe", kProbeBytes);
  if (!fd.ok()) {
    memfd.reason = fd.error().message;
    memfd.reason.pop_back();  // removes the full stop
  } else {
    Result<MemoryMap> pages = MemoryMap::MapShared(*fd, 0, kProbeBytes, MapAccess::kReadWrite);
    if (pages.ok() && !gpu.abandoned()) {
      memfd = Try(gpu, clock, pages->data());
      Release(gpu, *std::move(pages));
    }
  }
  probe.anonymous = anonymous.state;
  probe.memfd = memfd.state;
  probe.anonymous_result = anonymous.result;
  probe.memfd_result = memfd.result;
  const Outcome& timed = anonymous.state == ImportState::kWorks ? anonymous : memfd;
  probe.gpu_write_ns = timed.write_ns;
  probe.gpu_read_ns = timed.read_ns;
  probe.reason = anonymous.reason == memfd.reason
                     ? fmt::format("Importing pages: {}.", anonymous.reason)
                     : fmt::format("Importing anonymous pages: {}; memfd pages: {}.", anonymous.reason, memfd.reason);
  return probe;
}

}  // namespace tandem::vulkan
