// A painted picture on the screen of the display driver, which is flipped to again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "conform/rig.h"
#include "conform/screen_driver.h"
#include "kernel/kernel.h"

namespace tandem::conform {

// `rig` outlives it. Threads: one.
class PaintedScreen {
 public:
  static constexpr std::uint32_t kColors = 0xFFFFFF;  // the bits of a pixel that are seen

  // Shows the picture. Throws NotApplicable for a display whose pictures nobody can see.
  explicit PaintedScreen(Rig& rig);

  [[nodiscard]] const kernel::DisplayOnlyMode& size() const { return size_; }
  [[nodiscard]] UserDevice& user() { return user_; }
  // Flips to another surface with the same picture, and waits until it is shown.
  void Show();
  // The color of the painted picture.
  [[nodiscard]] static std::uint32_t Painted(std::uint32_t x, std::uint32_t y);
  // Each pixel of the last picture has its due color; `circumstance` ends the sentence about one that has another.
  void RequireShown(const std::function<std::uint32_t(std::uint32_t x, std::uint32_t y)>& due, const std::string& circumstance);

 private:
  Rig& rig_;
  const kernel::DisplayOnlyMode size_;
  UserDevice user_;
  std::array<Surface, 2> surfaces_;
  std::size_t shown_ = 0;
};

}  // namespace tandem::conform
