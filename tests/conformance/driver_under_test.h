// The drivers that the conformance tests run on, and what a test has to know of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "outputs/output.h"

#include <dispmprt.h>

namespace tandem::conformance {

enum class SurfaceUse { kImage, kPrimary, kCrossAdapter };

// B8G8R8A8.
struct SurfaceRequest {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  SurfaceUse use = SurfaceUse::kImage;
};

// One device on the bus; outlives its adapter.
class BusDevice {
 public:
  virtual ~BusDevice() = default;
  [[nodiscard]] virtual void* extension() = 0;
};

struct DriverUnderTest {
  std::string name;
  DRIVER_INITIALIZE* entry = nullptr;
  bool shows_outputs = false;
  // Null output: an adapter without VidPn sources.
  std::function<std::unique_ptr<BusDevice>(std::shared_ptr<outputs::Output>)> make_device;
  // The private data by which the driver's user-mode half creates such a surface.
  std::function<std::vector<std::byte>(const SurfaceRequest&)> allocation_data;
  // Bytes from row to row of that surface.
  std::function<std::uint32_t(const SurfaceRequest&)> pitch;
};

// All drivers of this build: soft, and one for each Vulkan device of this machine.
[[nodiscard]] const std::vector<DriverUnderTest>& Drivers();

// Who renders and who shows. Displays are drivers that take an outputs::Output.
struct AdapterPair {
  const DriverUnderTest* render = nullptr;
  const DriverUnderTest* display = nullptr;
  [[nodiscard]] std::string name() const { return render->name + "_to_" + display->name; }
};
[[nodiscard]] std::vector<AdapterPair> Pairs();

}  // namespace tandem::conformance
