// Settings of a connector and its CRTC for HDR and variable refresh.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "drivers/kms/card/atomic_request.h"
#include "drivers/kms/card/resources.h"

namespace tandem::kms {

enum class HdrTransfer : std::uint8_t { kSdr = 0, kTraditionalHdr = 1, kPq = 2, kHlg = 3 };  // CTA-861's EOTF

// CIE 1931 coordinates in units of 0.00002; 0 to 50000.
struct HdrPoint {
  std::uint16_t x = 0;
  std::uint16_t y = 0;
};

// The picture's mastering display and light levels; 0: not known.
struct HdrMetadata {
  HdrTransfer transfer = HdrTransfer::kPq;
  HdrPoint red, green, blue, white;
  std::uint16_t max_luminance_nits = 0;
  std::uint16_t min_luminance_tenth_millinits = 0;  // units of 0.0001 cd/m2
  std::uint16_t max_content_light_nits = 0;
  std::uint16_t max_frame_average_nits = 0;
};

// struct hdr_output_metadata of the kernel's interface: 32 bytes with 26 used, in the machine's byte order.
inline constexpr std::size_t kHdrBlobBytes = 32;
[[nodiscard]] std::array<std::byte, kHdrBlobBytes> HdrBlob(const HdrMetadata& metadata);

// Properties that the connector has; the display's own abilities stand in its EDID.
struct ConnectorAbilities {
  bool hdr_metadata = false;
  bool bt2020_rgb = false;  // as Colorspace
  bool content_type = false;
  bool vrr_capable = false;   // the display follows the CRTC's VRR_ENABLED
  std::uint32_t max_bpc = 0;  // 0: no such property
};
[[nodiscard]] ConnectorAbilities AbilitiesOf(const Connector& connector);

enum class ConnectorColorspace : std::uint8_t { kDefault, kBt2020Rgb };
enum class ContentType : std::uint8_t { kNone, kGraphics, kPhoto, kCinema, kGame };

struct ConnectorColor {
  std::uint32_t hdr_blob_id = 0;  // PropertyBlob of HdrBlob(); 0: SDR
  ConnectorColorspace colorspace = ConnectorColorspace::kDefault;
  std::uint32_t max_bpc = 0;  // kept within the connector's range; 0: left as it is
  ContentType content_type = ContentType::kNone;
};
// Adds what the connector has; the rest is left out. Some drivers need CommitFlags::allow_modeset for a change.
void SetColor(AtomicRequest& request, const Connector& connector, const ConnectorColor& color);

// Does nothing on a CRTC without VRR_ENABLED.
void SetVariableRefresh(AtomicRequest& request, const Crtc& crtc, bool enabled);

}  // namespace tandem::kms
