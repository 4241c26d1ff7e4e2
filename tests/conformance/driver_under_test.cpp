#include "tests/conformance/driver_under_test.h"

#include <cstring>

#include "base/check.h"
#include "drivers/soft/allocation_data.h"
#include "drivers/soft/soft_device.h"

namespace tandem::conformance {
namespace {

class SoftBusDevice final : public BusDevice {
 public:
  explicit SoftBusDevice(std::shared_ptr<outputs::Output> output) {
    if (output == nullptr) return;
    description_.connector = soft::CreateConnector(1);
    TANDEM_CHECK(description_.connector->Plug(std::move(output)).ok());
  }
  void* extension() override { return &description_; }

 private:
  soft::DeviceDescription description_;
};

soft::AllocationData SoftSurface(const SurfaceRequest& request) {
  const std::uint32_t flags = request.use == SurfaceUse::kCrossAdapter ? soft::kAllocationCrossAdapter
                              : request.use == SurfaceUse::kPrimary    ? soft::kAllocationPrimary
                                                                       : 0;
  const auto data = soft::DescribeSurface(request.width, request.height, color::Format::kB8G8R8A8Unorm, flags, 0);
  TANDEM_CHECK(data.ok());
  return *data;
}

DriverUnderTest Soft() {
  DriverUnderTest driver;
  driver.name = "soft";
  driver.entry = soft::SoftDriverEntry;
  driver.make_device = [](std::shared_ptr<outputs::Output> output) { return std::make_unique<SoftBusDevice>(std::move(output)); };
  driver.allocation_data = [](const SurfaceRequest& request) {
    const soft::AllocationData data = SoftSurface(request);
    std::vector<std::byte> bytes(sizeof(data));
    std::memcpy(bytes.data(), &data, sizeof(data));
    return bytes;
  };
  driver.pitch = [](const SurfaceRequest& request) { return SoftSurface(request).pitch; };
  return driver;
}

}  // namespace

const std::vector<DriverUnderTest>& Drivers() {
  static const std::vector<DriverUnderTest> drivers{Soft()};
  return drivers;
}

}  // namespace tandem::conformance
