// QEMU's QXL device as a model: ports, rings of commands, a primary surface and a pointer. Off-screen surfaces, video streams and
// the commands that only older drivers draw with are not there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"
#include "bus/device_model.h"
#include "bus/qxl/qxl_memory.h"
#include "bus/qxl/qxl_pointer.h"
#include "bus/qxl/qxl_surface.h"
#include "color/blit.h"
#include "outputs/output.h"

namespace tandem::bus {

// Threads: any.
class QxlGpu final : public DeviceModel {
 public:
  // For a display of that many pixels. kOutOfMemory.
  static Result<std::unique_ptr<QxlGpu>> Create(std::uint32_t width, std::uint32_t height);

  // Shows a part of the primary surface with the pointer over it. Errors: the output's; kSurfaceLost without a primary surface
  // that has the part, and when the driver made a mistake that only a reset ends.
  Result<void> Show(outputs::Output& output, const color::BlitRect& part);
  // Drawing commands that were executed.
  [[nodiscard]] std::uint64_t draws() const;
  // Waits until there are more than `draws`. False when that lasts longer.
  [[nodiscard]] bool AwaitDraw(std::uint64_t draws, std::int64_t limit_ns);
  // Bytes that commands and the pointer's blending copied.
  [[nodiscard]] std::uint64_t copied_bytes() const;

  // DeviceModel
  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  void Attach(DeviceHost& host) override { host_ = &host; }
  [[nodiscard]] std::uint32_t ReadRegister(std::uint32_t /*offset*/, std::uint32_t /*size*/) override {
    return ~std::uint32_t{0};
  }
  void WriteRegister(std::uint32_t /*offset*/, std::uint32_t /*size*/, std::uint32_t /*value*/) override {}
  void WritePort(std::uint32_t offset, std::uint32_t size, std::uint32_t value) override;
  void Work() override;
  [[nodiscard]] bool LineAsserted() const override;
  void Reset() override;

 private:
  explicit QxlGpu(QxlMemory memory);

  void ResetLocked() TANDEM_REQUIRES(mutex_);
  // Does at once what the port asks for.
  void Obey(std::uint32_t port, std::uint32_t value) TANDEM_REQUIRES(mutex_);
  // Takes commands out of both rings until they are empty.
  void Execute() TANDEM_REQUIRES(mutex_);
  // Executes commands of that type, and releases all. A driver that waits for room gets the interrupt.
  template <class Ring>
  void ExecuteRing(Ring& ring, std::uint32_t type, void (QxlGpu::*execute)(QXLPHYSICAL), std::uint32_t interrupt)
      TANDEM_REQUIRES(mutex_);
  void Draw(QXLPHYSICAL address) TANDEM_REQUIRES(mutex_);
  void MovePointer(QXLPHYSICAL address) TANDEM_REQUIRES(mutex_);
  // The log names the first command that cannot be drawn; one outside of its memory breaks the device.
  void Note(const Result<void>& done) TANDEM_REQUIRES(mutex_);
  // The driver may use the command's memory again.
  void Release(QXLPHYSICAL address) TANDEM_REQUIRES(mutex_);
  void TellReleases() TANDEM_REQUIRES(mutex_);
  void Interrupt(std::uint32_t bits);

  DeviceDescription description_;
  DeviceHost* host_ = nullptr;
  QxlMemory memory_;
  mutable Mutex mutex_;
  Condition drawn_;
  QxlSurface surface_ TANDEM_GUARDED_BY(mutex_);
  QxlPointer pointer_ TANDEM_GUARDED_BY(mutex_);
  std::vector<std::byte> picture_ TANDEM_GUARDED_BY(mutex_);  // a part with the pointer over it
  std::string broken_ TANDEM_GUARDED_BY(mutex_);              // the driver's mistake
  bool unsupported_was_said_ TANDEM_GUARDED_BY(mutex_) = false;
  std::uint64_t first_release_ TANDEM_GUARDED_BY(mutex_) = 0;    // identifier of the list that the driver gets next
  std::byte* last_release_ TANDEM_GUARDED_BY(mutex_) = nullptr;  // its end, in the device's memory; null: an empty list
  std::uint64_t draws_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::uint64_t pointer_bytes_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem::bus
