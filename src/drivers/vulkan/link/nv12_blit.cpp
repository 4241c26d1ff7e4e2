#include "drivers/vulkan/link/nv12_blit.h"

#include "color/blit.h"
#include "color/format.h"
#include "color/nv12.h"
#include "color/yuv.h"
namespace tandem::vulkan {

bool IsNv12Blit(const BlitCommand& command) { return drivers::IsNv12(command.destination->data().format); }

std::uint64_t RunNv12Blit(const BlitPlan& plan, std::vector<std::byte>& room) {
  std::uint64_t crossing = 0;
  for (std::uint32_t i = 0; i < plan.command.rect_count; ++i) {
    const RECT& rect = plan.command.rects[i];
    const color::BlitRect memory = plan.MemoryOf(rect);
    std::byte* const luma = plan.destination.rows.pixels + std::uint64_t{memory.top} * plan.destination.pitch + memory.left;
    const auto planes = color::Nv12Planes<std::byte>(luma, plan.destination.pitch,
                                                     color::Nv12ChromaDistance(plan.destination.height, memory.top));
    if constexpr (color::kHasYuv420)
      color::BlitToNv12(plan.RequestOf(rect, plan.source.rows.pixels, plan.destination.rows.pixels), planes, room);
    crossing += color::Nv12Bytes(memory.width(), memory.height());
  }
  return crossing;
}

}  // namespace tandem::vulkan
