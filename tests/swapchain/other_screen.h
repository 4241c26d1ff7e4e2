// Another user of the display adapter: sets modes, or shows a surface of its own on another source.
#pragma once

#include <cstdint>
#include <memory>

#include "swapchain/resource.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {

class OtherScreen {
 public:
  // Numbers from here on are not the application's.
  static constexpr std::uint32_t kFirstNumber = 1'000'000;

  OtherScreen(SoftPair& pair, const swapchain::ResourceDesc& surface);
  OtherScreen(const OtherScreen&) = delete;
  OtherScreen& operator=(const OtherScreen&) = delete;

  // The surface as it has to stand in memory; `opaque` as the output is told.
  void Paint(std::uint32_t number, Turned turned, std::uint32_t opaque);
  // Its surface, which is a primary, becomes what the source shows.
  void SetMode(D3DDDI_ROTATION rotation);
  void Flip();

 private:
  std::unique_ptr<swapchain::RuntimeDevice> device_;
  const swapchain::ResourceDesc desc_;
  std::unique_ptr<swapchain::Resource> surface_;
};

}  // namespace tandem::swapchain_test
