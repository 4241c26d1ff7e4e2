#include "drivers/kms/kmd/head_picture.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "color/blit.h"
#include "drivers/kms/card/drm.h"
#include "drivers/processor/kmd/scan_out_frame.h"
#include "outputs/output.h"

namespace tandem::kms {
namespace {

constexpr std::int64_t kLongestWriteBackNs = 20'000'000'000;

}  // namespace

HeadPicture::HeadPicture(std::uint32_t target, const CardParts& card, const HeadParts& head, processor::GpuMemory& memory,
                         Cursor& cursor)
    : target_(target),
      card_(card),
      planes_(card.card, head.connector, head.crtc, head.planes),
      framebuffers_(card.card, card.handles, memory, card.local),
      staging_(card.card, card.dithers),
      maker_(planes_, framebuffers_, memory, staging_, card.imports_refused),
      cursor_(cursor) {}

HeadPicture::~HeadPicture() {
  writeback_.reset();
  cursor_.Release();
  Place(std::nullopt);
  planes_.Restore();
}

Showing HeadPicture::Commit(const SceneMaker::Made& made, bool tears, CommitResult& result) {
  const Scene& scene = made.scene;
  const bool sets_mode = !planes_.HasMode(*scene.mode);
  const bool same_place = scene.count == 1 && place_ && scene.content == place_->content;
  result = {CommitOutcome::kInvalid, EINVAL};
  if (tears && !sets_mode && same_place && !tearing_refused_ && card_.card.caps().atomic_async_flip) {
    result = planes_.ShowAsync(scene, target_);
    if (result.outcome == CommitOutcome::kInvalid) {
      tearing_refused_ = true;
      Log(LogLevel::kInfo, "{} shows frames at vertical blanks only: its driver takes no tearing flips.",
          planes_.connector().name);
    }
  }
  if (!result.done() && result.outcome != CommitOutcome::kBusy) result = planes_.Show(scene, target_);
  if (result.outcome == CommitOutcome::kBusy) return Showing::kBusy;
  if (result.outcome == CommitOutcome::kGone) return Showing::kGone;
  if (result.outcome == CommitOutcome::kNoObject) {
    Log(LogLevel::kError, "{} went with its dock, or the desktop ended its lease.", planes_.connector().name);
    return Showing::kGone;
  }
  if (!result.done()) return Showing::kNotShown;
  pending_ = {};
  for (std::uint32_t i = 0; i < scene.count; ++i) pending_[i] = scene.planes[i].framebuffer;
  width_ = scene.mode->width;
  height_ = scene.mode->height;
  if (!sets_mode) return Showing::kPending;
  writeback_.reset();  // as large as the mode before
  card_.screens.SetPeriod(target_, RefreshPeriodNs(*scene.mode));
  return Showing::kShown;
}

Showing HeadPicture::Show(const processor::ScanOutFrame& frame, color::Rotation rotation, bool tears) {
  cursor_.Hold();
  const Showing showing = MakeAndCommit(frame, rotation, tears);
  if (showing != Showing::kPending) cursor_.Release();
  return showing;
}

Showing HeadPicture::MakeAndCommit(const processor::ScanOutFrame& frame, color::Rotation rotation, bool tears) {
  auto made = maker_.Make(frame, rotation, shown_[0]);
  CommitResult result;
  Showing showing = made.ok() ? Commit(*made, tears, result) : Showing::kNotShown;
  if (made.ok() && showing == Showing::kNotShown && !made->composed && result.outcome != CommitOutcome::kNotMaster) {
    // The test said yes. The frame is shown all the same, and no later one is read where it is.
    const Error refusal = ToError(result, "The card took a frame in a test and not in a commit. The commit");
    if (made->imported) card_.imports_refused.store(true, std::memory_order_release);
    maker_.ComposeLikeIt(refusal.message);
    Log(LogLevel::kWarn, "{} Frames are copied from now on.", refusal.message);
    made = maker_.Make(frame, rotation, shown_[0]);
    if (made.ok()) showing = Commit(*made, false, result);
  }
  if (!made.ok()) {
    if (!std::exchange(refusal_was_logged_, true)) Log(LogLevel::kWarn, "A frame is not shown. {}", made.error().message);
    return made.error().kind == ErrorKind::kDeviceLost ? Showing::kGone : Showing::kNotShown;
  }
  if (showing == Showing::kNotShown && !std::exchange(refusal_was_logged_, true)) {
    Log(LogLevel::kWarn, "A frame is not shown. {}", ToError(result, "The flip").message);
  }
  if (showing != Showing::kPending && showing != Showing::kShown) return showing;
  refusal_was_logged_ = false;
  pending_place_ = {made->scene.content, frame.width, frame.height, rotation};
  if (showing == Showing::kShown) Settle();
  if (made->composed) {
    card_.screens.CountComposed(target_, made->written_bytes, maker_.why_composed());
  } else {
    card_.screens.CountDirect(target_);
  }
  return showing;
}

void HeadPicture::Flipped() {
  Settle();
  cursor_.Release();
}

void HeadPicture::Settle() {
  shown_ = pending_;
  Place(pending_place_);
  Sweep();
}

void HeadPicture::Place(const std::optional<PicturePlace>& place) {
  if (place == place_) return;
  place_ = place;
  cursor_.SetPlace(place);
}

void HeadPicture::ForgetMode() {
  planes_.ForgetMode();
  cursor_.Forget();
}

void HeadPicture::Sweep() {
  std::array<std::uint32_t, 2 * processor::kMaxScanOutPlanes> in_use{};
  std::copy(pending_.begin(), pending_.end(), std::copy(shown_.begin(), shown_.end(), in_use.begin()));
  framebuffers_.Sweep(in_use);
}

void HeadPicture::SwitchOff() {
  Place(std::nullopt);
  const CommitResult result = planes_.SwitchOff();
  if (!result.done() && result.outcome != CommitOutcome::kGone) {
    Log(LogLevel::kInfo, "{}", ToError(result, "Switching a display off").message);
  }
  shown_ = pending_ = {};
  Sweep();
}

bool HeadPicture::CanRead(const processor::ScanOutFrame& frame, color::Rotation rotation) {
  const auto made = maker_.Ask(frame, rotation);
  const bool can = made && planes_.Test(*made).done();
  Sweep();
  return can;
}

void HeadPicture::SetConnector(const Connector& connector) {
  // A mode that stays set would reach the new display only by chance: the kernel skips a modeset that changes nothing.
  if (planes_.is_lit()) SwitchOff();
  planes_.SetConnector(connector);
  maker_.Reset();
}

void HeadPicture::WriteBack() {
  const auto watcher = card_.screens.WatcherOf(target_);
  if (watcher == nullptr || !place_) return;
  if (writeback_ == nullptr) {
    auto made = Writeback::Create(card_.card, card_.resources, planes_.crtc(), width_, height_, DRM_FORMAT_XRGB8888);
    if (!made.ok()) {
      Log(LogLevel::kWarn, "A picture is not written back. {}", made.error().message);
      return;
    }
    writeback_ = std::make_unique<Writeback>(*std::move(made));
  }
  if (auto captured = writeback_->Capture(kLongestWriteBackNs); !captured.ok()) {
    Log(LogLevel::kWarn, "A picture is not written back. {}", captured.error().message);
    return;
  }
  outputs::Surface surface;
  surface.pitch = writeback_->pitch_bytes();
  const color::BlitRect& content = place_->content;
  surface.pixels = writeback_->pixels() + std::uint64_t{content.top} * surface.pitch + std::uint64_t{content.left} * 4;
  surface.width = content.width();
  surface.height = content.height();
  surface.format = color::Format::kB8G8R8X8Unorm;
  static_cast<void>(watcher->Show(surface));
}

}  // namespace tandem::kms
