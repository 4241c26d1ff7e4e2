#include "drivers/kms/card/edid_cta.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tandem::kms {
namespace {

constexpr std::size_t kCollection = 4;  // first byte of the data blocks
constexpr unsigned kExtendedTag = 7;
constexpr std::uint8_t kColorimetryTag = 5;
constexpr std::uint8_t kHdrStaticTag = 6;

std::uint8_t CtaByte(std::span<const std::byte> data, std::size_t position) {
  return position < data.size() ? std::to_integer<std::uint8_t>(data[position]) : 0;
}

// CTA-861.3: 50 cd/m2 times 2^(code / 32); code 0 says nothing.
float Luminance(std::uint8_t code) { return code == 0 ? 0 : 50.0F * std::exp2(static_cast<float>(code) / 32.0F); }

// `data` begins behind the extended tag.
void ReadHdr(std::span<const std::byte> data, Edid& edid) {
  if (data.size() < 2) return;
  const std::uint8_t functions = CtaByte(data, 0);
  EdidHdr hdr;
  hdr.sdr = (functions & 1) != 0;
  hdr.traditional_hdr = (functions & 2) != 0;
  hdr.pq = (functions & 4) != 0;
  hdr.hlg = (functions & 8) != 0;
  hdr.static_metadata_type1 = (CtaByte(data, 1) & 1) != 0;
  hdr.max_luminance = Luminance(CtaByte(data, 2));
  hdr.max_frame_average_luminance = Luminance(CtaByte(data, 3));
  const float share = static_cast<float>(CtaByte(data, 4)) / 255.0F;
  hdr.min_luminance = hdr.max_luminance * share * share / 100.0F;
  edid.hdr = hdr;
}

void ReadColorimetry(std::span<const std::byte> data, Edid& edid) {
  const std::uint8_t first = CtaByte(data, 0);
  edid.colorimetry.xvycc709 = (first & 0x02) != 0;
  edid.colorimetry.bt2020_cycc = (first & 0x20) != 0;
  edid.colorimetry.bt2020_ycc = (first & 0x40) != 0;
  edid.colorimetry.bt2020_rgb = (first & 0x80) != 0;
  edid.colorimetry.dci_p3 = (CtaByte(data, 1) & 0x80) != 0;
}

}  // namespace

void ReadCtaBlock(std::span<const std::byte> block, Edid& edid) {
  // Byte 2 says where detailed timings begin; 0: the block has neither them nor data blocks.
  const std::size_t end = std::min<std::size_t>(CtaByte(block, 2), block.size() - 1);
  std::size_t at = kCollection;
  while (at < end) {
    const std::uint8_t header = CtaByte(block, at);
    const std::size_t length = header & 0x1F;
    if (at + 1 + length > end) return;
    const std::span<const std::byte> data = block.subspan(at + 1, length);
    if (header >> 5 == kExtendedTag && !data.empty()) {
      if (CtaByte(data, 0) == kHdrStaticTag) ReadHdr(data.subspan(1), edid);
      if (CtaByte(data, 0) == kColorimetryTag) ReadColorimetry(data.subspan(1), edid);
    }
    at += 1 + length;
  }
}

}  // namespace tandem::kms
