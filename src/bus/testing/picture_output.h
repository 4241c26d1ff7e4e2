// An output that keeps the last picture, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "color/format.h"
#include "outputs/output.h"

namespace tandem::bus {

class PictureOutput final : public outputs::Output {
 public:
  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return {}; }
  Result<void> Show(const outputs::Surface& surface) override {
    width = surface.width;
    height = surface.height;
    format = surface.format;
    pixels.resize(std::size_t{width} * height);
    for (std::uint32_t row = 0; row < height; ++row) {
      std::memcpy(&pixels[std::size_t{row} * width], surface.pixels + std::size_t{row} * surface.pitch, std::size_t{width} * 4);
    }
    ++shown;
    return {};
  }
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }

  std::uint32_t width = 0;
  std::uint32_t height = 0;
  color::Format format = color::Format::kUnknown;
  std::vector<std::uint32_t> pixels;
  int shown = 0;

 private:
  outputs::OutputInfo info_{"test", "picture", 16'666'667};
};

}  // namespace tandem::bus
