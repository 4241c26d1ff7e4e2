#include "drivers/kms/card/edid.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace tandem::kms {
namespace {

// A 4K display with HDR. The expectations below are what edid-decode (Debian's 0.1~git20220315) says about it.
constexpr std::string_view kHdrDisplay =
    "00ffffffffffff0010acb2a17856341214210104b53c2278060f91ae5243b0260f5054000000010101010101010101010101"
    "010101014dd000a0f0703e803020350055502100001a000000fc0044454c4c20553237323551450a000000ff0037584a324b"
    "38330a2020202020000000fd00307887873c010a2020202020200135020313e04361605fe305c280e6060d01736038023a80"
    "1871382d40582c450055502100001a0000000000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "0000000000e3";
constexpr std::size_t kBlock = 128;

std::vector<std::byte> Bytes(std::string_view hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Makes the block's checksum right again.
void Seal(std::vector<std::byte>& bytes, std::size_t block) {
  unsigned sum = 0;
  for (std::size_t i = 0; i + 1 < kBlock; ++i) sum += std::to_integer<unsigned>(bytes[block * kBlock + i]);
  bytes[block * kBlock + kBlock - 1] = static_cast<std::byte>(256 - sum % 256);
}

TEST(KmsEdid, HdrDisplay_IsReadAsEdidDecodeReadsIt) {
  const auto edid = ParseEdid(Bytes(kHdrDisplay));
  ASSERT_TRUE(edid.has_value());
  EXPECT_EQ(edid->manufacturer, "DEL");
  EXPECT_EQ(edid->product, 41394);
  EXPECT_EQ(edid->serial, 305419896U);
  EXPECT_EQ(edid->name, "DELL U2725QE");
  EXPECT_EQ(edid->serial_text, "7XJ2K83");
  EXPECT_EQ(edid->width_mm, 600);
  EXPECT_EQ(edid->height_mm, 340);
  EXPECT_EQ(edid->bits_per_channel, 10);
  ASSERT_TRUE(edid->preferred.has_value());
  EXPECT_EQ(edid->preferred->clock_khz, 533250U);
  EXPECT_EQ(edid->preferred->width, 3840);
  EXPECT_EQ(edid->preferred->height, 2160);
  EXPECT_EQ(edid->preferred->htotal, 4000);
  EXPECT_EQ(edid->preferred->vtotal, 2222);
  EXPECT_NEAR(edid->red.x / 1024.0, 0.6796, 0.0001);
  EXPECT_NEAR(edid->red.y / 1024.0, 0.3203, 0.0001);
  EXPECT_NEAR(edid->green.x / 1024.0, 0.2646, 0.0001);
  EXPECT_NEAR(edid->green.y / 1024.0, 0.6904, 0.0001);
  EXPECT_NEAR(edid->blue.x / 1024.0, 0.1503, 0.0001);
  EXPECT_NEAR(edid->blue.y / 1024.0, 0.0595, 0.0001);
  EXPECT_NEAR(edid->white.x / 1024.0, 0.3125, 0.0001);
  EXPECT_NEAR(edid->white.y / 1024.0, 0.3291, 0.0001);
  EXPECT_EQ(edid->min_refresh_hz, 48);
  EXPECT_EQ(edid->max_refresh_hz, 120);
  EXPECT_EQ(edid->bad_blocks, 0U);
}

TEST(KmsEdid, HdrBlocks_AreReadAsEdidDecodeReadsThem) {
  const auto edid = ParseEdid(Bytes(kHdrDisplay));
  ASSERT_TRUE(edid.has_value() && edid->hdr.has_value());
  EXPECT_TRUE(edid->hdr->sdr && edid->hdr->pq && edid->hdr->hlg && edid->hdr->static_metadata_type1);
  EXPECT_FALSE(edid->hdr->traditional_hdr);
  EXPECT_NEAR(edid->hdr->max_luminance, 603.666, 0.001);
  EXPECT_NEAR(edid->hdr->max_frame_average_luminance, 400.0, 0.001);
  EXPECT_NEAR(edid->hdr->min_luminance, 0.291, 0.001);
  EXPECT_TRUE(edid->colorimetry.bt2020_rgb && edid->colorimetry.bt2020_ycc && edid->colorimetry.dci_p3);
  EXPECT_TRUE(edid->colorimetry.xvycc709);
  EXPECT_FALSE(edid->colorimetry.bt2020_cycc);
}

TEST(KmsEdid, ExtensionThatIsBroken_IsSkipped) {
  std::vector<std::byte> bytes = Bytes(kHdrDisplay);
  bytes[kBlock + 20] ^= std::byte{1};
  const auto broken = ParseEdid(bytes);
  ASSERT_TRUE(broken.has_value());
  EXPECT_EQ(broken->bad_blocks, 1U);
  EXPECT_FALSE(broken->hdr.has_value());
  bytes.resize(kBlock + 100);
  EXPECT_EQ(ParseEdid(bytes)->bad_blocks, 1U);
  bytes[126] = std::byte{255};
  Seal(bytes, 0);
  EXPECT_EQ(ParseEdid(bytes)->bad_blocks, 255U);
}

TEST(KmsEdid, BaseBlockThatIsNone_IsNothing) {
  const std::vector<std::byte> whole = Bytes(kHdrDisplay);
  for (std::size_t length = 0; length < kBlock; ++length) EXPECT_FALSE(ParseEdid(std::span(whole).first(length)).has_value());
  std::vector<std::byte> bytes = whole;
  bytes[60] ^= std::byte{1};
  EXPECT_FALSE(ParseEdid(bytes).has_value());
  bytes = whole;
  bytes[0] = std::byte{1};
  Seal(bytes, 0);
  EXPECT_FALSE(ParseEdid(bytes).has_value());
}

TEST(KmsEdid, DataBlockPastItsCollection_EndsIt) {
  std::vector<std::byte> bytes = Bytes(kHdrDisplay);
  bytes[kBlock + 4] = std::byte{0x5F};  // the first block says 31 bytes; the collection has 15
  Seal(bytes, 1);
  EXPECT_FALSE(ParseEdid(bytes)->hdr.has_value());
  bytes = Bytes(kHdrDisplay);
  bytes[kBlock + 2] = std::byte{255};  // the collection passes the end of the block
  Seal(bytes, 1);
  EXPECT_TRUE(ParseEdid(bytes)->hdr.has_value());
}

TEST(KmsEdid, NameWithControlCharacters_IsPrintable) {
  std::vector<std::byte> bytes = Bytes(kHdrDisplay);
  bytes[72 + 5] = std::byte{0x1B};
  Seal(bytes, 0);
  EXPECT_EQ(ParseEdid(bytes)->name, "?ELL U2725QE");
}

}  // namespace
}  // namespace tandem::kms
