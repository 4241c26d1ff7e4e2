#include "tests/swapchain/other_screen.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "drivers/processor/umd/umd_device.h"

namespace tandem::swapchain_test {

using swapchain::Resource;
using swapchain::Runtime;

OtherScreen::OtherScreen(SoftPair& pair, const swapchain::ResourceDesc& surface) : device_(pair.OpenDisplay()), desc_(surface) {
  swapchain::ScanOut answer = swapchain::ScanOut::kYes;
  auto made = Resource::Create(device_->runtime(), desc_, answer);
  EXPECT_TRUE(made.ok()) << made.error().message;
  if (made.ok()) surface_ = *std::move(made);
}

void OtherScreen::Paint(std::uint32_t number, Turned turned, std::uint32_t opaque) {
  const processor::UmdResource& resource = processor::FromHandle(surface_->handle());
  D3DKMT_LOCK2 lock{};
  lock.hDevice = device_->kernel_device();
  lock.hAllocation = resource.allocation;
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  auto* pixels = static_cast<std::byte*>(lock.pData);
  const bool quarter = IsQuarter(turned);
  for (std::uint32_t y = 0; y < (quarter ? desc_.width : desc_.height); ++y) {
    for (std::uint32_t x = 0; x < (quarter ? desc_.height : desc_.width); ++x) {
      const std::uint32_t word = PatternWord(number, x, y) | opaque;
      const Place place = PlaceOf(x, y, desc_.width, desc_.height, turned);
      std::memcpy(pixels + std::size_t{place.y} * resource.data.pitch + std::size_t{place.x} * sizeof(word), &word, sizeof(word));
    }
  }
  const D3DKMT_UNLOCK2 unlock{device_->kernel_device(), resource.allocation};
  EXPECT_EQ(D3DKMTUnlock2(&unlock), STATUS_SUCCESS);
}

void OtherScreen::SetMode(D3DDDI_ROTATION rotation) {
  D3DKMT_SETDISPLAYMODE mode{};
  mode.hDevice = device_->kernel_device();
  mode.hPrimaryAllocation = processor::FromHandle(surface_->handle()).allocation;
  mode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  mode.DisplayOrientation = rotation;
  ASSERT_EQ(D3DKMTSetDisplayMode(&mode), STATUS_SUCCESS);
}

void OtherScreen::Flip() {
  swapchain::PresentCall flip;
  flip.source = surface_->handle();
  flip.vidpn_source = desc_.vidpn_source;
  const auto flipped = device_->runtime().DxgiPresent(flip);
  ASSERT_TRUE(flipped.ok()) << flipped.error().message;
}

}  // namespace tandem::swapchain_test
