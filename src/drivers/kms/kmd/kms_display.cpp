#include "drivers/kms/kmd/kms_display.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "color/blit.h"
#include "drivers/common/children.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/writeback.h"
#include "drivers/kms/kmd/card_opener.h"
#include "drivers/kms/kmd/formats.h"
#include "drivers/kms/kmd/head_choice.h"
#include "drivers/kms/kmd/import_probe.h"
#include "drivers/kms/kmd/plane_question.h"
#include "drivers/processor/kmd/device.h"
#include "outputs/output.h"

namespace tandem::kms {
namespace {

constexpr std::uint32_t kPrimaries = 4;  // of the largest mode, in local memory
constexpr std::uint64_t kPixelBytes = 4;

// The mode of the heads with the most pixels.
const Mode& LargestMode(const std::vector<HeadParts>& heads) {
  const Mode* largest = &heads.front().connector.modes.front();
  for (const HeadParts& head : heads) {
    for (const Mode& mode : head.connector.modes) {
      if (std::uint32_t{mode.width} * mode.height > std::uint32_t{largest->width} * largest->height) largest = &mode;
    }
  }
  return *largest;
}

// A cursor plane blends and inverts nothing, so the system draws pointers with masks itself. None unless each head has a plane.
processor::PointerAbilities PointerOf(const Card& card, const Resources& resources, const std::vector<HeadParts>& heads) {
  processor::PointerAbilities abilities;
  const bool has_planes = std::ranges::all_of(heads, [&resources](const HeadParts& head) {
    const Plane* const plane = resources.FindPlane(PlaneType::kCursor, head.crtc);
    return plane != nullptr && plane->TakesLinear(DRM_FORMAT_ARGB8888);
  });
  if (!has_planes || !card.caps().dumb_buffers) return abilities;
  abilities.shapes.Color = 1;
  abilities.max_extent = std::min(card.caps().cursor_width, card.caps().cursor_height);
  return abilities;
}

}  // namespace

KmsDisplay::KmsDisplay(const DeviceDescription& description, CardName name, std::shared_ptr<ScreensImpl> screens)
    : description_(description), name_(std::move(name)), screens_(std::move(screens)) {}

// The seat's thread ends before what it uses.
KmsDisplay::~KmsDisplay() { KmsDisplay::Stop(); }

Result<processor::LocalMemory> KmsDisplay::MakeLocalMemory() {
  auto card = OpenCard(name_, *this);
  if (!card.ok()) return std::move(card).error();
  card_ = *std::move(card);
  auto resources = ReadResources(*card_);
  if (!resources.ok()) return std::move(resources).error();
  resources_ = *std::move(resources);
  auto heads = ChooseHeads(resources_, name_.connector);
  if (!heads.ok()) return std::move(heads).error().Context(card_->identity().path);
  parts_ = *std::move(heads);
  handles_ = std::make_unique<GemHandles>(*card_);
  local_ = std::make_unique<LocalPictures>(*card_);
  const Mode& mode = LargestMode(parts_);
  std::uint64_t bytes = std::uint64_t{mode.width} * mode.height * kPixelBytes * kPrimaries * parts_.size();
  if (description_.most_local_memory_bytes != 0) bytes = std::min(bytes, description_.most_local_memory_bytes);
  return local_->Make(bytes);
}

Result<void> KmsDisplay::Start(processor::Device& device) {
  device_ = &device;
  imports_refused_ = false;
  const auto imports = ProbeImports(*card_, *handles_, parts_.front(), description_.memory.get());
  tier_ = std::min(description_.most_tier, imports.ok() ? 3U : 1U);
  if (!imports.ok()) {
    Log(LogLevel::kInfo, "{} ({}) shows no memory of other devices: {}", card_->identity().path, card_->identity().driver,
        imports.error().message);
  }
  const CardParts card{*card_, resources_, *handles_, *local_, *screens_, imports_refused_, description_.dithers};
  pointer_ = PointerOf(*card_, resources_, parts_);
  overlay_planes_ = processor::kMaxScanOutPlanes;
  for (std::uint32_t target = 0; target < parts_.size(); ++target) {
    const HeadParts& parts = parts_[target];
    overlay_planes_ = std::min(overlay_planes_, static_cast<std::uint32_t>(parts.planes.size()));
    screens_->Start(target, card_->identity().path, parts.connector.name, RefreshPeriodNs(*parts.connector.preferred_mode()),
                    FindWriteback(resources_, parts.crtc) != nullptr);
    auto head = Head::Create(target, card, parts, *device.memory(), device.interrupts(), MonotonicClock());
    if (!head.ok()) return std::move(head).error();
    heads_.push_back(*std::move(head));
    monitors_.Update(target, &parts.connector);
  }
  auto events = CardEvents::Start(*card_, *this);
  if (!events.ok()) return std::move(events).error();
  events_ = *std::move(events);
  const MutexLock lock(seat_mutex_);
  for (const auto& head : heads_) {
    seated_heads_.push_back(head.get());
    if (!has_seat_) head->OnSeat(false);
  }
  return {};
}

void KmsDisplay::Stop() {
  {
    const MutexLock lock(seat_mutex_);
    seated_heads_.clear();
  }
  events_.reset();
  heads_.clear();
  screens_->Stop();
  parts_.clear();
  local_.reset();
  handles_.reset();
  card_.reset();
  const MutexLock lock(seat_mutex_);
  has_seat_ = true;
}

// The formats that every tier must scan out are shown on every card, if not by its planes, then from a picture that the processor
// writes.
bool KmsDisplay::ScansOut(color::Format format) const {
  if (IsComposable(format)) return true;
  const auto fourccs = OpaqueFourccs(format);
  return std::ranges::all_of(parts_, [&](const HeadParts& head) {
    return std::ranges::any_of(fourccs, [&](std::uint32_t fourcc) { return head.planes.front().TakesLinear(fourcc); });
  });
}

NTSTATUS KmsDisplay::QueryChildStatus(DXGK_CHILD_STATUS& status) {
  const NTSTATUS known = drivers::QueryChildStatus(source_count(), status);
  if (NT_SUCCESS(known) && status.Type == StatusConnection) {
    const bool is_lost = screens_->StateOf(status.ChildUid).status.state != outputs::OutputState::kOk;
    status.HotPlug.Connected = monitors_.IsConnected(status.ChildUid) && !is_lost ? TRUE : FALSE;
  }
  return known;
}

void KmsDisplay::ForgetMemory(std::uint64_t memory_id) {
  for (const auto& head : heads_) head->ForgetMemory(memory_id);
}

std::optional<processor::ScanOutPlane> KmsDisplay::ToPlane(const processor::AllocationData& surface,
                                                           const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes) const {
  if (!ScansOut(surface.format)) return std::nullopt;
  return kms::ToPlane(surface, attributes);
}

std::optional<UINT> KmsDisplay::FirstRefused(const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check) {
  PlaneQuestion question(*device_, *this, local_->size_bytes(), imports_refused_.load(std::memory_order_acquire));
  return question.FirstRefused(check, [this](std::uint32_t source, const processor::ScanOutFrame& frame) {
    bool can = true;
    device_->ForEachTarget(source, [&](std::uint32_t target, bool) { can = can && heads_[target]->CanRead(frame); });
    return can;
  });
}

void KmsDisplay::OnFlip(const FlipEvent& event) {
  if (event.user_data < heads_.size()) heads_[event.user_data]->OnFlip(event);
}

void KmsDisplay::OnSequence(const SequenceEvent& event) {
  if (event.user_data < heads_.size()) heads_[event.user_data]->OnSequence(event);
}

void KmsDisplay::OnHotPlug(std::optional<std::uint32_t> /*connector_id*/) {
  const auto resources = ReadResources(*card_);
  if (!resources.ok()) {
    if (resources.error().kind == ErrorKind::kDeviceLost) OnRemoved();
    return;
  }
  for (std::uint32_t target = 0; target < heads_.size(); ++target) {
    const Connector* const connector = resources->FindConnector(parts_[target].connector.name);
    if (!monitors_.Update(target, connector)) continue;
    const bool connected = monitors_.IsConnected(target);
    screens_->SetConnected(target, connected);
    // The head knows the display before the kernel asks for a mode of it.
    if (connected) heads_[target]->OnDisplay(*connector);
    DXGK_CHILD_STATUS status{};
    status.Type = StatusConnection;
    status.ChildUid = target;
    status.HotPlug.Connected = connected ? TRUE : FALSE;
    const DXGKRNL_INTERFACE& kernel = device_->kernel();
    static_cast<void>(kernel.DxgkCbIndicateChildStatus(kernel.DeviceHandle, &status));
  }
}

void KmsDisplay::OnSeat(bool active) {
  const MutexLock lock(seat_mutex_);
  has_seat_ = active;
  for (Head* const head : seated_heads_) head->OnSeat(active);
}

void KmsDisplay::OnRemoved() {
  Log(LogLevel::kError, "{} ({}) is gone.", card_->identity().path, card_->identity().driver);
  for (const auto& head : heads_) head->OnGone();
}

}  // namespace tandem::kms
