// A test's own Xvfb with one window.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/vulkan/vulkan_device.h"

struct xcb_connection_t;

namespace tandem::vulkan::testing {

class XWindow {
 public:
  // Null when Xvfb is not installed.
  static std::unique_ptr<XWindow> Create(std::uint32_t width, std::uint32_t height);
  ~XWindow();

  [[nodiscard]] WsiTarget target() const;
  // Returns when the server has finished the request.
  void Resize(std::uint32_t width, std::uint32_t height);
  void Destroy();
  // Pixels of the window, rows without padding, 0xXXRRGGBB.
  [[nodiscard]] std::vector<std::uint32_t> Screenshot(std::uint32_t width, std::uint32_t height) const;

 private:
  void Sync() const;

  pid_t server_ = -1;
  xcb_connection_t* connection_ = nullptr;
  std::uint32_t window_ = 0;
};

}  // namespace tandem::vulkan::testing
