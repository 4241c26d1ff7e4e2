// An output that reads a picture's first and last byte, so that a sanitizer sees where it lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "outputs/output.h"

namespace tandem::fuzz {

// Pictures of four bytes a pixel.
class SilentOutput final : public outputs::Output {
 public:
  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return {}; }
  Result<void> Show(const outputs::Surface& surface) override {
    const std::size_t last = std::size_t{surface.height - 1} * surface.pitch + std::size_t{surface.width} * 4 - 1;
    sum_ += std::to_integer<unsigned>(surface.pixels[0]) + std::to_integer<unsigned>(surface.pixels[last]);
    return {};
  }
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return sum_; }

 private:
  outputs::OutputInfo info_{"fuzz", "fuzz", 16'666'667};
  std::uint64_t sum_ = 0;
};

}  // namespace tandem::fuzz
