// Another user of the display adapter, which sets modes or shows its own surface on another source.
#pragma once

#include <cstdint>
#include <memory>

#include "swapchain/resource.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {

class OtherScreen {
 public:
  // Numbers from here on belong to this user, not to the application.
  static constexpr std::uint32_t kFirstNumber = 1'000'000;

  OtherScreen(SoftPair& pair, const swapchain::ResourceDesc& surface);
  OtherScreen(const OtherScreen&) = delete;
  OtherScreen& operator=(const OtherScreen&) = delete;

  // Paints the surface in memory orientation; `opaque` is the output's value.
  void Paint(std::uint32_t number, Turned turned, std::uint32_t opaque);
  // The source shows its surface, which is a primary.
  void SetMode(D3DDDI_ROTATION rotation);
  void Flip();

 private:
  std::unique_ptr<swapchain::RuntimeDevice> device_;
  const swapchain::ResourceDesc desc_;
  std::unique_ptr<swapchain::Resource> surface_;
};

}  // namespace tandem::swapchain_test
