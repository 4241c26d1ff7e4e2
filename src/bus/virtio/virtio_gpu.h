// A virtio GPU: it shows what the driver flushed when its owner asks for a picture, or each flush at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "bus/virtio/gpu_commands.h"
#include "bus/virtio/renderer_3d.h"
#include "bus/virtio/virtio_device.h"
#include "color/blit.h"
#include "outputs/output.h"

namespace tandem::bus {

class VirtioGpu final : public VirtioDevice, private Renderer3d::Host {
 public:
  // With `flushed_to` each flush of the scan-out is shown there before it is answered; null: pictures are shown when Show() asks.
  // The output outlives the device. With `make_renderer` the device offers 3D. The renderer starts when the driver reads the
  // number of capability sets, or with its first 3D command, whether the driver took the feature or not, as in QEMU. Fenced
  // commands are then answered when their fences are signalled.
  explicit VirtioGpu(const GpuDisplay& display, outputs::Output* flushed_to = nullptr, MakeRenderer3d make_renderer = {});

  // As GpuCommands'. Any thread; commands wait while a picture is shown.
  Result<void> Show(outputs::Output& output, const color::BlitRect& part);
  // Connects the display or takes it off; the driver hears of it (VIRTIO_GPU_EVENT_DISPLAY). Pictures of a display that is not
  // connected are not shown. Any thread.
  void SetConnected(bool connected);
  // Flushes show this part of the scan-out from the next one on, which needs to hold it; an empty one: nothing. At first they
  // show all of it. Any thread.
  void SetFlushedPart(const color::BlitRect& part);
  [[nodiscard]] std::uint64_t flushes() const;
  [[nodiscard]] std::uint64_t copied_bytes() const;

 private:
  // A command whose answer waits for a fence.
  struct Held {
    std::uint32_t fence = 0;
    std::uint32_t queue = 0;
    Chain chain;
    std::vector<std::byte> answer;
  };

  // VirtioDevice
  Result<std::optional<std::uint32_t>> Serve(std::uint32_t queue, const Chain& chain) override;
  Result<std::vector<FinishedChain>> TakeFinished() override;
  void OnReset() override;
  std::uint32_t ReadConfig(std::uint32_t offset, std::uint32_t size) override;
  void WriteConfig(std::uint32_t offset, std::uint32_t size, std::uint32_t value) override;
  // Renderer3d::Host
  void OnFence(std::uint32_t fence) override;

  // Returns the bytes that were written.
  [[nodiscard]] static Result<std::uint32_t> Answer(std::uint32_t queue, const Chain& chain,
                                                    const std::vector<std::byte>& answer);
  void ShowFlushed() TANDEM_REQUIRES(mutex_);

  outputs::Output* const flushed_to_;
  bool lost_was_logged_ = false;  // of Serve()
  mutable Mutex mutex_;
  std::optional<color::BlitRect> flushed_part_ TANDEM_GUARDED_BY(mutex_);  // nullopt: all
  GpuCommands commands_ TANDEM_GUARDED_BY(mutex_);
  std::atomic<std::uint32_t> events_{0};     // that the driver has not cleared
  std::vector<std::byte> answer_;            // of Serve()
  std::deque<Held> held_;                    // of Work(), in the order of their fences
  std::atomic<std::uint32_t> signalled_{0};  // the last fence
};

}  // namespace tandem::bus
