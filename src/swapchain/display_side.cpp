#include "swapchain/display_side.h"

#include <utility>

#include "color/format.h"
#include "link/surface/link_surface.h"
#include "swapchain/link_frames.h"

namespace tandem::swapchain {
namespace {

std::uint64_t SharedBytes(const SwapChainDesc& desc, const BufferSet& buffers) {
  if (buffers.nv12()) {
    return link::LinkFrameBytes(link::LinkEncoding::kYuv420, static_cast<color::Format>(desc.format), desc.width, desc.height);
  }
  return std::uint64_t{desc.width} * desc.height * BytesPerPixel(buffers.crossing_format(desc));
}

}  // namespace

DisplaySide::DisplaySide(Runtime& runtime, const SwapChainDesc& its_desc, BuiltPath path)
    : display(runtime),
      desc(its_desc),
      buffers(std::move(path.buffers)),
      decision(std::move(path.decision)),
      shared_bytes(SharedBytes(desc, *buffers)),
      slices(buffers->compressed() ? LinkFrames::SlicesOf(desc) : 1) {}

Result<std::unique_ptr<DisplaySide>> DisplaySide::Create(Runtime& render, Runtime& display, const SwapChainDesc& desc,
                                                         Clock& clock, BuiltPath path, PassMeters& meters) {
  std::unique_ptr<DisplaySide> side(new DisplaySide(display, desc, std::move(path)));
  auto copy = MonitoredFence::Create(render.kernel_device());
  if (!copy.ok()) return std::move(copy).error();
  side->copy_fence = *std::move(copy);
  auto wake = MonitoredFence::Create(display.kernel_device());
  if (!wake.ok()) return std::move(wake).error();
  side->wake_fence = *std::move(wake);
  side->buffers->ForEachResource([&meters](const Resource& resource) { meters.Add(resource); });
  auto flipper = FrameFlipper::Create(display, side->desc, *side->buffers, meters);
  if (!flipper.ok()) return std::move(flipper).error();
  side->flipper = *std::move(flipper);
  if (desc.timed) {
    auto alarm = Alarm::Create(display.kernel_device(), clock);
    if (!alarm.ok()) return std::move(alarm).error();
    side->alarm = *std::move(alarm);
  }
  if (desc.hud) side->hud.emplace(desc.width, desc.height, side->decision.path);
  return side;
}

ScheduleDesc DisplaySide::Schedule() const {
  ScheduleDesc schedule;
  schedule.image_count = buffers->image_count();
  schedule.buffer_count = buffers->buffer_count();
  schedule.primary_count = buffers->primaries_in_turn();
  schedule.slices = slices;
  schedule.buffers = buffers->direct() ? BufferKind::kTheImages : BufferKind::kRing;
  schedule.mode = desc.present_mode;
  schedule.slow_flips = desc.slow_flips;
  // An encoding or a conversion may include processor work. On a device with one queue, that would wait in the queue for work
  // submitted later.
  const bool by_processor = buffers->compressed() || buffers->nv12() || buffers->converts(desc);
  schedule.acquire_when = by_processor ? AcquireWhen::kCopyComplete : desc.wait_for_copy_on_acquire;
  schedule.refresh_period_ns = desc.refresh_period_ns;
  return schedule;
}

}  // namespace tandem::swapchain
