#include "outputs/testing/compositor_screen.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/read_clock.h"
#include "outputs/testing/compositor_dma_bufs.h"

namespace tandem::outputs::testing {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kAgeNs = 3 * kNsPerSecond;

std::vector<std::byte> Packed(const std::byte* from, std::size_t pitch, const CommittedFrame& frame) {
  const std::size_t row = std::size_t{frame.width} * 4;
  std::vector<std::byte> pixels(row * frame.height);
  for (std::uint32_t y = 0; y < frame.height; ++y) std::memcpy(pixels.data() + y * row, from + y * pitch, row);
  return pixels;
}

std::vector<std::byte> Pixels(wl_resource* buffer, CommittedFrame& frame) {
  if (const MappedDmaBuf* mapped = DmaBufOf(buffer)) {
    frame.width = mapped->width;
    frame.height = mapped->height;
    frame.format = mapped->format;
    frame.dma_buf = true;
    frame.modifier = mapped->modifier;
    return Packed(mapped->pages.data() + mapped->offset, mapped->pitch, frame);
  }
  wl_shm_buffer* shm = wl_shm_buffer_get(buffer);
  if (shm == nullptr) return {};
  frame.width = static_cast<std::uint32_t>(wl_shm_buffer_get_width(shm));
  frame.height = static_cast<std::uint32_t>(wl_shm_buffer_get_height(shm));
  frame.format = wl_shm_buffer_get_format(shm);
  wl_shm_buffer_begin_access(shm);
  auto pixels = Packed(static_cast<const std::byte*>(wl_shm_buffer_get_data(shm)),
                       static_cast<std::size_t>(wl_shm_buffer_get_stride(shm)), frame);
  wl_shm_buffer_end_access(shm);
  return pixels;
}

}  // namespace

void CompositorScreen::EndFrame(CompositorSurface& surface, bool seen) {
  const std::int64_t late_ns =
      manners_.of_another_age ? kAgeNs : std::min(manners_.late_ns, MonotonicClock().NowNs() - surface.committed_at_ns);
  const std::int64_t at_ns = ReadClock(manners_.clock).value_or(0) - late_ns;
  const auto seconds = static_cast<std::uint64_t>(at_ns / kNsPerSecond);
  if (seen && !surface.feedbacks.due.empty()) {
    const bool same_clock = manners_.clock == CLOCK_MONOTONIC;
    frames_[surface.current_frame].seen_at_ns = same_clock ? at_ns : MonotonicClock().NowNs() - late_ns;
  }
  for (wl_resource* feedback : std::exchange(surface.feedbacks.due, {})) {
    if (seen) {
      wp_presentation_feedback_send_presented(
          feedback, static_cast<std::uint32_t>(seconds >> 32), static_cast<std::uint32_t>(seconds),
          static_cast<std::uint32_t>(at_ns % kNsPerSecond), static_cast<std::uint32_t>(manners_.refresh_ms) * 1'000'000, 0, 0, 0);
    } else {
      wp_presentation_feedback_send_discarded(feedback);
    }
    ++(seen ? seen_ : replaced_);
    wl_resource_destroy(feedback);
  }
}

void CompositorScreen::Commit(CompositorSurface& surface) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(surface.attaches, false)) return;
  EndFrame(surface, false);
  CommittedFrame unused;
  if (surface.current != nullptr) {
    frames_[surface.current_frame].at_next = Pixels(surface.current, unused);
    const bool shown = manners_.scans_out && surface.current == surface.on_screen;
    if (manners_.gives_back && surface.current != surface.attached && !shown) wl_buffer_send_release(surface.current);
  }
  surface.current = surface.attached;
  auto& callbacks = surface.callbacks;
  callbacks.due.insert(callbacks.due.end(), callbacks.pending.begin(), callbacks.pending.end());
  callbacks.pending.clear();
  surface.feedbacks.due = std::exchange(surface.feedbacks.pending, {});
  if (surface.current == nullptr) return;
  CommittedFrame frame;
  frame.pixels = Pixels(surface.current, frame);
  frame.tears = surface.pending.tears;
  frame.seen_width = surface.pending.width != 0 ? surface.pending.width : static_cast<std::int32_t>(frame.width);
  frame.seen_height = surface.pending.height != 0 ? surface.pending.height : static_cast<std::int32_t>(frame.height);
  surface.current_frame = frames_.size();
  surface.committed_at_ns = MonotonicClock().NowNs();
  frames_.push_back(std::move(frame));
  changed_.notify_all();
}

int CompositorScreen::Refresh() {
  const std::lock_guard lock(mutex_);
  if (!manners_.asks_for_frames || ++refreshes_ % manners_.refreshes_per_frame != 0) return manners_.refresh_ms;
  const auto time_ms = static_cast<std::uint32_t>(refreshes_) * static_cast<std::uint32_t>(manners_.refresh_ms);
  for (CompositorSurface* surface : surfaces_) {
    EndFrame(*surface, true);
    wl_resource* before = std::exchange(surface->on_screen, surface->current);
    const bool was_replaced = manners_.scans_out && before != nullptr && before != surface->current;
    if (was_replaced && manners_.gives_back) wl_buffer_send_release(before);
    for (wl_resource* callback : std::exchange(surface->callbacks.due, {})) {
      wl_callback_send_done(callback, time_ms);
      wl_resource_destroy(callback);
    }
  }
  return manners_.refresh_ms;
}

bool CompositorScreen::AwaitFrames(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return frames_.size() >= count; });
}

}  // namespace tandem::outputs::testing
