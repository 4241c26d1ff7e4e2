#include "outputs/wayland/wayland_output.h"

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "color/convert.h"
#include "outputs/eight_bits.h"
#include "outputs/wayland/commits.h"
#include "outputs/wayland/copy_buffers.h"
#include "outputs/wayland/globals.h"
#include "outputs/wayland/page_buffer.h"
#include "outputs/wayland/refresh.h"
#include "outputs/wayland/surface_buffers.h"

namespace tandem::outputs {
namespace {

// A surface that is kept for longer may be written while it is read. Compositors keep one for so long when its window is hidden,
// and nobody sees that; a busy one that shows it gives it back sooner.
constexpr int kSurfaceKeptMs = 1000;
constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kUnknownPeriodNs = 16'666'667;  // until wp_presentation reports the real one

class WaylandOutput final : public Output {
 public:
  ~WaylandOutput() override {
    if (events_) events_->Stop();
  }

  Result<void> Start(const WaylandTarget& target);

  [[nodiscard]] const OutputInfo& info() const override { return info_; }
  [[nodiscard]] OutputStatus Status() const override { return {events_->lost() ? OutputState::kLost : OutputState::kOk, 0, 0}; }
  Result<void> Show(const Surface& surface) override;
  [[nodiscard]] bool TakesNv12() const override { return color::kHasYuv420; }
  [[nodiscard]] bool KeepsTime() const override { return true; }
  [[nodiscard]] bool HoldsSurfaces() const override { return true; }
  [[nodiscard]] Beat last_beat() override { return commits_->last_beat(); }
  void Listen(std::function<void()> call) override {
    const MutexLock lock(listener_mutex_);
    listener_ = std::move(call);
  }
  [[nodiscard]] DisplayReport report() override { return commits_->report(); }
  [[nodiscard]] std::int64_t last_shown_ns() const override { return last_shown_ns_; }
  [[nodiscard]] Seen SeenAt(std::int64_t shown_ns) override { return commits_->SeenAt(shown_ns); }
  void Forget(std::uint64_t surface_id) override;
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return copied_bytes_; }
  bool SetBlending(bool blends) override {
    blends_ = blends;
    return true;
  }

 private:
  void AfterEvents();
  // True if the compositor reads the surface's pixels, a format of wl_shm, where they are.
  [[nodiscard]] bool Takes(const Surface& surface, std::uint32_t format) const;
  // The surface's own buffer; null when the compositor cannot read it where it is.
  Result<PageBuffer*> Direct(const Surface& surface);
  Result<std::unique_ptr<PageBuffer>> Make(const PageLayout& layout);
  // Waits until the buffer that `shown` replaced is free.
  void AwaitRelease(const PageBuffer* shown);

  Mutex listener_mutex_;
  std::function<void()> listener_ TANDEM_GUARDED_BY(listener_mutex_);
  OutputInfo info_;
  std::atomic<bool> blends_{false};
  // Destroyed from the last one up, so that the events go last.
  std::unique_ptr<WaylandEvents> events_;
  std::unique_ptr<WaylandGlobals> globals_;
  std::unique_ptr<WaylandCommits> commits_;
  std::optional<SurfaceBuffers> buffers_;
  std::optional<CopyBuffers> copied_;
  PageBuffer* read_ = nullptr;  // a surface's, which was shown last
  bool dma_bufs_ = false;       // the compositor takes dma-bufs of shared pages
  bool copies_ = false;         // the compositor cannot read surfaces where they are
  bool held_was_logged_ = false;
  std::uint64_t copied_bytes_ = 0;
  std::int64_t last_shown_ns_ = 0;
};

Result<void> WaylandOutput::Start(const WaylandTarget& target) {
  auto events = WaylandEvents::Start(target.display, [this] { AfterEvents(); });
  if (!events.ok()) return std::move(events).error();
  events_ = *std::move(events);
  auto globals = WaylandGlobals::Find(*events_);
  if (!globals.ok()) return std::move(globals).error();
  globals_ = *std::move(globals);
  const std::int64_t period_ns = RefreshPeriodNs(target.display).value_or(kUnknownPeriodNs);
  auto commits = std::make_unique<WaylandCommits>(*events_);
  if (auto started = commits->Start(target.surface, *globals_, period_ns); !started.ok()) return started;
  const WaylandDmaBufs* taken = globals_->dma_bufs();
  const std::string why_not = taken == nullptr ? "The compositor takes no dma-bufs." : taken->WhyNoSharedPages();
  dma_bufs_ = why_not.empty();
  if (!dma_bufs_) Log(LogLevel::kInfo, "Frames go through wl_shm: {}", why_not);
  if (taken != nullptr) Log(LogLevel::kInfo, "The Wayland compositor on dma-bufs: {}.", taken->Preference());
  buffers_.emplace(*events_);
  copied_.emplace(*events_, *globals_);
  const MutexLock lock(listener_mutex_);
  commits_ = std::move(commits);
  info_.kind = "wayland";
  info_.name = dma_bufs_ ? "a Wayland surface, dma-buf" : "a Wayland surface, wl_shm";
  info_.refresh_period_ns = period_ns;
  return {};
}

void WaylandOutput::AfterEvents() {
  const MutexLock lock(listener_mutex_);
  if (commits_ && commits_->TakeBeat() && listener_) listener_();
}

Result<PageBuffer*> WaylandOutput::Direct(const Surface& surface) {
  const auto format = ShmFormatOf(surface.format, blends_);
  if (copies_ || buffers_->KeptBesides(read_) || !format || !Takes(surface, *format)) return static_cast<PageBuffer*>(nullptr);
  const PageLayout layout{surface.backing_fd,
                          surface.backing_is_dma_buf,
                          surface.modifier,
                          surface.backing_size,
                          surface.backing_offset,
                          surface.width,
                          surface.height,
                          surface.pitch,
                          *format};
  if (PageBuffer* known = buffers_->Find(surface.id, layout)) return known;
  auto made = Make(layout);
  if (made.ok()) return &buffers_->Keep(surface.id, *std::move(made), read_);
  if (made.error().kind != ErrorKind::kUnsupported) return std::move(made).error();
  copies_ = true;
  Log(LogLevel::kWarn, "Frames are copied for the Wayland compositor: {}", made.error().message);
  return static_cast<PageBuffer*>(nullptr);
}

bool WaylandOutput::Takes(const Surface& surface, std::uint32_t format) const {
  if (surface.backing_fd < 0) return false;
  const WaylandDmaBufs* dma_bufs = globals_->dma_bufs();
  if (surface.backing_is_dma_buf) return dma_bufs != nullptr && dma_bufs->Takes({FourccOf(format), surface.modifier});
  return globals_->TakesShm(format) || (dma_bufs_ && dma_bufs->Takes({FourccOf(format), kLinearModifier}));
}

Result<std::unique_ptr<PageBuffer>> WaylandOutput::Make(const PageLayout& layout) {
  if (layout.is_dma_buf) return PageBuffer::CreateDmaBuf(*events_, *globals_->dma_bufs(), layout);
  if (!dma_bufs_) return PageBuffer::CreateShm(*events_, *globals_, layout);
  auto made = PageBuffer::CreateDmaBuf(*events_, *globals_->dma_bufs(), layout);
  if (made.ok() || made.error().kind != ErrorKind::kUnsupported || !globals_->TakesShm(layout.format)) return made;
  Log(LogLevel::kInfo, "Frames of {} x {} pixels go through wl_shm: {}", layout.width, layout.height, made.error().message);
  return PageBuffer::CreateShm(*events_, *globals_, layout);
}

Result<void> WaylandOutput::Show(const Surface& surface) {
  copied_bytes_ = 0;
  if (!BecomesBgra8(surface.format)) {
    return Fail(ErrorKind::kUnsupported, "A window cannot show format {}.", color::ToString(surface.format));
  }
  auto direct = Direct(surface);
  if (!direct.ok()) return std::move(direct).error();
  PageBuffer* buffer = *direct;
  if (buffer == nullptr) {
    if (surface.pixels == nullptr) {
      return Fail(ErrorKind::kUnsupported,
                  "Neither the Wayland compositor nor the processor reads a device's dma-buf of {} x {}.", surface.width,
                  surface.height);
    }
    auto copied = copied_->Fill(surface, blends_);
    if (!copied.ok()) return std::move(copied).error();
    buffer = *copied;
    copied_bytes_ = std::uint64_t{buffer->layout().pitch} * surface.height;
  }
  if (auto sent = commits_->Commit(*buffer, surface.at_once); !sent.ok()) return sent;
  AwaitRelease(buffer);
  last_shown_ns_ = commits_->EndFrame();
  read_ = *direct;
  return {};
}

void WaylandOutput::AwaitRelease(const PageBuffer* shown) {
  if (read_ == nullptr || read_ == shown) return;
  {
    MutexLock lock(events_->mutex());
    const bool free = events_->WaitFor(lock, kSurfaceKeptMs * kNsPerMs, [this] { return !read_->in_use(); });
    if (events_->lost()) return;
    lock.Unlock();
    if (free && read_->AwaitReads(kSurfaceKeptMs)) return;
  }
  if (std::exchange(held_was_logged_, true)) return;
  Log(LogLevel::kWarn, "The Wayland compositor keeps a frame for longer than {} ms; frames are copied meanwhile.",
      kSurfaceKeptMs);
}

void WaylandOutput::Forget(std::uint64_t surface_id) {
  if (buffers_->Forget(surface_id, read_)) read_ = nullptr;
}

}  // namespace

Result<std::unique_ptr<Output>> CreateWaylandOutput(const WaylandTarget& target) {
  if (target.display == nullptr || target.surface == nullptr) {
    return Fail(ErrorKind::kInvalidArgument, "A Wayland surface needs a connection and a surface.");
  }
  if (auto loaded = LoadWaylandClient(); !loaded.ok()) return std::move(loaded).error();
  auto output = std::make_unique<WaylandOutput>();
  if (auto started = output->Start(target); !started.ok()) return std::move(started).error();
  return std::unique_ptr<Output>(std::move(output));
}

}  // namespace tandem::outputs
