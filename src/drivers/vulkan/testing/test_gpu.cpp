#include "drivers/vulkan/testing/test_gpu.h"

#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "color/format.h"
#include "drivers/vulkan/icd/enumeration.h"

namespace tandem::vulkan::testing {
namespace {

constexpr char kLavapipeManifest[] = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

}  // namespace

std::string NameOf(Driver driver) { return driver == Driver::kLavapipe ? "lavapipe" : "SwiftShader"; }

std::optional<OwnDevice> FindDevice(Driver driver, std::string& why_not) {
  const char* const newer = std::getenv("TANDEM_TEST_MESA_ICD");
  const char* const lavapipe = newer != nullptr ? newer : kLavapipeManifest;
  const char* manifest = driver == Driver::kLavapipe ? lavapipe : std::getenv("TANDEM_TEST_SWIFTSHADER_ICD");
  if (manifest == nullptr) {
    why_not = "TANDEM_TEST_SWIFTSHADER_ICD is not set.";
    return std::nullopt;
  }
  setenv("VK_DRIVER_FILES", manifest, 1);
  const Enumeration found = EnumerateDevices();
  unsetenv("VK_DRIVER_FILES");
  if (found.devices.empty()) {
    why_not = "No device of " + NameOf(driver) + " was found.";
    return std::nullopt;
  }
  const IcdDevice& device = found.devices.front();
  return OwnDevice{device.icd_library, device.device_uuid, device.driver_uuid};
}

std::unique_ptr<Gpu> OpenGpu(Driver driver, std::string& why_not) {
  const auto device = FindDevice(driver, why_not);
  if (!device) return nullptr;
  auto gpu = Gpu::Open(*device);
  if (gpu.ok()) return *std::move(gpu);
  why_not = gpu.error().message;
  return nullptr;
}

TestFrame::TestFrame(Gpu& gpu, std::uint32_t width, std::uint32_t height, color::Format format) {
  const auto rows = DescribeSurface(AllocationKind::kLinear, width, height, format, 0);
  const auto primary = DescribeSurface(AllocationKind::kPrimary, width, height, format, 0);
  TANDEM_CHECK(rows.ok() && primary.ok());
  auto pages = MemoryMap::CreateAnonymous(rows->size);
  auto shared = Allocation::Create(gpu, *this, *rows);
  auto shown = Allocation::Create(gpu, *this, *primary);
  TANDEM_CHECK(pages.ok() && shared.ok() && shown.ok());
  pages_ = *std::move(pages);
  shared_ = *std::move(shared);
  primary_ = *std::move(shown);
  TANDEM_CHECK(shared_->Map({.address = pages_.data()}, 0, rows->size, {.addresses = true}).ok());
  copy_.source = shared_.get();
  copy_.destination = primary_.get();
  copy_.rect_count = 1;
  copy_.rects[0] = {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)};
}

std::uint32_t TestFrame::Expected(std::uint32_t x, std::uint32_t y, std::uint32_t number) const {
  return ((x * 7 + number) & 0xFFU) << 16 | ((y * 5 + 3 * number) & 0xFFU) << 8 | ((x + y + 11 * number) & 0xFFU);
}

void TestFrame::Paint(std::uint32_t number) {
  const AllocationData& data = shared_->data();
  const bool rgba = data.format == color::Format::kR8G8B8A8Unorm || data.format == color::Format::kR8G8B8A8UnormSrgb;
  for (std::uint32_t y = 0; y < data.height; ++y) {
    for (std::uint32_t x = 0; x < data.width; ++x) {
      const std::uint32_t rgb = Expected(x, y, number);
      const std::uint32_t bgr = (rgb & 0xFFU) << 16 | (rgb & 0xFF00U) | rgb >> 16;
      const std::uint32_t pixel = 0xFF000000U | (rgba ? bgr : rgb);
      std::memcpy(pages_.data() + std::size_t{y} * data.pitch + std::size_t{x} * 4, &pixel, 4);
    }
  }
}

}  // namespace tandem::vulkan::testing
