// An adapter that runs without outputs until the object goes.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "config/adapter_info.h"
#include "drivers/soft/soft_device.h"
#include "drivers/vulkan/vulkan_device.h"
#include "system/graphics.h"

namespace tandem::system {

class StartedAdapter {
 public:
  // `connectors`: VidPn sources of the soft adapter, whose connectors stay empty; 0 for a render-only adapter.
  StartedAdapter(Graphics& graphics, const config::AdapterInfo& info, std::uint32_t connectors);
  ~StartedAdapter();
  StartedAdapter(const StartedAdapter&) = delete;
  StartedAdapter& operator=(const StartedAdapter&) = delete;

  // The error says why the adapter does not run.
  [[nodiscard]] const Result<LUID>& luid() const { return luid_; }

 private:
  Graphics& graphics_;
  soft::DeviceDescription soft_device_;
  vulkan::DeviceDescription vulkan_device_;
  Result<LUID> luid_ = LUID{};
};

}  // namespace tandem::system
