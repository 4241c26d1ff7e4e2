#include "drivers/kms/kmd/plugged_monitors.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tandem::kms {

bool HasDisplay(const Connector& connector) {
  return connector.status != ConnectorStatus::kDisconnected && !connector.modes.empty();
}

bool PluggedMonitors::Update(std::uint32_t target, const Connector* connector) {
  Monitor now;
  if (connector != nullptr && HasDisplay(*connector)) now = {true, connector->edid, connector->modes};
  const MutexLock lock(mutex_);
  return std::exchange(monitors_[target], now) != now;
}

bool PluggedMonitors::IsConnected(std::uint32_t target) const {
  const MutexLock lock(mutex_);
  return monitors_[target].connected;
}

NTSTATUS PluggedMonitors::Describe(std::uint32_t target, DXGK_DEVICE_DESCRIPTOR& descriptor) const {
  const MutexLock lock(mutex_);
  const std::vector<std::byte>& edid = monitors_[target].edid;
  if (edid.empty()) return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
  if (descriptor.DescriptorOffset >= edid.size()) return STATUS_INVALID_PARAMETER;
  const std::size_t rest = edid.size() - descriptor.DescriptorOffset;
  descriptor.DescriptorLength = static_cast<ULONG>(std::min<std::size_t>(descriptor.DescriptorLength, rest));
  std::memcpy(descriptor.DescriptorBuffer, edid.data() + descriptor.DescriptorOffset, descriptor.DescriptorLength);
  return STATUS_SUCCESS;
}

}  // namespace tandem::kms
