// The choice between planes that read a frame's memory and a picture that the processor writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "color/blit.h"
#include "drivers/kms/kmd/crtc_planes.h"
#include "drivers/kms/kmd/framebuffer_cache.h"
#include "drivers/kms/kmd/scene.h"
#include "drivers/kms/kmd/staging.h"
#include "drivers/processor/kmd/scan_out_frame.h"

namespace tandem::kms {

// One thread, the head's. Everything it is given outlives it.
class SceneMaker {
 public:
  // `imports_refused`: the card took imported memory in a test and refused it in a commit; all heads of the card share it.
  SceneMaker(CrtcPlanes& planes, FramebufferCache& framebuffers, processor::GpuMemory& memory, Staging& staging,
             const std::atomic<bool>& imports_refused)
      : planes_(planes), framebuffers_(framebuffers), memory_(memory), staging_(staging), imports_refused_(imports_refused) {}

  struct Made {
    Scene scene;
    bool composed = false;
    bool imported = false;  // planes read memory of another exporter
    std::uint64_t written_bytes = 0;
  };
  // Planes read the frame where that can be, otherwise the frame is composed. `on_screen`: the framebuffer of the lowest plane
  // that is shown now. The scene's mode belongs to the head's connector. kSurfaceLost without a mode; Compose()'s errors.
  [[nodiscard]] Result<Made> Make(const processor::ScanOutFrame& frame, color::Rotation rotation, std::uint32_t on_screen);
  // kNotFound, kUnsupported, kOutOfMemory.
  [[nodiscard]] Result<Made> Compose(const processor::ScanOutFrame& frame, color::Rotation rotation, std::uint32_t on_screen);
  // The scene of planes that read those of the frame where they are, to be tested; nothing when no plane can. Decides nothing for
  // Make().
  [[nodiscard]] std::optional<Scene> Ask(const processor::ScanOutFrame& frame, color::Rotation rotation);
  // Why the last frame that Make() composed was; empty: none was.
  [[nodiscard]] const std::string& why_composed() const { return why_composed_; }
  // Frames like the last one are composed from now on, for the reason.
  void ComposeLikeIt(const std::string& why) {
    if (decided_) decided_->composes = true;
    why_composed_ = why;
  }
  // The connector has changed: nothing that was decided before counts.
  void Reset() { decided_.reset(); }

 private:
  // Frames that are shown in the same way.
  struct Shape {
    std::uint32_t width = 0, height = 0, pitch = 0;
    color::Format format = color::Format::kUnknown;
    color::Rotation rotation = color::Rotation::kIdentity;
    bool imported = false;
    bool operator==(const Shape&) const = default;
  };
  struct Decision {
    Shape shape;
    std::uint32_t fourcc = 0;
    color::BlitRect content;
    bool composes = false;
  };
  // The mode that the frame is shown in; null without modes.
  [[nodiscard]] const Mode* ModeFor(const processor::ScanOutFrame& frame, color::Rotation rotation) const;
  [[nodiscard]] Decision Decide(const processor::ScanOutFrame& frame, const Shape& shape, const Mode& mode);
  [[nodiscard]] std::optional<Made> MakePlanes(const processor::ScanOutFrame& frame, const Mode& mode);

  CrtcPlanes& planes_;
  FramebufferCache& framebuffers_;
  processor::GpuMemory& memory_;
  Staging& staging_;
  const std::atomic<bool>& imports_refused_;
  std::optional<Decision> decided_;
  std::string why_composed_;
};

// The connector's mode of this extent with the highest rate that is not interlaced; the preferred one where no mode has it; null
// without modes.
[[nodiscard]] const Mode* ChooseMode(const Connector& connector, std::uint32_t width, std::uint32_t height);

}  // namespace tandem::kms
