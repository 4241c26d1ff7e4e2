// The PCI Express link of a device, as the kernel tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::system {

struct PciLink {
  double gigatransfers_per_second = 0;  // of each lane
  std::uint32_t lanes = 0;

  // Bytes a second in one direction behind the line code, before packet headers: 8b/10b up to 5 GT/s, 128b/130b up to 32,
  // flow-control units of 256 bytes with 242 of data beyond.
  [[nodiscard]] double BytesPerSecond() const;
};

struct PciLinks {
  PciLink now;   // a link may be slower while its device rests
  PciLink most;  // what the device can
};

// Below `root`, "" for the machine's own. Nothing: the device has no such link, or the kernel does not tell it.
[[nodiscard]] std::optional<PciLinks> ReadPciLinks(const std::string& root, std::string_view address);

}  // namespace tandem::system
