#include "drivers/vulkan/display/turned_frame.h"

#include <algorithm>
#include <cstring>

#include "drivers/vulkan/gpu/allocation.h"

namespace tandem::vulkan {
namespace {

// Interval at which the wait for the rendering checks for a lost device.
constexpr std::uint64_t kWaitSliceNs = 50'000'000;

void AwaitRendering(Gpu& gpu, const CopyCommand& command) {
  if (command.rendered == 0) return;
  while (!gpu.lost() && gpu.Wait(command.source->rendered(), command.rendered, kWaitSliceNs) == VK_TIMEOUT) {
  }
}

}  // namespace

Result<CopyCommand> TurnFrame(Gpu& gpu, const CopyCommand& command, color::Rotation offset) {
  auto turned = command.destination->pictures().Turned(offset);
  if (!turned.ok()) return std::move(turned).error();
  Allocation& target = **turned;
  const Rows from = command.source->rows();
  const Rows to = target.rows();
  if (from.pixels == nullptr || to.pixels == nullptr)
    return Fail(ErrorKind::kUnsupported, "A frame that the processor does not see cannot be turned.");
  AwaitRendering(gpu, command);

  const AllocationData& frame = command.source->data();
  const AllocationData& primary = command.destination->data();
  const std::int64_t left = std::max<std::int64_t>(0, -command.offset_x), top = std::max<std::int64_t>(0, -command.offset_y);
  const std::int64_t right = std::min<std::int64_t>(primary.width, std::int64_t{frame.width} - command.offset_x);
  const std::int64_t bottom = std::min<std::int64_t>(primary.height, std::int64_t{frame.height} - command.offset_y);
  const std::uint32_t bytes = color::BytesPerPixel(frame.format);
  const bool covers = left == 0 && top == 0 && right == primary.width && bottom == primary.height;
  if (!covers) std::memset(to.pixels, 0, std::size_t{target.pitch()} * target.data().height);
  if (left < right && top < bottom) {
    const auto extent = [](std::int64_t pixels) { return static_cast<std::uint32_t>(pixels); };
    const color::BlitRect stored =
        color::RotatedRect({extent(left), extent(top), extent(right), extent(bottom)}, primary.width, primary.height, offset);
    color::Blit(color::TurnOf(from.pixels + (top + command.offset_y) * frame.pitch + (left + command.offset_x) * bytes,
                              frame.pitch, frame.format, extent(right - left), extent(bottom - top),
                              to.pixels + std::size_t{stored.top} * target.pitch() + std::size_t{stored.left} * bytes,
                              target.pitch(), offset));
  }
  CopyCommand copy;
  copy.source = copy.destination = &target;
  copy.rect_count = 1;
  copy.rects[0] = {0, 0, static_cast<LONG>(target.data().width), static_cast<LONG>(target.data().height)};
  return copy;
}

}  // namespace tandem::vulkan
