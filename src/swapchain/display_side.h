// The part of a swap chain that belongs to one display adapter: surfaces, fences and calls. Internal to the module.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "swapchain/alarm.h"
#include "swapchain/fence.h"
#include "swapchain/frame_flipper.h"
#include "swapchain/frame_schedule.h"
#include "swapchain/hud.h"
#include "swapchain/pass_meters.h"
#include "swapchain/path_builder.h"

namespace tandem::swapchain {

// Constant but for `flipper` and `hud`, which the display thread uses.
struct DisplaySide {
  // `meters` gets the surfaces' meters. All arguments must outlive the result.
  [[nodiscard]] static Result<std::unique_ptr<DisplaySide>> Create(Runtime& render, Runtime& display, const SwapChainDesc& desc,
                                                                   Clock& clock, BuiltPath path, PassMeters& meters);
  DisplaySide(const DisplaySide&) = delete;
  DisplaySide& operator=(const DisplaySide&) = delete;

  [[nodiscard]] ScheduleDesc Schedule() const;

  Runtime& display;
  const SwapChainDesc desc;
  const std::unique_ptr<BufferSet> buffers;
  const PathDecision decision;
  const std::uint64_t shared_bytes;            // bytes of a frame in its shared surface; compressed path: bytes as drawn
  const std::uint32_t slices;                  // values of copy_fence for each copy
  std::unique_ptr<MonitoredFence> copy_fence;  // value: complete slices of all copies
  std::unique_ptr<MonitoredFence> wake_fence;  // 1: the display thread must end
  std::unique_ptr<Alarm> alarm;                // for frames that wait for their time; null: none does
  std::unique_ptr<FrameFlipper> flipper;
  std::optional<Hud> hud;  // empty: no figures are drawn

 private:
  DisplaySide(Runtime& display, const SwapChainDesc& desc, BuiltPath path);
};

}  // namespace tandem::swapchain
