// Makes the soft adapter's output for a surface of the application.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "config/settings.h"
#include "outputs/output.h"
#include "swapchain/crossing_format.h"
#include "system/system.h"

#include <dxgiformat.h>

namespace tandem::system {

// The settings decide if they name a file or no output at all; otherwise the surface does. `number` counts the process's
// surfaces from 0; from 1 on it becomes part of the file's name ("run.y4m", "run-1.y4m"). An X11 surface always has its
// window's extent, wherever the frames go. Errors: kSurfaceLost for a missing X11 window, and those of the output's creation.
[[nodiscard]] Result<std::shared_ptr<outputs::Output>> MakeOutput(const SurfaceTarget& target, const config::OutputSpec& spec,
                                                                  std::uint32_t number);

// The extent of a display for the output: the output's own, or 1920 x 1080.
struct ScreenExtent {
  std::uint32_t width = 1920;
  std::uint32_t height = 1080;
};
[[nodiscard]] ScreenExtent ScreenExtentOf(const outputs::Output& output);
// The extent of a monitor for the output: ScreenExtentOf(), but at least 1024 x 768, for drivers offer no smaller modes. A
// smaller frame stands in the middle, and the output gets that part.
[[nodiscard]] ScreenExtent MonitorExtentOf(const outputs::Output& output);

// Succeeds if the file that `spec` names, if any, could be written for the first surface. The file is not changed. Errors:
// those of CheckHeadlessFile.
[[nodiscard]] Result<void> CheckOutputFile(const config::OutputSpec& spec);

// True if MakeOutput creates a window for such a surface, or shows in the application's window.
[[nodiscard]] bool ShowsInWindow(SurfaceTarget::Kind kind, const config::OutputSpec& spec);

// Precision that MakeOutput's output for such a surface keeps: eight bits in windows, pictures and videos, all of it in a raw
// stream, and ten bits where nothing is shown.
[[nodiscard]] swapchain::ShownDepth ShownDepthOf(SurfaceTarget::Kind kind, const config::OutputSpec& spec);

// Formats that an output can show, preferred first: those that convert to a window's 8 bits. kNotOffered leaves out formats
// with more bits, because a program expects an offered format to keep them.
enum class MoreBits : std::uint8_t { kOffered, kNotOffered };
[[nodiscard]] std::vector<DXGI_FORMAT> ShowableFormats(MoreBits more_bits);

}  // namespace tandem::system
