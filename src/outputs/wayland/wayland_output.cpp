#include "outputs/wayland/wayland_output.h"

#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "base/memory_map.h"
#include "color/convert.h"
#include "outputs/eight_bits.h"
#include "outputs/wayland/commits.h"
#include "outputs/wayland/globals.h"
#include "outputs/wayland/shm_buffer.h"

namespace tandem::outputs {
namespace {

// A compositor gives a buffer back when the next one is on the screen, which is two frames of 30 Hz at most.
constexpr std::int64_t kKeptForNs = 100'000'000;
// One is on the screen, one is about to be, one is written.
constexpr std::size_t kOwnBuffers = 3;

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
  [[nodiscard]] Beat last_beat() override { return commits_->last_beat(); }
  void Listen(std::function<void()> call) override {
    const MutexLock lock(listener_mutex_);
    listener_ = std::move(call);
  }
  [[nodiscard]] DisplayReport report() override { return commits_->report(); }
  void Forget(std::uint64_t surface_id) override;
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return copied_bytes_; }

 private:
  struct OwnBuffer {
    UniqueFd fd;
    MemoryMap pages;
    std::unique_ptr<ShmBuffer> buffer;
  };

  void AfterEvents();
  // The surface's own buffer; null when the compositor cannot read it where it is.
  Result<ShmBuffer*> Direct(const Surface& surface);
  Result<ShmBuffer*> Copied(const Surface& surface);
  OwnBuffer& NextOwn();
  Result<void> Fit(OwnBuffer& own, const Surface& surface);
  // Waits until the buffer that `shown` replaced is free.
  void AwaitRelease(const ShmBuffer* shown);

  Mutex listener_mutex_;
  std::function<void()> listener_ TANDEM_GUARDED_BY(listener_mutex_);
  OutputInfo info_;
  // Destroyed from the last one up, so that the events go last.
  std::unique_ptr<WaylandEvents> events_;
  std::unique_ptr<WaylandGlobals> globals_;
  std::unique_ptr<WaylandCommits> commits_;
  // Those of surfaces, by id.
  std::unordered_map<std::uint64_t, std::unique_ptr<ShmBuffer>> buffers_;
  std::array<OwnBuffer, kOwnBuffers> own_;
  std::size_t last_own_ = 0;
  ShmBuffer* read_ = nullptr;  // a surface's, which was shown last
  bool copies_ = false;
  std::uint64_t copied_bytes_ = 0;
};

Result<void> WaylandOutput::Start(const WaylandTarget& target) {
  auto events = WaylandEvents::Start(target.display, [this] { AfterEvents(); });
  if (!events.ok()) return std::move(events).error();
  events_ = *std::move(events);
  auto globals = WaylandGlobals::Find(*events_);
  if (!globals.ok()) return std::move(globals).error();
  globals_ = *std::move(globals);
  auto commits = std::make_unique<WaylandCommits>(*events_);
  if (auto started = commits->Start(target.surface, *globals_); !started.ok()) return started;
  const MutexLock lock(listener_mutex_);
  commits_ = std::move(commits);
  info_.kind = "wayland";
  info_.name = "a Wayland surface, wl_shm";
  info_.refresh_period_ns = globals_->refresh_period_ns();
  return {};
}

void WaylandOutput::AfterEvents() {
  const MutexLock lock(listener_mutex_);
  if (commits_ && commits_->TakeBeat() && listener_) listener_();
}

Result<ShmBuffer*> WaylandOutput::Direct(const Surface& surface) {
  const auto format = ShmFormatOf(surface.format);
  if (copies_ || !format || !globals_->TakesShm(*format) || surface.backing_fd < 0) return static_cast<ShmBuffer*>(nullptr);
  const ShmLayout layout{
      surface.backing_fd, surface.backing_size, surface.backing_offset, surface.width, surface.height, surface.pitch, *format};
  auto& buffer = buffers_[surface.id];
  if (!buffer || buffer->layout() != layout) {
    if (buffer && read_ == buffer.get()) read_ = nullptr;
    auto made = ShmBuffer::Create(*events_, globals_->shm(), layout);
    if (!made.ok()) {
      buffers_.erase(surface.id);
      if (made.error().kind != ErrorKind::kUnsupported) return std::move(made).error();
      copies_ = true;
      Log(LogLevel::kWarn, "Frames are copied for the Wayland compositor: {}", made.error().message);
      return static_cast<ShmBuffer*>(nullptr);
    }
    buffer = *std::move(made);
  }
  return buffer.get();
}

WaylandOutput::OwnBuffer& WaylandOutput::NextOwn() {
  MutexLock lock(events_->mutex());
  const auto free = [this]() -> OwnBuffer* {
    for (std::size_t i = 1; i <= kOwnBuffers; ++i) {
      OwnBuffer& own = own_[(last_own_ + i) % kOwnBuffers];
      if (!own.buffer || !own.buffer->in_use()) return &own;
    }
    return nullptr;
  };
  events_->WaitFor(lock, kKeptForNs, [&free] { return free() != nullptr; });
  OwnBuffer* own = free();
  // A compositor that gives nothing back shows the frames in the order of the buffers.
  if (own == nullptr) own = &own_[(last_own_ + 1) % kOwnBuffers];
  last_own_ = static_cast<std::size_t>(own - own_.data());
  return *own;
}

Result<void> WaylandOutput::Fit(OwnBuffer& own, const Surface& surface) {
  const std::uint32_t pitch = surface.width * 4;
  auto bytes = RoundUpToPages(std::size_t{pitch} * surface.height);
  if (!bytes.ok()) return std::move(bytes).error();
  if (own.buffer && own.buffer->layout().width == surface.width && own.buffer->layout().height == surface.height) return {};
  own = {};
  auto fd = CreateSharedPages("tandem-wayland-output", *bytes);
  if (!fd.ok()) return std::move(fd).error();
  auto pages = MemoryMap::MapShared(*fd, 0, *bytes, MapAccess::kReadWrite);
  if (!pages.ok()) return std::move(pages).error();
  auto buffer = ShmBuffer::Create(*events_, globals_->shm(),
                                  {fd->get(), *bytes, 0, surface.width, surface.height, pitch, WL_SHM_FORMAT_XRGB8888});
  if (!buffer.ok()) return std::move(buffer).error();
  own = {*std::move(fd), *std::move(pages), *std::move(buffer)};
  return {};
}

Result<ShmBuffer*> WaylandOutput::Copied(const Surface& surface) {
  OwnBuffer& own = NextOwn();
  if (auto fits = Fit(own, surface); !fits.ok()) return std::move(fits).error();
  const std::uint32_t pitch = own.buffer->layout().pitch;
  ToBgra8(own.pages.data(), pitch, surface, 0, surface.height, color::Alpha::kKeep);
  copied_bytes_ = std::uint64_t{pitch} * surface.height;
  return own.buffer.get();
}

Result<void> WaylandOutput::Show(const Surface& surface) {
  copied_bytes_ = 0;
  if (!BecomesBgra8(surface.format)) {
    return Fail(ErrorKind::kUnsupported, "A window cannot show format {}.", color::ToString(surface.format));
  }
  auto direct = Direct(surface);
  if (!direct.ok()) return std::move(direct).error();
  ShmBuffer* buffer = *direct;
  if (buffer == nullptr) {
    auto copied = Copied(surface);
    if (!copied.ok()) return std::move(copied).error();
    buffer = *copied;
  }
  if (auto sent = commits_->Commit(*buffer); !sent.ok()) return sent;
  AwaitRelease(buffer);
  read_ = *direct;
  return {};
}

void WaylandOutput::AwaitRelease(const ShmBuffer* shown) {
  if (read_ == nullptr || read_ == shown) return;
  MutexLock lock(events_->mutex());
  const bool free = events_->WaitFor(lock, kKeptForNs, [this] { return !read_->in_use(); });
  if (free || events_->lost() || std::exchange(copies_, true)) return;
  Log(LogLevel::kWarn, "The Wayland compositor keeps a frame for longer than {} ms; frames are copied.", kKeptForNs / 1'000'000);
}

void WaylandOutput::Forget(std::uint64_t surface_id) {
  const auto found = buffers_.find(surface_id);
  if (found == buffers_.end()) return;
  if (read_ == found->second.get()) read_ = nullptr;
  buffers_.erase(found);
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
