#include "conform/recording_output.h"

#include <cstring>

#include "base/clock.h"
#include "color/format.h"

namespace tandem::conform {
namespace {

std::uint32_t FirstPixel(const outputs::Surface& surface) {
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, surface.pixels, sizeof(pixel));
  return pixel;
}

// True if the surface's first pixel and `probe` are the same memory, whatever their addresses.
bool StandsIn(const outputs::Surface& surface, std::uint32_t& probe) {
  const std::uint32_t before = __atomic_load_n(&probe, __ATOMIC_SEQ_CST);
  __atomic_store_n(&probe, ~before, __ATOMIC_SEQ_CST);
  const bool follows = FirstPixel(surface) == ~before;
  __atomic_store_n(&probe, before, __ATOMIC_SEQ_CST);
  return follows && FirstPixel(surface) == before;
}

std::uint32_t ColorMask(color::Format format) { return format == color::Format::kR10G10B10A2Unorm ? 0x3FFFFFFF : 0x00FFFFFF; }

}  // namespace

RecordingOutput::RecordingOutput(std::int64_t refresh_period_ns, std::int64_t patience_ns)
    : info_{"recording", "recording", refresh_period_ns}, patience_ns_(patience_ns) {}

Result<void> RecordingOutput::Show(const outputs::Surface& surface) {
  ShownPicture picture{surface.width, surface.height, MonotonicClock().NowNs(), {}, ColorMask(surface.format)};
  if (color::BytesPerPixel(surface.format) == sizeof(std::uint32_t)) {
    picture.pixels.resize(std::size_t{surface.width} * surface.height);
    for (std::size_t y = 0; y < surface.height; ++y) {
      std::memcpy(picture.pixels.data() + y * surface.width, surface.pixels + y * surface.pitch,
                  surface.width * sizeof(std::uint32_t));
    }
  }
  const std::lock_guard lock(mutex_);
  if (probe_ != nullptr && !photographs_ && !StandsIn(surface, *probe_)) ++elsewhere_;
  if (shown_.size() < kKept) shown_.push_back(std::move(picture));
  changed_.NotifyAll();
  return {};
}

std::vector<ShownPicture> RecordingOutput::shown() const {
  const std::lock_guard lock(mutex_);
  return shown_;
}

void RecordingOutput::Probe(std::uint32_t* pixel) {
  const std::lock_guard lock(mutex_);
  probe_ = pixel;
  elsewhere_ = 0;
}

std::uint32_t RecordingOutput::elsewhere() const {
  const std::lock_guard lock(mutex_);
  return elsewhere_;
}

bool RecordingOutput::AwaitShown(std::size_t count) {
  Clock& clock = MonotonicClock();
  const std::int64_t deadline_ns = clock.NowNs() + patience_ns_;
  std::unique_lock lock(mutex_);
  for (bool in_time = true; in_time && shown_.size() < count;) in_time = clock.WaitUntil(lock, changed_, deadline_ns);
  return shown_.size() >= count;
}

}  // namespace tandem::conform
