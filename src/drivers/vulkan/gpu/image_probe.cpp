#include "drivers/vulkan/gpu/image_probe.h"

#include <cstring>

#include "color/format.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/gpu/one_shot.h"

namespace tandem::vulkan {
namespace {

constexpr std::uint64_t kTimeoutNs = 5'000'000'000;
// Rows of 40 pixels in a pitch of 256 bytes: 96 bytes lie between them.
constexpr std::uint32_t kWidth = 40;
constexpr std::uint32_t kHeight = 24;
constexpr std::byte kUntouched{0x5C};
constexpr std::uint32_t kDrawn = 0xFF4080BF;  // B8G8R8A8 of the colour below
constexpr VkClearColorValue kColor{{64.0F / 255.0F, 128.0F / 255.0F, 191.0F / 255.0F, 1.0F}};

class ProbeOwner final : public Allocation::Owner {
 public:
  void GiveFirstLayout(Allocation&) override {}
  VkResult AcquireImage(Allocation&, VkSemaphore, VkFence) override { return VK_SUCCESS; }
  bool IsSubmitted(const Allocation&) const override { return true; }
  void DmaBufRefused(const std::string& reason) override { refusal = reason; }
  void ImportRefused(const std::string& reason) override { refusal = reason; }

  std::string refusal;
};

// Clears the image as a program would draw into it, and gives it out.
VkResult Draw(Gpu& gpu, OneShot& shot, const Allocation& surface) {
  const Dispatch& vk = gpu.vk();
  return shot.Run(
      [&](VkCommandBuffer commands) {
        const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        Transition(vk, commands,
                   {surface.image(), VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                    VK_PIPELINE_STAGE_TRANSFER_BIT, 0, VK_ACCESS_TRANSFER_WRITE_BIT});
        vk.CmdClearColorImage(commands, surface.image(), VK_IMAGE_LAYOUT_GENERAL, &kColor, 1, &all);
        Transition(vk, commands,
                   {surface.image(), VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_PIPELINE_STAGE_TRANSFER_BIT,
                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_MEMORY_WRITE_BIT});
        RecordRelease(vk, commands, surface);
      },
      kTimeoutNs);
}

Result<void> Compare(std::span<const std::byte> pages, const AllocationData& data) {
  const std::uint32_t row_bytes = data.width * 4;
  for (std::uint64_t at = 0; at < data.size; ++at) {
    const bool inside = at % data.pitch < row_bytes && at / data.pitch < data.height;
    const std::byte wanted = inside ? static_cast<std::byte>(kDrawn >> 8 * (at % 4)) : kUntouched;
    if (pages[at] == wanted) continue;
    return Fail(ErrorKind::kUnsupported, "Byte {} of an image over a dma-buf is 0x{:02x} and shall be 0x{:02x}.", at,
                std::to_integer<unsigned>(pages[at]), std::to_integer<unsigned>(wanted));
  }
  return {};
}

Result<void> Probe(Gpu& gpu, const UniqueFd& memfd, std::span<std::byte> pages, VkResult& failure) {
  Result<AllocationData> data = DescribeSurface(AllocationKind::kLinear, kWidth, kHeight, color::Format::kB8G8R8A8Unorm, 0);
  if (!data.ok()) return std::move(data).error();
  Result<std::unique_ptr<OneShot>> shot = OneShot::Create(gpu, kCopyNode);
  if (!shot.ok()) return std::move(shot).error();
  ProbeOwner owner;
  Result<std::unique_ptr<Allocation>> surface = Allocation::Create(gpu, owner, *data);
  if (!surface.ok()) return std::move(surface).error();
  const SystemPages system{pages.data(), memfd.get(), 0, false};
  if (Result<void> mapped = (*surface)->Map(system, 0, data->size, {.dma_bufs = true, .dma_buf_images = true}); !mapped.ok())
    return mapped;
  if (!owner.refusal.empty()) return Fail(ErrorKind::kUnsupported, "{}", owner.refusal);
  VkImageCreateInfo wanted{};
  wanted.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  if (Result<void> made = (*surface)->MakePresentable(wanted); !made.ok()) return made;
  std::memset(pages.data(), std::to_integer<int>(kUntouched), data->size);
  failure = Draw(gpu, **shot, **surface);
  if (failure != VK_SUCCESS) return Fail(ErrorKind::kUnsupported, "Drawing into it answered {}.", ToString(failure));
  return Compare(pages, *data);
}

}  // namespace

WayProbe ProbeImage(Gpu& gpu, const UniqueFd& memfd, std::span<std::byte> pages) {
  WayProbe out;
  const Result<void> drawn = Probe(gpu, memfd, pages, out.result);
  out.state = drawn.ok() ? ImportState::kWorks : ImportState::kRefused;
  out.reason = drawn.ok() ? "A picture stood where it was drawn." : drawn.error().message;
  return out;
}

}  // namespace tandem::vulkan
