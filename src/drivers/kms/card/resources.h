// Connectors, CRTCs and planes of a card as they are at one moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drivers/kms/card/mode.h"
#include "drivers/kms/card/properties.h"

namespace tandem::kms {

class Card;

enum class ConnectorStatus : std::uint8_t { kConnected, kDisconnected, kUnknown };

struct Connector {
  std::uint32_t id = 0;
  std::string name;        // "HDMI-A-1"
  std::uint32_t type = 0;  // DRM_MODE_CONNECTOR_*
  ConnectorStatus status = ConnectorStatus::kUnknown;
  bool non_desktop = false;  // a headset or the like, which desktops leave alone
  std::uint32_t width_mm = 0;
  std::uint32_t height_mm = 0;
  std::uint32_t possible_crtcs = 0;  // bit n: Resources::crtcs[n]
  std::vector<Mode> modes;           // the kernel's order, the preferred one first as a rule
  std::vector<std::byte> edid;       // as the display gave it; may be empty, cut off or nonsense
  Properties properties;

  [[nodiscard]] bool writeback() const;
  // The preferred mode, else the first; null without modes.
  [[nodiscard]] const Mode* preferred_mode() const;
};

struct Crtc {
  std::uint32_t id = 0;
  std::uint32_t index = 0;   // its bit in masks, its number in DRM_IOCTL_WAIT_VBLANK
  std::optional<Mode> mode;  // that it shows now
  Properties properties;
};

enum class PlaneType : std::uint8_t { kOverlay = 0, kPrimary = 1, kCursor = 2 };  // values of the property "type"

struct PlaneFormat {
  std::uint32_t fourcc = 0;
  std::vector<std::uint64_t> modifiers;  // empty: the plane does not tell; buffers without a modifier may do
};

struct Plane {
  std::uint32_t id = 0;
  PlaneType type = PlaneType::kOverlay;
  std::uint32_t possible_crtcs = 0;
  std::vector<PlaneFormat> formats;
  Properties properties;

  // True if buffers of `fourcc` without a modifier or with DRM_FORMAT_MOD_LINEAR are listed.
  [[nodiscard]] bool TakesLinear(std::uint32_t fourcc) const;
};

struct Resources {
  std::uint32_t min_width = 0;  // of framebuffers, pixels
  std::uint32_t max_width = 0;
  std::uint32_t min_height = 0;
  std::uint32_t max_height = 0;
  std::vector<Connector> connectors;  // writeback connectors among them
  std::vector<Crtc> crtcs;
  std::vector<Plane> planes;

  [[nodiscard]] const Connector* FindConnector(std::string_view name) const;
  [[nodiscard]] const Crtc* FindCrtc(std::uint32_t id) const;
  // Null if the card has no plane of this type for the CRTC.
  [[nodiscard]] const Plane* FindPlane(PlaneType type, const Crtc& crtc) const;
};

// Asks each connector for its display again, which may take 100 ms and more. kDeviceLost once the card was removed,
// kUnsupported without KMS, kIo. Thread-safe.
[[nodiscard]] Result<Resources> ReadResources(const Card& card);

}  // namespace tandem::kms
