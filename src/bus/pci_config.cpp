#include "bus/pci_config.h"

#include <algorithm>

#include "base/check.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kCommandBits = 0x0406;  // memory space, bus master, INTx disable
constexpr std::uint32_t kCommandAtStart = 0x0006;
constexpr std::uint32_t kCommandPorts = 0x0001;
constexpr std::uint32_t kStatusHasCapabilities = 0x0010;
constexpr std::uint8_t kVendorSpecific = 0x09, kMsix = 0x11;
constexpr std::uint32_t kMsixControl = 2;
constexpr std::uint32_t kMsixControlBits = 0xC000, kMsixEnable = 0x8000;
constexpr std::uint32_t kBar64 = 4, kBarPorts = 1;
constexpr std::uint8_t kLineOfTheBoard = 11, kPinA = 1;

}  // namespace

PciConfig::PciConfig(const DeviceDescription& device, std::span<const AssignedBar> bars, const MessageCapability& messages) {
  const PciIdentity& identity = device.identity;
  Put16(0, identity.vendor);
  Put16(2, identity.device);
  const std::uint32_t ports = device.port_bytes == 0 ? 0 : kCommandPorts;
  Put16(kPciCommand, kCommandAtStart | ports);
  writable_[kPciCommand] = static_cast<std::uint8_t>((kCommandBits | ports) & 0xFF);
  writable_[kPciCommand + 1] = kCommandBits >> 8;
  Put32(kPciClass, std::uint32_t{identity.base_class} << 24 | std::uint32_t{identity.sub_class} << 16 | identity.revision);
  Put16(kPciSubsystem, identity.subsystem_vendor);
  Put16(kPciSubsystem + 2, identity.subsystem);
  for (const AssignedBar& bar : bars) PutBar(bar);
  if (device.messages == 0 && !device.has_line) return;
  bytes_[kPciInterruptLine] = kLineOfTheBoard;
  bytes_[kPciInterruptPin] = kPinA;
  writable_[kPciInterruptLine] = 0xFF;
  if (device.messages == 0) return;

  Put16(kPciStatus, kStatusHasCapabilities);
  std::array<std::uint8_t, 10> msix{};
  msix[0] = static_cast<std::uint8_t>(device.messages - 1);
  msix[1] = messages.enabled ? kMsixEnable >> 8 : 0;
  msix[2] = static_cast<std::uint8_t>(messages.bar);
  for (std::size_t i = 0; i < 4; ++i)
    msix[6 + i] = static_cast<std::uint8_t>((messages.pending_offset | messages.bar) >> (8 * i));
  msix_ = AddCapability(kMsix, msix);
  writable_[msix_ + kMsixControl + 1] = kMsixControlBits >> 8;
  for (const auto& properties : device.vendor_properties) {
    std::vector<std::uint8_t> body{static_cast<std::uint8_t>(properties.size() + 3)};
    body.insert(body.end(), properties.begin(), properties.end());
    AddCapability(kVendorSpecific, body);
  }
}

std::size_t PciConfig::Read(std::size_t offset, std::span<std::byte> to) const {
  if (offset >= kPciBytes) return 0;
  const std::size_t count = std::min(to.size(), kPciBytes - offset);
  for (std::size_t i = 0; i < count; ++i) to[i] = std::byte{bytes_[offset + i]};
  return count;
}

std::size_t PciConfig::Write(std::size_t offset, std::span<const std::byte> from) {
  if (offset >= kPciBytes) return 0;
  const std::size_t count = std::min(from.size(), kPciBytes - offset);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t writable = writable_[offset + i];
    const auto value = std::to_integer<std::uint8_t>(from[i]);
    bytes_[offset + i] = static_cast<std::uint8_t>((bytes_[offset + i] & ~writable) | (value & writable));
  }
  return count;
}

void PciConfig::Put16(std::size_t offset, std::uint32_t value) {
  bytes_[offset] = static_cast<std::uint8_t>(value);
  bytes_[offset + 1] = static_cast<std::uint8_t>(value >> 8);
}

void PciConfig::Put32(std::size_t offset, std::uint32_t value) {
  Put16(offset, value);
  Put16(offset + 2, value >> 16);
}

void PciConfig::PutBar(const AssignedBar& bar) {
  const std::size_t at = kPciBars + 4 * std::size_t{bar.index};
  const bool is_wide = !bar.ports && !bar.narrow;
  const std::size_t width = is_wide ? 8 : 4;
  Put32(at, static_cast<std::uint32_t>(bar.address) | (bar.ports ? kBarPorts : is_wide ? kBar64 : 0));
  if (is_wide) Put32(at + 4, static_cast<std::uint32_t>(bar.address >> 32));
  const std::uint64_t bits = ~(std::uint64_t{bar.bytes} - 1);
  for (std::size_t i = 0; i < width; ++i) writable_[at + i] = static_cast<std::uint8_t>(bits >> (8 * i));
}

std::size_t PciConfig::AddCapability(std::uint8_t id, std::span<const std::uint8_t> body) {
  TANDEM_CHECK(end_ + 2 + body.size() <= kPciBytes);
  const std::size_t at = end_;
  bytes_[last_link_] = static_cast<std::uint8_t>(at);
  bytes_[at] = id;
  std::ranges::copy(body, bytes_.begin() + static_cast<std::ptrdiff_t>(at) + 2);
  last_link_ = at + 1;
  end_ = (at + 2 + body.size() + 3) / 4 * 4;
  return at;
}

std::uint32_t PciConfig::MessageControl() const {
  if (msix_ == 0) return 0;
  return bytes_[msix_ + kMsixControl] | std::uint32_t{bytes_[msix_ + kMsixControl + 1]} << 8;
}

}  // namespace tandem::bus
