// A card's display side for the processor's engines: a head for each connected display.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/thread.h"
#include "color/blit.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/card_events.h"
#include "drivers/kms/card/card_name.h"
#include "drivers/kms/card/resources.h"
#include "drivers/kms/card/seat_session.h"
#include "drivers/kms/kmd/head.h"
#include "drivers/kms/kmd/local_pictures.h"
#include "drivers/kms/kmd/plugged_monitors.h"
#include "drivers/kms/kmd/screens.h"
#include "drivers/kms/kms_device.h"
#include "drivers/processor/kmd/display.h"

namespace tandem::kms {

class KmsDisplay final : public processor::Display, private CardListener, private SeatListener {
 public:
  // `description` outlives it; `screens` are the description's.
  KmsDisplay(const DeviceDescription& description, CardName name, std::shared_ptr<ScreensImpl> screens);
  ~KmsDisplay() override;

  Result<processor::LocalMemory> MakeLocalMemory() override;
  Result<void> Start(processor::Device& device) override;
  void Stop() override;

  [[nodiscard]] std::uint32_t source_count() const override { return static_cast<std::uint32_t>(parts_.size()); }
  [[nodiscard]] std::uint32_t tier() const override { return tier_; }
  [[nodiscard]] std::uint32_t overlay_planes() const override { return overlay_planes_; }
  [[nodiscard]] bool ScansOut(color::Format format) const override;

  [[nodiscard]] DXGK_CHILD_DEVICE_HPD_AWARENESS hpd_awareness() const override {
    return events_ != nullptr && events_->sees_displays() ? HpdAwarenessInterruptible : HpdAwarenessAlwaysConnected;
  }
  NTSTATUS QueryChildStatus(DXGK_CHILD_STATUS& status) override;
  NTSTATUS QueryDeviceDescriptor(std::uint32_t target, DXGK_DEVICE_DESCRIPTOR& descriptor) override {
    return target < source_count() ? monitors_.Describe(target, descriptor) : STATUS_INVALID_PARAMETER;
  }

  void Program(std::uint32_t target, const processor::ScanOutFrame& frame, processor::FlipTiming timing) override {
    heads_[target]->Program(frame, timing);
  }
  void SetVisible(std::uint32_t target, bool visible) override { heads_[target]->SetVisible(visible); }
  void EnableInterrupt(std::uint32_t target, bool enabled) override { heads_[target]->EnableInterrupt(enabled); }
  processor::Beam BeamPosition(std::uint32_t target) override { return heads_[target]->BeamPosition(); }
  void SetRotation(std::uint32_t target, color::Rotation rotation) override { heads_[target]->SetRotation(rotation); }
  void SetPalette(std::uint32_t /*target*/, const drivers::PaletteColors& /*palette*/) override {}  // no plane reads indexes
  [[nodiscard]] processor::PointerAbilities pointer() const override { return pointer_; }
  void SetPointerShape(std::uint32_t target, const DXGKARG_SETPOINTERSHAPE& shape) override {
    heads_[target]->cursor().SetShape(shape);
  }
  void SetPointerPosition(std::uint32_t target, const DXGKARG_SETPOINTERPOSITION& position) override {
    heads_[target]->cursor().SetPosition(position.X, position.Y, position.Flags.Visible != 0);
  }
  void ForgetMemory(std::uint64_t memory_id) override;

  std::optional<processor::ScanOutPlane> ToPlane(const processor::AllocationData& surface,
                                                 const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes) const override;
  std::optional<UINT> FirstRefused(const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check) override;

 private:
  void OnFlip(const FlipEvent& event) override;
  void OnSequence(const SequenceEvent& event) override;
  // Indicates each change to the kernel, which asks for the new status on a thread of its own.
  void OnHotPlug(std::optional<std::uint32_t> connector_id) override;
  void OnRemoved() override;
  void OnSeatEnabled() override { OnSeat(true); }
  void OnSeatDisabled() override { OnSeat(false); }
  void OnSeat(bool active);

  const DeviceDescription& description_;
  const CardName name_;
  const std::shared_ptr<ScreensImpl> screens_;
  processor::Device* device_ = nullptr;
  std::unique_ptr<Card> card_;  // null while stopped
  Resources resources_;
  std::vector<HeadParts> parts_;  // as they were at the start
  PluggedMonitors monitors_;
  std::unique_ptr<GemHandles> handles_;
  std::unique_ptr<LocalPictures> local_;
  std::atomic<bool> imports_refused_{false};
  std::uint32_t tier_ = 0;
  std::uint32_t overlay_planes_ = 1;
  processor::PointerAbilities pointer_;
  std::vector<std::unique_ptr<Head>> heads_;
  std::unique_ptr<CardEvents> events_;
  // The seat's thread runs before there are heads, and after them.
  Mutex seat_mutex_;
  bool has_seat_ TANDEM_GUARDED_BY(seat_mutex_) = true;
  std::vector<Head*> seated_heads_ TANDEM_GUARDED_BY(seat_mutex_);
};

}  // namespace tandem::kms
