// The output that a surface of the application becomes on the soft adapter.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "config/settings.h"
#include "outputs/output.h"
#include "system/system.h"

#include <dxgiformat.h>

namespace tandem::system {

// By the settings where they name a file or nothing at all, else by the surface. `number` counts the surfaces of the process from
// 0: from the second on it goes into the file's name ("run.y4m", "run-1.y4m"). The extent of an X11 surface is its window's,
// wherever the frames go. kUnsupported for a window system that has no output, kSurfaceLost for an X11 window that is not there;
// what the output's own creation fails with.
[[nodiscard]] Result<std::shared_ptr<outputs::Output>> MakeOutput(const SurfaceTarget& target, const config::OutputSpec& spec,
                                                                  std::uint32_t number);

// The file that `spec` names, if any, could be written for the first surface; nothing of it is touched. CheckHeadlessFile's
// errors.
[[nodiscard]] Result<void> CheckOutputFile(const config::OutputSpec& spec);

// Whether MakeOutput knows an output for such a surface.
[[nodiscard]] bool HasOutputFor(SurfaceTarget::Kind kind, const config::OutputSpec& spec);

// True if MakeOutput makes a window for such a surface, or shows in its own.
[[nodiscard]] bool ShowsInWindow(SurfaceTarget::Kind kind, const config::OutputSpec& spec);

// True if MakeOutput's output for such a surface keeps more than eight bits a channel: a raw stream, or nothing at all; windows,
// pictures and videos have eight.
[[nodiscard]] bool KeepsTenBits(SurfaceTarget::Kind kind, const config::OutputSpec& spec);

// Formats that an output can show, preferred first: those that become the 8 bits of a window. A program takes an offer of more
// bits for a promise to keep them.
enum class MoreBits : std::uint8_t { kOffered, kNotOffered };
[[nodiscard]] std::vector<DXGI_FORMAT> ShowableFormats(MoreBits more_bits);

}  // namespace tandem::system
