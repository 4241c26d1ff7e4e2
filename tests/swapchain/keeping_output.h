// An output that keeps the last picture: the scanned-out pixels, and what a window of eight bits shows of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread.h"
#include "color/format.h"
#include "outputs/eight_bits.h"
#include "outputs/output.h"

namespace tandem::swapchain_test {

// The members may be read when the display adapter is gone.
class KeepingOutput final : public outputs::Output {
 public:
  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return {}; }
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }
  Result<void> Show(const outputs::Surface& surface) override {
    const MutexLock lock(mutex_);
    format = surface.format;
    const std::size_t row = std::size_t{surface.width} * color::BytesPerPixel(surface.format);
    pixels.clear();
    for (std::uint32_t y = 0; y < surface.height; ++y) {
      const std::byte* const from = surface.pixels + std::size_t{y} * surface.pitch;
      pixels.insert(pixels.end(), from, from + row);
    }
    seen.resize(std::size_t{4} * surface.width * surface.height);
    outputs::ToBgra8(seen.data(), 4ULL * surface.width, surface, 0, surface.height, color::Alpha::kKeep);
    return {};
  }

  color::Format format = color::Format::kUnknown;
  std::vector<std::byte> pixels;
  std::vector<std::byte> seen;

 private:
  const outputs::OutputInfo info_{"test", "a keeper of the last frame", 2'000'000};
  Mutex mutex_;
};

}  // namespace tandem::swapchain_test
