// The soft adapter's display side: connectors into which outputs are plugged, with a scan-out for each.
#pragma once

#include <memory>
#include <vector>

#include "color/blit.h"
#include "drivers/processor/kmd/display.h"
#include "drivers/soft/connectors.h"
#include "drivers/soft/kmd/pointer.h"
#include "drivers/soft/kmd/scan_out.h"
#include "drivers/soft/soft_device.h"

namespace tandem::soft {

class SoftDisplay final : public processor::Display {
 public:
  // `description` outlives it; `connectors` are the description's, null for an adapter without VidPn sources.
  SoftDisplay(const DeviceDescription& description, std::shared_ptr<ConnectorsImpl> connectors)
      : description_(description), connectors_(std::move(connectors)) {}

  [[nodiscard]] const DeviceDescription& description() const { return description_; }
  // Precondition: the target exists.
  [[nodiscard]] ScanOut& scan_out(std::uint32_t target) { return *scan_outs_[target]; }

  Result<processor::LocalMemory> MakeLocalMemory() override;
  Result<void> Start(processor::Device& device) override;
  void Stop() override;

  [[nodiscard]] std::uint32_t source_count() const override { return connectors_ ? connectors_->count() : 0; }
  [[nodiscard]] std::uint32_t tier() const override { return description_.tier; }
  [[nodiscard]] std::uint32_t overlay_planes() const override { return description_.overlay_planes; }
  [[nodiscard]] bool ScansOut(color::Format format) const override {
    return drivers::PixelBytes(format) != 0 || (drivers::IsNv12(format) && description_.scans_out_nv12);
  }

  [[nodiscard]] DXGK_CHILD_DEVICE_HPD_AWARENESS hpd_awareness() const override { return HpdAwarenessInterruptible; }
  NTSTATUS QueryChildStatus(DXGK_CHILD_STATUS& status) override;
  NTSTATUS QueryDeviceDescriptor(std::uint32_t target, DXGK_DEVICE_DESCRIPTOR& descriptor) override;

  // The output's extent, where it has one.
  std::optional<processor::MonitorMode> PreferredMode(std::uint32_t target) override;
  NTSTATUS SetPlugged(std::uint32_t target, bool plugged) override;
  // In the first bytes of local memory, which nobody else uses any more.
  NTSTATUS EnableSystemDisplay(std::uint32_t target, processor::SystemFrame& frame) override;
  void WriteSystemDisplay(const processor::SystemBlock& block) override;

  void Program(std::uint32_t target, const processor::ScanOutFrame& frame, processor::FlipTiming timing) override {
    scan_out(target).Program(frame, timing);
  }
  void SetVisible(std::uint32_t target, bool visible) override { scan_out(target).SetVisible(visible); }
  void EnableInterrupt(std::uint32_t target, bool enabled) override { scan_out(target).EnableInterrupt(enabled); }
  processor::Beam BeamPosition(std::uint32_t target) override { return scan_out(target).BeamPosition(); }
  void SetRotation(std::uint32_t target, color::Rotation rotation) override { scan_out(target).SetRotation(rotation); }
  void SetPalette(std::uint32_t target, const drivers::PaletteColors& palette) override { scan_out(target).SetPalette(palette); }
  [[nodiscard]] bool takes_gamma_ramps() const override { return true; }
  void SetGammaRamp(std::uint32_t target, processor::GammaRamp ramp) override { scan_out(target).SetGammaRamp(std::move(ramp)); }
  [[nodiscard]] processor::PointerAbilities pointer() const override;
  void SetPointerShape(std::uint32_t target, const DXGKARG_SETPOINTERSHAPE& shape) override {
    scan_out(target).SetPointerImage(PointerImage::Read(shape));
  }
  void SetPointerPosition(std::uint32_t target, const DXGKARG_SETPOINTERPOSITION& position) override {
    scan_out(target).SetPointerPosition(position.X, position.Y, position.Flags.Visible != 0);
  }
  void ForgetMemory(std::uint64_t memory_id) override;

  std::optional<processor::ScanOutPlane> ToPlane(const processor::AllocationData& surface,
                                                 const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes) const override;
  std::optional<UINT> FirstRefused(const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check) override;

 private:
  void OnCable(std::uint32_t connector);

  const DeviceDescription& description_;
  const std::shared_ptr<ConnectorsImpl> connectors_;  // null: no VidPn sources
  processor::Device* device_ = nullptr;               // null before the first start
  std::vector<std::unique_ptr<ScanOut>> scan_outs_;
  std::uint32_t system_target_ = 0;  // the system has stopped: its last words are shown there
  processor::SystemFrame system_frame_;
};

}  // namespace tandem::soft
