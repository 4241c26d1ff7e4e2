#include "drivers/vulkan/gpu/link_probe.h"

#include <utility>

#include "base/memory_map.h"
#include "drivers/vulkan/gpu/host_buffer.h"
#include "drivers/vulkan/gpu/local_memory.h"
#include "drivers/vulkan/gpu/one_shot.h"

namespace tandem::vulkan {
namespace {

constexpr std::uint64_t kTimeoutNs = 5'000'000'000;

}  // namespace

Result<LinkProbe> ProbeLink(Gpu& gpu, Clock& clock) {
  auto pages = MemoryMap::CreateAnonymous(kLargeTransferBytes);
  if (!pages.ok()) return std::move(pages).error();
  VkResult refusal = VK_SUCCESS;
  auto system = HostBuffer::Import(gpu, pages->data(), kLargeTransferBytes, refusal);
  if (!system.ok()) system = HostBuffer::CreateBounce(gpu, nullptr, kLargeTransferBytes);
  if (!system.ok()) return std::move(system).error();
  auto local = LocalMemory::Create(gpu, 0, kLargeTransferBytes);
  if (!local.ok()) return std::move(local).error();
  auto shot = OneShot::Create(gpu, kCopyNode);
  if (!shot.ok()) return std::move(shot).error();
  const VkBuffer own = (*local)->At(0).buffer;
  const auto measure = [&](VkBuffer from, VkBuffer to) {
    return MeasureLink(clock, [&](std::uint64_t bytes) -> Result<void> {
      const VkBufferCopy region{0, 0, bytes};
      const VkResult result =
          (*shot)->Run([&](VkCommandBuffer commands) { gpu.vk().CmdCopyBuffer(commands, from, to, 1, &region); }, kTimeoutNs);
      if (result == VK_SUCCESS) return {};
      return Fail(result == VK_TIMEOUT ? ErrorKind::kTimeout : ErrorKind::kDeviceLost, "A copy of {} bytes answered {}.", bytes,
                  ToString(result));
    });
  };
  const auto out = measure(own, (*system)->handle());
  const auto in = out.ok() ? measure((*system)->handle(), own) : out;
  // The device may still write into these pages if its work cannot be awaited.
  if (gpu.abandoned()) static_cast<void>(new MemoryMap(*std::move(pages)));
  if (!in.ok()) return in.error();
  return LinkProbe{*out, *in};
}

}  // namespace tandem::vulkan
