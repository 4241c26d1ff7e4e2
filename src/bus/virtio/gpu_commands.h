// The commands of a virtio GPU with one scan-out, and the state that they change.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bus/virtio/gpu_3d.h"
#include "bus/virtio/gpu_pointer.h"
#include "bus/virtio/gpu_protocol.h"
#include "bus/virtio/gpu_resources.h"
#include "bus/virtio/split_queue.h"
#include "color/blit.h"
#include "outputs/output.h"

namespace tandem::bus {

// Size in pixels, 1..kMaxSurfaceExtent.
struct GpuDisplay {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::int64_t refresh_period_ns = 0;
  bool connected = true;
};

// Threads: one at a time.
class GpuCommands {
 public:
  // Without a renderer commands of 3D are answered with errors. The host outlives this object.
  GpuCommands(const GpuDisplay& display, MakeRenderer3d make_renderer, Renderer3d::Host& host)
      : display_(display), in_3d_(resources_, std::move(make_renderer), host) {}

  // Executes a command of the control queue or of the cursor queue. `answer` becomes the whole answer, which the driver gets when
  // the fence that is returned is signalled; nullopt: at once.
  [[nodiscard]] std::optional<std::uint32_t> Execute(bool of_cursor_queue, const Chain& chain, std::vector<std::byte>& answer);
  // Gpu3d counts them.
  [[nodiscard]] std::uint32_t CountCapsets() { return in_3d_.CountCapsets(); }
  // Writes results of queries that are there by `fence` (Gpu3d).
  void PublishResults(std::uint32_t fence) { in_3d_.PublishResults(fence); }
  [[nodiscard]] bool hangs() const { return in_3d_.hangs(); }
  void Reset();

  // Shows a part of the scan-out with the pointer over it. kUnsupported when the scan-out does not hold the part, or there is
  // none; else the output's errors.
  Result<void> Show(outputs::Output& output, const color::BlitRect& part);
  // The same, of all that is scanned out.
  Result<void> ShowScanOut(outputs::Output& output) { return Show(output, {0, 0, scanout_rect_.width, scanout_rect_.height}); }
  // What GetDisplayInfo answers from now on; a display that is not connected shows nothing.
  void SetConnected(bool connected) { display_.connected = connected; }
  [[nodiscard]] bool connected() const { return display_.connected; }
  // Flushes of the scan-out so far.
  [[nodiscard]] std::uint64_t flushes() const { return flushes_; }
  // Bytes that were copied out of the driver's memory and into it, out of textures that are shown, and for the pointer, so far.
  [[nodiscard]] std::uint64_t copied_bytes() const {
    return resources_.transferred_bytes() + in_3d_.copied_bytes() + pointer_bytes_;
  }

 private:
  [[nodiscard]] virtio::GpuAnswer ExecuteControl(const virtio::GpuHeader& header, const Chain& chain,
                                                 std::vector<std::byte>& answer);
  [[nodiscard]] virtio::GpuAnswer ExecuteCursor(std::uint32_t type, const virtio::GpuCursor& command);
  [[nodiscard]] virtio::GpuAnswer GetDisplayInfo(std::vector<std::byte>& answer) const;
  [[nodiscard]] virtio::GpuAnswer GetEdid(const virtio::GpuGetEdid& command, std::vector<std::byte>& answer) const;
  [[nodiscard]] virtio::GpuAnswer Unref(const virtio::GpuResourceCommand& command);
  [[nodiscard]] virtio::GpuAnswer SetScanout(const virtio::GpuSetScanout& command);
  [[nodiscard]] virtio::GpuAnswer Flush(const virtio::GpuFlush& command);
  [[nodiscard]] virtio::GpuAnswer TransferToHost2d(const virtio::GpuTransfer& command);
  [[nodiscard]] virtio::GpuAnswer AttachBacking(const virtio::GpuAttachBacking& command, const Chain& chain);
  // The part as a surface: the resource's pixels, or a copy with the pointer.
  [[nodiscard]] outputs::Surface SurfaceOf(const GpuResource& resource, const color::BlitRect& part);

  GpuDisplay display_;
  GpuResources resources_;
  Gpu3d in_3d_;
  GpuPointer pointer_;
  std::uint32_t scanout_ = 0;  // the resource that is scanned out; 0: none
  virtio::GpuRect scanout_rect_{};
  bool scanout_is_stale_ = false;  // a texture that was not read since it is scanned out
  std::uint64_t flushes_ = 0;
  std::uint64_t pointer_bytes_ = 0;
  std::vector<std::byte> picture_;  // with the pointer
};

}  // namespace tandem::bus
