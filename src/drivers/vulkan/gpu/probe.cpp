#include "drivers/vulkan/gpu/probe.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include <fmt/core.h>

#include "base/dma_buf.h"
#include "base/memory_map.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/gpu/dma_buf_export.h"
#include "drivers/vulkan/gpu/host_buffer.h"
#include "drivers/vulkan/gpu/image_probe.h"
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

// The GPU fills the pages and the CPU checks them; then the CPU writes and the GPU copies the pages away.
Result<void> PassPatterns(Gpu& gpu, Clock& clock, const HostBuffer& pages, WayProbe& out) {
  Result<std::unique_ptr<OneShot>> shot = OneShot::Create(gpu, kCopyNode);
  if (!shot.ok()) return std::move(shot).error();
  Result<std::unique_ptr<HostBuffer>> result = HostBuffer::CreateBounce(gpu, nullptr, kProbeBytes);
  if (!result.ok()) return std::move(result).error();
  const Dispatch& vk = gpu.vk();
  const int dma_buf = pages.source().dma_buf;
  constexpr std::size_t kWords = kProbeBytes / sizeof(std::uint32_t);
  const auto* seen = reinterpret_cast<const volatile std::uint32_t*>(pages.pages());

  // The first run pays for what later ones find: page tables, a clock that rose.
  const auto run = [&](const std::function<void(VkCommandBuffer)>& record, std::int64_t& took_ns) {
    VkResult ran = (*shot)->Run(record, kTimeoutNs);
    const std::int64_t start_ns = clock.NowNs();
    if (ran == VK_SUCCESS) ran = (*shot)->Run(record, kTimeoutNs);
    took_ns = clock.NowNs() - start_ns;
    return ran;
  };
  out.result = run(
      [&](VkCommandBuffer commands) {
        RecordTakeIn(vk, commands, pages.rows());
        vk.CmdFillBuffer(commands, pages.handle(), 0, kProbeBytes, kGpuPattern);
        BufferBarrier(vk, commands, pages.handle());
        RecordGiveOut(vk, commands, pages.rows());
      },
      out.write_ns);
  if (out.result != VK_SUCCESS) return Fail(ErrorKind::kUnsupported, "Writing by the GPU answered {}.", ToString(out.result));
  auto access = std::make_unique<DmaBufAccess>(dma_buf);
  for (std::size_t i = 0; i < kWords; ++i) {
    if (seen[i] != kGpuPattern)
      return Fail(ErrorKind::kUnsupported, "The CPU saw 0x{:x} at word {}, not what the GPU wrote.", std::uint32_t{seen[i]}, i);
  }

  auto* words = reinterpret_cast<std::uint32_t*>(pages.pages());
  for (std::size_t i = 0; i < kWords; ++i) words[i] = Word(i);
  access.reset();
  const VkBufferCopy region{0, 0, kProbeBytes};
  out.result = run(
      [&](VkCommandBuffer commands) {
        RecordTakeIn(vk, commands, pages.rows());
        vk.CmdCopyBuffer(commands, pages.handle(), (*result)->handle(), 1, &region);
        BufferBarrier(vk, commands, (*result)->handle());
        RecordGiveOut(vk, commands, pages.rows());
      },
      out.read_ns);
  if (out.result != VK_SUCCESS) return Fail(ErrorKind::kUnsupported, "Reading by the GPU answered {}.", ToString(out.result));
  const auto* copied = reinterpret_cast<const std::uint32_t*>((*result)->bounce());
  for (std::size_t i = 0; i < kWords; ++i) {
    if (copied[i] != Word(i))
      return Fail(ErrorKind::kUnsupported, "The GPU read 0x{:x} at word {}, not what the CPU wrote.", copied[i], i);
  }
  return {};
}

WayProbe Try(Gpu& gpu, Clock& clock, Result<std::unique_ptr<HostBuffer>> imported, VkResult failure) {
  WayProbe out;
  out.state = ImportState::kRefused;
  out.result = failure;
  const Result<void> passed = imported.ok() ? PassPatterns(gpu, clock, **imported, out) : imported.error();
  if (passed.ok()) out.state = ImportState::kWorks;
  out.reason = passed.ok() ? "Patterns passed both ways." : passed.error().message;
  if (!passed.ok()) out.write_ns = out.read_ns = 0;
  return out;
}

WayProbe TryAddress(Gpu& gpu, Clock& clock, std::byte* pages) {
  VkResult failure = VK_SUCCESS;
  auto imported = HostBuffer::Import(gpu, pages, kProbeBytes, failure);
  return Try(gpu, clock, std::move(imported), failure);
}

WayProbe TryDmaBuf(Gpu& gpu, Clock& clock, const UniqueFd& memfd, std::byte* pages) {
  VkResult failure = VK_SUCCESS;
  // The extension is asked for first: without it /dev/udmabuf is not opened.
  if (!gpu.crossing().dma_buf) return Try(gpu, clock, HostBuffer::ImportDmaBuf(gpu, UniqueFd(), pages, 0, failure), failure);
  Result<UniqueFd> dma_buf = CreateDmaBuf(memfd.get(), 0, kProbeBytes);
  if (!dma_buf.ok()) return Try(gpu, clock, dma_buf.error(), failure);
  auto imported = HostBuffer::ImportDmaBuf(gpu, *std::move(dma_buf), pages, kProbeBytes, failure);
  return Try(gpu, clock, std::move(imported), failure);
}

// The device's own memory, which the processor maps.
WayProbe TryExport(Gpu& gpu, Clock& clock, MemoryMap& pages) {
  VkResult failure = VK_SUCCESS;
  Result<UniqueFd> dma_buf = ExportDmaBuf(gpu, kProbeBytes, failure);
  if (!dma_buf.ok()) return Try(gpu, clock, dma_buf.error(), failure);
  Result<MemoryMap> mapped = MemoryMap::MapShared(*dma_buf, 0, kProbeBytes, MapAccess::kReadWrite);
  if (!mapped.ok()) return Try(gpu, clock, mapped.error(), failure);
  pages = *std::move(mapped);
  auto imported = HostBuffer::ImportDmaBuf(gpu, *std::move(dma_buf), pages.data(), kProbeBytes, failure);
  return Try(gpu, clock, std::move(imported), failure);
}

// The device may still write into these pages if its work cannot be awaited.
void Release(const Gpu& gpu, MemoryMap pages) {
  if (gpu.abandoned()) static_cast<void>(new MemoryMap(std::move(pages)));
}

WayProbe Untested(const Error& error) { return {ImportState::kUntested, VK_SUCCESS, 0, 0, error.message}; }

}  // namespace

std::string ImportProbe::Summary() const {
  const std::string& dma_buf = Of(PageWay::kDmaBuf).reason;
  const std::string& memfd = Of(PageWay::kMemfd).reason;
  const std::string& anonymous = Of(PageWay::kAnonymous).reason;
  const std::string addresses = memfd == anonymous
                                    ? fmt::format("pages by their address: {}", memfd)
                                    : fmt::format("a memfd's pages by their address: {} Anonymous pages: {}", memfd, anonymous);
  return fmt::format("Importing dma-bufs: {} Importing {}", dma_buf, addresses);
}

ImportProbe ProbeImports(Gpu& gpu, Clock& clock) {
  ImportProbe probe;
  const auto way = [&](PageWay which) -> WayProbe& { return probe.ways[static_cast<std::size_t>(which)]; };
  Result<MemoryMap> anonymous = MemoryMap::CreateAnonymous(kProbeBytes);
  if (anonymous.ok()) {
    way(PageWay::kAnonymous) = TryAddress(gpu, clock, anonymous->data());
    Release(gpu, *std::move(anonymous));
  } else {
    way(PageWay::kAnonymous) = Untested(anonymous.error());
  }
  Result<UniqueFd> memfd = CreateSharedPages("tandem-probe", kProbeBytes);
  Result<MemoryMap> pages =
      memfd.ok() ? MemoryMap::MapShared(*memfd, 0, kProbeBytes, MapAccess::kReadWrite) : Result<MemoryMap>(memfd.error());
  if (!pages.ok()) {
    way(PageWay::kMemfd) = way(PageWay::kDmaBuf) = Untested(pages.error());
    return probe;
  }
  if (!gpu.abandoned()) way(PageWay::kMemfd) = TryAddress(gpu, clock, pages->data());
  if (!gpu.abandoned()) way(PageWay::kDmaBuf) = TryDmaBuf(gpu, clock, *memfd, pages->data());
  if (!gpu.abandoned() && probe.Works(PageWay::kDmaBuf)) probe.dma_buf_image = ProbeImage(gpu, *memfd, pages->bytes());
  Release(gpu, *std::move(pages));
  if (gpu.abandoned()) return probe;
  MemoryMap exported;
  way(PageWay::kExported) = TryExport(gpu, clock, exported);
  Release(gpu, std::move(exported));
  return probe;
}

}  // namespace tandem::vulkan
