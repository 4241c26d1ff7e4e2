#include "system/pci_link.h"

#include <cerrno>
#include <cstdlib>

#include "config/config_io.h"

namespace tandem::system {
namespace {

// A number at the beginning of a file's text; nothing when there is none.
std::optional<double> NumberIn(const std::string& path) {
  const auto text = config::ReadConfigFile(path);
  if (!text.ok() || !*text) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod((*text)->c_str(), &end);
  if (end == (*text)->c_str() || !(value > 0) || value > 1e6) return std::nullopt;
  return value;
}

// "16.0 GT/s PCIe" and "8".
std::optional<PciLink> ReadLink(const std::string& folder, const std::string& prefix) {
  const auto speed = NumberIn(folder + prefix + "_link_speed");
  const auto lanes = NumberIn(folder + prefix + "_link_width");
  if (!speed || !lanes || *lanes > 32) return std::nullopt;
  return PciLink{*speed, static_cast<std::uint32_t>(*lanes)};
}

}  // namespace

double PciLink::BytesPerSecond() const {
  const double payload = gigatransfers_per_second <= 5 ? 8.0 / 10 : gigatransfers_per_second <= 32 ? 128.0 / 130 : 242.0 / 256;
  return gigatransfers_per_second * 1e9 * lanes * payload / 8;
}

std::optional<PciLinks> ReadPciLinks(const std::string& root, std::string_view address) {
  if (address.empty()) return std::nullopt;
  const std::string folder = root + "/sys/bus/pci/devices/" + std::string(address) + "/";
  const auto now = ReadLink(folder, "current");
  const auto most = ReadLink(folder, "max");
  if (!now || !most) return std::nullopt;
  return PciLinks{*now, *most};
}

}  // namespace tandem::system
