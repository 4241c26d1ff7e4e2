#include "outputs/x11/x11_output.h"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/log.h"
#include "color/yuv.h"
#include "outputs/eight_bits.h"
#include "outputs/x11/fitted_picture.h"
#include "outputs/x11/page_pixmaps.h"
#include "outputs/x11/present_frames.h"
#include "outputs/x11/window_images.h"

namespace tandem::outputs {
namespace {

class X11Output final : public Output {
 public:
  ~X11Output() override {
    if (watch_) watch_->Stop();
  }

  Result<void> Start(const X11Target& target);

  [[nodiscard]] const OutputInfo& info() const override { return info_; }
  [[nodiscard]] OutputStatus Status() const override { return watch_->Status(); }
  [[nodiscard]] OutputStatus AskStatus() const override { return watch_->Ask(); }
  Result<void> Show(const Surface& surface) override;
  bool SetFit(const Fit& fit) override {
    fit_ = fit;
    return true;
  }
  [[nodiscard]] bool TakesNv12() const override { return color::kHasYuv420; }
  [[nodiscard]] bool KeepsTime() const override { return frames_ && frames_->keeps_time(); }
  [[nodiscard]] Beat last_beat() override { return KeepsTime() ? frames_->last_beat() : Beat{0, info_.refresh_period_ns, false}; }
  void Listen(std::function<void()> call) override {
    const MutexLock lock(listener_mutex_);
    listener_ = std::move(call);
  }
  [[nodiscard]] std::int64_t last_shown_ns() const override { return last_shown_ns_; }
  [[nodiscard]] Seen SeenAt(std::int64_t shown_ns) override { return frames_ ? frames_->SeenAt(shown_ns) : Seen{}; }
  [[nodiscard]] DisplayReport report() override { return frames_ ? frames_->report() : DisplayReport{}; }
  void Forget(std::uint64_t surface_id) override;
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return copied_bytes_; }

 private:
  [[nodiscard]] Result<void> CheckVisual(xcb_visualid_t visual) const;
  // The kinds of pixmaps that `way` allows; the name of the first that works, with the reason against DRI3 where there is one.
  std::string ChoosePixmaps(X11Way way);
  void AfterEvents();
  Result<void> Place(const Surface& surface);
  Result<void> ShowPixmap(xcb_pixmap_t pixmap, bool at_once);
  Result<void> ShowImage(const Surface& surface);
  // True if the fit gives the surface another size or place in the window.
  [[nodiscard]] bool Refits(const Surface& surface, const Fit& fit, Extent window) const;
  Result<void> ShowFitted(const Surface& surface, const Fit& fit, Extent window);

  Mutex listener_mutex_;
  std::function<void()> listener_ TANDEM_GUARDED_BY(listener_mutex_);
  OutputInfo info_;
  // Destroyed from the last one up.
  std::unique_ptr<WindowWatch> watch_;
  std::unique_ptr<PresentFrames> frames_;  // null on a server without the extension
  std::unique_ptr<WindowImages> images_;
  std::atomic<Fit> fit_{Fit{}};
  FittedPicture fitted_;
  std::vector<PagePixmaps> pixmaps_;  // the better kind first
  xcb_pixmap_t shown_ = XCB_NONE;     // the last frame's, if it was a pixmap
  std::uint64_t copied_bytes_ = 0;
  std::int64_t last_shown_ns_ = 0;
};

Result<void> X11Output::CheckVisual(xcb_visualid_t visual) const {
  const std::uint8_t depth = watch_->depth();
  const xcb_setup_t* setup = xcb_get_setup(watch_->connection().get());
  for (auto screen = xcb_setup_roots_iterator(setup); screen.rem > 0; xcb_screen_next(&screen)) {
    for (auto list = xcb_screen_allowed_depths_iterator(screen.data); list.rem > 0; xcb_depth_next(&list)) {
      for (auto each = xcb_depth_visuals_iterator(list.data); each.rem > 0; xcb_visualtype_next(&each)) {
        if (each.data->visual_id != visual) continue;
        const bool bgr = each.data->red_mask == 0xFF0000 && each.data->green_mask == 0xFF00 && each.data->blue_mask == 0xFF;
        if (bgr && (depth == 24 || depth == 32) && setup->image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST) return {};
      }
    }
  }
  return Fail(ErrorKind::kUnsupported, "Window {:#x} has {} bits a pixel in an order that is not B, G, R; 24 or 32 are shown.",
              watch_->window(), depth);
}

Result<void> X11Output::Start(const X11Target& target) {
  WindowWatch::Handlers handlers;
  handlers.completed = [this](const auto& event) TANDEM_NO_THREAD_SAFETY_ANALYSIS {
    if (frames_) frames_->OnCompleted(event);
  };
  handlers.idle = [this](const auto& event) TANDEM_NO_THREAD_SAFETY_ANALYSIS {
    if (frames_) frames_->OnIdle(event);
  };
  handlers.after_events = [this] { AfterEvents(); };
  auto watch = WindowWatch::Open(target, std::move(handlers));
  if (!watch.ok()) return std::move(watch).error();
  watch_ = *std::move(watch);
  X11Connection& connection = watch_->connection();
  const auto cookie = xcb_get_window_attributes(connection.get(), watch_->window());
  const Reply<xcb_get_window_attributes_reply_t> attributes(xcb_get_window_attributes_reply(connection.get(), cookie, nullptr));
  if (!attributes) return watch_->Lost("there is no such window");
  if (auto visual = CheckVisual(attributes->visual); !visual.ok()) return visual.error();
  images_ = std::make_unique<WindowImages>(*watch_);
  if (connection.present() != nullptr) {
    auto frames = std::make_unique<PresentFrames>(*watch_);
    const MutexLock lock(listener_mutex_);
    frames_ = std::move(frames);
  }
  const std::string way = frames_ ? ChoosePixmaps(target.way) : images_->way();
  const char* display = target.display.empty() ? "$DISPLAY" : target.display.c_str();
  info_.kind = "x11";
  info_.name = fmt::format("window {:#x} on {}, {}", watch_->window(), display, way);
  info_.refresh_period_ns = connection.refresh_period_ns();
  return {};
}

std::string X11Output::ChoosePixmaps(X11Way way) {
  const bool has_dri3 = watch_->connection().dri3() != nullptr;
  std::string why_no_dri3;
  if (has_dri3 && (way == X11Way::kBest || way == X11Way::kDmaBufs)) {
    pixmaps_.emplace_back(*watch_, PagePixmaps::Kind::kDmaBufs);
    why_no_dri3 = pixmaps_.back().why_no_pages();
    if (why_no_dri3.empty()) return "DRI3";
    Log(LogLevel::kInfo, "Window {:#x} is shown without DRI3: {}", watch_->window(), why_no_dri3);
    why_no_dri3 = fmt::format(" (no DRI3: {})", why_no_dri3);
  }
  if (way == X11Way::kImages || (way == X11Way::kBest && !has_dri3)) return images_->way() + why_no_dri3;
  pixmaps_.emplace_back(*watch_, PagePixmaps::Kind::kSegments);
  const std::string& why_not = pixmaps_.back().why_no_pages();
  if (why_not.empty()) return "Present" + why_no_dri3;
  Log(LogLevel::kInfo, "Window {:#x} is shown by images: {}", watch_->window(), why_not);
  return images_->way() + why_no_dri3;
}

void X11Output::AfterEvents() {
  const MutexLock lock(listener_mutex_);
  if (frames_ && frames_->TakeBeat() && listener_) listener_();
}

Result<void> X11Output::Show(const Surface& surface) {
  auto shown = Place(surface);
  last_shown_ns_ = frames_ ? frames_->EndFrame() : 0;
  return shown;
}

Result<void> X11Output::Place(const Surface& surface) {
  copied_bytes_ = 0;
  if (watch_->lost()) return watch_->Lost("it was closed");
  if (!BecomesBgra8(surface.format)) {
    return Fail(ErrorKind::kUnsupported, "A window cannot show format {}.", color::ToString(surface.format));
  }
  const OutputStatus status = watch_->Status();
  const Extent window{status.width, status.height};
  if (const Fit fit = fit_; Refits(surface, fit, window)) return ShowFitted(surface, fit, window);
  for (PagePixmaps& pixmaps : pixmaps_) {
    auto pixmap = pixmaps.Of(surface);
    if (!pixmap.ok()) return std::move(pixmap).error();
    if (*pixmap != XCB_NONE) return ShowPixmap(*pixmap, surface.at_once);
  }
  if (surface.pixels == nullptr) {
    return Fail(ErrorKind::kUnsupported, "The X server refuses the GPU's dma-buf, and the processor cannot read it.");
  }
  return ShowImage(surface);
}

Result<void> X11Output::ShowPixmap(xcb_pixmap_t pixmap, bool at_once) {
  frames_->Show(pixmap, at_once);
  const xcb_pixmap_t before = std::exchange(shown_, pixmap);
  const bool idle = before == XCB_NONE || before == pixmap || frames_->AwaitIdle(before);
  if (watch_->lost()) return watch_->Lost("it was closed");
  if (idle) return {};
  Log(LogLevel::kWarn, "The X server keeps a frame of window {:#x} for longer than a second; images follow.", watch_->window());
  pixmaps_.clear();
  return {};
}

Result<void> X11Output::ShowImage(const Surface& surface) {
  if (shown_ != XCB_NONE) frames_->AwaitFrames();
  shown_ = XCB_NONE;
  auto put = images_->Put(surface, [this] {
    if (frames_) frames_->AskForImage();
  });
  copied_bytes_ = images_->copied_bytes();
  return put;
}

bool X11Output::Refits(const Surface& surface, const Fit& fit, Extent window) const {
  if (fit.scaling == Scaling::kNone || surface.pixels == nullptr) return false;
  if (window.width == 0 || window.height == 0 || window.width > kMaxSurfaceExtent || window.height > kMaxSurfaceExtent)
    return false;
  return window != Extent{surface.width, surface.height};
}

Result<void> X11Output::ShowFitted(const Surface& surface, const Fit& fit, Extent window) {
  const Surface composed = fitted_.Compose(surface, fit, window);
  auto shown = ShowImage(composed);
  copied_bytes_ += std::uint64_t{composed.pitch} * composed.height;
  return shown;
}

void X11Output::Forget(std::uint64_t surface_id) {
  images_->Forget(surface_id);
  for (PagePixmaps& pixmaps : pixmaps_) {
    const xcb_pixmap_t pixmap = pixmaps.Forget(surface_id);
    if (pixmap == XCB_NONE) continue;
    if (shown_ == pixmap) shown_ = XCB_NONE;
    frames_->Forget(pixmap);
  }
  watch_->Flush();
}

}  // namespace

Result<std::unique_ptr<Output>> CreateX11Output(const X11Target& target) {
  auto output = std::make_unique<X11Output>();
  if (auto started = output->Start(target); !started.ok()) return started.error();
  return std::unique_ptr<Output>(std::move(output));
}

}  // namespace tandem::outputs
