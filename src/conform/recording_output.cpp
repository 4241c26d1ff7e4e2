#include "conform/recording_output.h"

#include <chrono>
#include <cstring>

namespace tandem::conform {
namespace {

constexpr std::chrono::seconds kLongestWait{10};

}  // namespace

RecordingOutput::RecordingOutput(std::int64_t refresh_period_ns) { info_ = {"recording", "recording", refresh_period_ns}; }

Result<void> RecordingOutput::Show(const outputs::Surface& surface) {
  ShownPicture picture{surface.width, surface.height, {}};
  if (color::BytesPerPixel(surface.format) == sizeof(std::uint32_t)) {
    picture.pixels.resize(std::size_t{surface.width} * surface.height);
    for (std::size_t y = 0; y < surface.height; ++y) {
      std::memcpy(picture.pixels.data() + y * surface.width, surface.pixels + y * surface.pitch,
                  surface.width * sizeof(std::uint32_t));
    }
  }
  const std::lock_guard lock(mutex_);
  if (shown_.size() < kKept) shown_.push_back(std::move(picture));
  changed_.notify_all();
  return {};
}

std::vector<ShownPicture> RecordingOutput::shown() const {
  const std::lock_guard lock(mutex_);
  return shown_;
}

bool RecordingOutput::AwaitShown(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kLongestWait, [this, count] { return shown_.size() >= count; });
}

}  // namespace tandem::conform
