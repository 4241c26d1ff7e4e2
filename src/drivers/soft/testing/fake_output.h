// An output that remembers what it was shown.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "color/format.h"
#include "outputs/output.h"

namespace tandem::soft::testing {

class FakeOutput final : public outputs::Output {
 public:
  struct Shown {
    std::uint64_t id = 0;
    std::uint32_t first_pixel = 0;
    std::uint32_t width = 0, height = 0, pitch = 0;
    int backing_fd = -1;
    std::uint64_t backing_offset = 0;
    std::uint64_t backing_size = 0;
    bool at_once = false;
    std::int64_t time_ns = 0;
    std::vector<std::uint32_t> pixels;  // row by row, of formats with four bytes a pixel
  };

  explicit FakeOutput(std::int64_t refresh_period_ns) { info_ = {"fake", "fake", refresh_period_ns}; }

  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override {
    const std::lock_guard lock(mutex_);
    return {lost_ ? outputs::OutputState::kLost : outputs::OutputState::kOk, 64, 32};
  }
  Result<void> Show(const outputs::Surface& surface) override {
    if (in_show_call_) in_show_call_();
    std::unique_lock lock(mutex_);
    in_show_ = true;
    changed_.notify_all();
    while (blocked_) changed_.wait(lock);
    in_show_ = false;
    if (lost_) return Fail(ErrorKind::kSurfaceLost, "The fake output was lost.");
    Shown shown;
    shown.id = surface.id;
    std::memcpy(&shown.first_pixel, surface.pixels, sizeof(shown.first_pixel));
    shown.width = surface.width;
    shown.height = surface.height;
    shown.pitch = surface.pitch;
    shown.backing_fd = surface.backing_fd;
    shown.backing_offset = surface.backing_offset;
    shown.backing_size = surface.backing_size;
    shown.at_once = surface.at_once;
    shown.time_ns = MonotonicClock().NowNs();
    if (color::BytesPerPixel(surface.format) == sizeof(std::uint32_t)) {
      shown.pixels.resize(std::size_t{surface.width} * surface.height);
      for (std::size_t y = 0; y < surface.height; ++y) {
        std::memcpy(&shown.pixels[y * surface.width], surface.pixels + y * surface.pitch, std::size_t{surface.width} * 4);
      }
    }
    if (names_frames_) last_shown_ns_ = shown.time_ns;
    shown_.push_back(shown);
    beat_.awaited = keeps_time_;
    changed_.notify_all();
    return {};
  }
  void Forget(std::uint64_t id) override {
    const std::lock_guard lock(mutex_);
    forgotten_.push_back(id);
    changed_.notify_all();
  }
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 7; }

  [[nodiscard]] bool KeepsTime() const override { return keeps_time_; }
  [[nodiscard]] outputs::Beat last_beat() override {
    const std::lock_guard lock(mutex_);
    outputs::Beat beat = beat_;
    beat.period_ns = info_.refresh_period_ns;
    return beat;
  }
  void Listen(std::function<void()> call) override {
    const std::lock_guard lock(listener_mutex_);
    listener_ = std::move(call);
  }

  [[nodiscard]] std::int64_t last_shown_ns() const override {
    const std::lock_guard lock(mutex_);
    return last_shown_ns_;
  }

  // The display says when it showed a frame. Before it is plugged in.
  void NameFrames() { names_frames_ = true; }
  // Lets the display lead the vertical blank. Before it is plugged in.
  void KeepTime() { keeps_time_ = true; }
  // The display asks for the next frame; returns when it did.
  std::int64_t Beat() {
    const std::int64_t now_ns = MonotonicClock().NowNs();
    Change([this, now_ns] {
      beat_.at_ns = now_ns;
      beat_.awaited = false;
    });
    const std::lock_guard lock(listener_mutex_);
    if (listener_) listener_();
    return now_ns;
  }
  // Called at the beginning of each Show, by its thread. Before the first one.
  void InEachShow(std::function<void()> call) { in_show_call_ = std::move(call); }
  void MarkLost() {
    Change([this] { lost_ = true; });
  }
  void Block(bool blocked) {
    Change([this, blocked] { blocked_ = blocked; });
  }
  // Up to 20 s.
  bool AwaitShown(std::size_t count) {
    return Await([this, count] { return shown_.size() >= count; });
  }
  bool AwaitInShow() {
    return Await([this] { return in_show_; });
  }
  bool AwaitForgotten(std::uint64_t id) {
    return Await([this, id] {
      for (const std::uint64_t gone : forgotten_) {
        if (gone == id) return true;
      }
      return false;
    });
  }
  std::vector<Shown> shown() {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

 private:
  void Change(const std::function<void()>& change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  bool Await(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), condition);
  }

  outputs::OutputInfo info_;
  std::function<void()> in_show_call_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::mutex listener_mutex_;
  std::function<void()> listener_;
  bool keeps_time_ = false;
  bool names_frames_ = false;
  std::int64_t last_shown_ns_ = 0;
  outputs::Beat beat_;
  bool lost_ = false;
  bool blocked_ = false;
  bool in_show_ = false;
  std::vector<Shown> shown_;
  std::vector<std::uint64_t> forgotten_;
};

}  // namespace tandem::soft::testing
