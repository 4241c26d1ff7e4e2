// A device of the driver's own with frames in shared pages, without a kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/memory_map.h"
#include "color/format.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan::testing {

// "lavapipe", and "SwiftShader" if TANDEM_TEST_SWIFTSHADER_ICD names its manifest.
enum class Driver { kLavapipe, kSwiftShader };
[[nodiscard]] std::string NameOf(Driver driver);
inline void PrintTo(Driver driver, std::ostream* out) { *out << NameOf(driver); }

// Nothing, with the reason, when the driver is not installed.
[[nodiscard]] std::optional<OwnDevice> FindDevice(Driver driver, std::string& why_not);
// Null, with the reason, when the driver is not installed.
[[nodiscard]] std::unique_ptr<Gpu> OpenGpu(Driver driver, std::string& why_not);

// A cross-adapter surface and a primary of the same size, and the copy between them.
class TestFrame final : public Allocation::Owner {
 public:
  TestFrame(Gpu& gpu, std::uint32_t width, std::uint32_t height, color::Format format);

  // Gives each pixel a value that depends on its position and `number`; Expected returns the shown value.
  void Paint(std::uint32_t number);
  // The colour as 0x00RRGGBB.
  [[nodiscard]] std::uint32_t Expected(std::uint32_t x, std::uint32_t y, std::uint32_t number) const;
  [[nodiscard]] const CopyCommand& copy() const { return copy_; }
  [[nodiscard]] const Allocation* primary() const { return primary_.get(); }

  void GiveFirstLayout(Allocation&) override {}
  void DmaBufRefused(const std::string&) override {}
  void ImportRefused(const std::string&) override {}
  VkResult AcquireImage(Allocation&, VkSemaphore, VkFence) override { return VK_SUCCESS; }
  bool IsSubmitted(const Allocation&) const override { return true; }

 private:
  MemoryMap pages_;
  std::unique_ptr<Allocation> shared_;
  std::unique_ptr<Allocation> primary_;
  CopyCommand copy_{};
};

}  // namespace tandem::vulkan::testing
