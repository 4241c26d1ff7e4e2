// A display's own description (VESA E-EDID 1.3 and 1.4, CTA-861 extensions), as far as Tandem needs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tandem::kms {

// CIE 1931 coordinates in units of 1/1024; 0 to 1023.
struct EdidColor {
  std::uint16_t x = 0;
  std::uint16_t y = 0;
  bool operator==(const EdidColor&) const = default;
};

// The first detailed timing, which is the preferred mode.
struct EdidTiming {
  std::uint32_t clock_khz = 0;
  std::uint16_t width = 0;  // pixels
  std::uint16_t height = 0;
  std::uint16_t htotal = 0;
  std::uint16_t vtotal = 0;
  bool interlaced = false;
};

// CTA-861.3's HDR static metadata block: transfer functions and luminances in cd/m2, 0 where the display does not say them.
struct EdidHdr {
  bool sdr = false;              // traditional gamma, SDR luminance
  bool traditional_hdr = false;  // traditional gamma, HDR luminance
  bool pq = false;               // SMPTE ST 2084
  bool hlg = false;              // ITU-R BT.2100 hybrid log-gamma
  bool static_metadata_type1 = false;
  float max_luminance = 0;
  float max_frame_average_luminance = 0;
  float min_luminance = 0;
};

struct EdidColorimetry {
  bool bt2020_rgb = false;
  bool bt2020_ycc = false;
  bool bt2020_cycc = false;
  bool dci_p3 = false;
  bool xvycc709 = false;
};

struct Edid {
  std::string manufacturer;  // three letters: "DEL"
  std::uint16_t product = 0;
  std::uint32_t serial = 0;  // 0: none
  std::string name;          // printable; empty when the display has none
  std::string serial_text;
  std::uint16_t width_mm = 0;  // of the picture; 0: not known, a projector
  std::uint16_t height_mm = 0;
  std::uint8_t bits_per_channel = 0;  // 6 to 16; 0: not said
  std::optional<EdidTiming> preferred;
  EdidColor red, green, blue, white;
  std::uint16_t min_refresh_hz = 0;  // the range that the display says it can follow; 0: not said
  std::uint16_t max_refresh_hz = 0;
  std::optional<EdidHdr> hdr;
  EdidColorimetry colorimetry;
  std::size_t bad_blocks = 0;  // extensions that were skipped: wrong checksum, or cut off
};

// Takes any bytes. Nothing without a whole base block that begins and sums up as one.
[[nodiscard]] std::optional<Edid> ParseEdid(std::span<const std::byte> bytes);

}  // namespace tandem::kms
