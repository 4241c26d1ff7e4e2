// The output that a surface of the application becomes on the soft adapter.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "compose/system.h"
#include "coproc/settings.h"
#include "outputs/output.h"

#include <dxgiformat.h>

namespace tandem::compose {

// By the settings where they name a file or nothing at all, else by the surface. `number` counts the surfaces of the process from
// 0: from the second on it goes into the file's name ("run.y4m", "run-1.y4m"). The extent of an X11 surface is its window's,
// wherever the frames go. kUnsupported for a window system that has no output, kSurfaceLost for an X11 window that is not there;
// what the output's own creation fails with.
[[nodiscard]] Result<std::shared_ptr<outputs::Output>> MakeOutput(const SurfaceTarget& target, const coproc::OutputSpec& spec,
                                                                  std::uint32_t number);

// The file that `spec` names, if any, could be written for the first surface; nothing of it is touched. CheckHeadlessFile's
// errors.
[[nodiscard]] Result<void> CheckOutputFile(const coproc::OutputSpec& spec);

// Whether MakeOutput knows an output for such a surface.
[[nodiscard]] bool HasOutputFor(SurfaceTarget::Kind kind, const coproc::OutputSpec& spec);

// Whether an output that MakeOutput made keeps ten bits a channel: a raw stream, or nothing at all; windows, pictures and films
// have eight.
[[nodiscard]] bool KeepsTenBits(const outputs::OutputInfo& output, const coproc::OutputSpec& spec);

// What an output can show, preferred first: what converts to the 8 bits of a window. A program takes an offer of ten bits for a
// promise to keep them.
enum class TenBits : std::uint8_t { kOffered, kNotOffered };
[[nodiscard]] std::vector<DXGI_FORMAT> ShowableFormats(TenBits ten_bits);

}  // namespace tandem::compose
