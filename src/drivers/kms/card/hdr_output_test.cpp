#include "drivers/kms/card/hdr_output.h"

#include <vector>

#include <gtest/gtest.h>

namespace tandem::kms {
namespace {

TEST(KmsHdrOutput, Blob_HasTheKernelsBytes) {
  // BT.2020 primaries, D65, 1000 cd/m2 down to 0.005, MaxCLL 1000, MaxFALL 400. The bytes follow CTA-861-G, table 45, behind the
  // kernel's type word; this is a little-endian machine.
  HdrMetadata metadata;
  metadata.transfer = HdrTransfer::kPq;
  metadata.red = {35400, 14600};
  metadata.green = {8500, 39850};
  metadata.blue = {6550, 2300};
  metadata.white = {15635, 16450};
  metadata.max_luminance_nits = 1000;
  metadata.min_luminance_tenth_millinits = 50;
  metadata.max_content_light_nits = 1000;
  metadata.max_frame_average_nits = 400;
  const std::vector<int> expected = {0,    0,    0,    0,     // HDMI_STATIC_METADATA_TYPE1
                                     2,    0,                 // SMPTE ST 2084, descriptor 0
                                     0x48, 0x8A, 0x08, 0x39,  // red
                                     0x34, 0x21, 0xAA, 0x9B,  // green
                                     0x96, 0x19, 0xFC, 0x08,  // blue
                                     0x13, 0x3D, 0x42, 0x40,  // white
                                     0xE8, 0x03, 0x32, 0,     // luminances
                                     0xE8, 0x03, 0x90, 0x01,  // MaxCLL, MaxFALL
                                     0,    0};
  const auto blob = HdrBlob(metadata);
  ASSERT_EQ(blob.size(), expected.size());
  for (std::size_t i = 0; i < blob.size(); ++i) EXPECT_EQ(std::to_integer<int>(blob[i]), expected[i]) << "byte " << i;
}

// A connector with the properties of amdgpu's HDMI connectors.
Connector HdrConnector() {
  Connector connector;
  connector.id = 100;
  connector.properties.Set(Property::kHdrOutputMetadata, {.id = 7});
  connector.properties.Set(Property::kColorspace, {.id = 8, .entries = {{"Default", 0}, {"BT2020_RGB", 9}}});
  connector.properties.Set(Property::kMaxBpc, {.id = 9, .value = 8, .min = 8, .max = 16});
  connector.properties.Set(Property::kContentType, {.id = 10, .entries = {{"No Data", 0}, {"Game", 4}}});
  connector.properties.Set(Property::kVrrCapable, {.id = 11, .immutable = true, .value = 1, .min = 0, .max = 1});
  return connector;
}

TEST(KmsHdrOutput, PropertiesThatAreThere_AreSet) {
  const Connector connector = HdrConnector();
  const ConnectorAbilities abilities = AbilitiesOf(connector);
  EXPECT_TRUE(abilities.hdr_metadata && abilities.bt2020_rgb && abilities.content_type && abilities.vrr_capable);
  EXPECT_EQ(abilities.max_bpc, 16U);
  AtomicRequest request;
  SetColor(request, connector, {55, ConnectorColorspace::kBt2020Rgb, 12, ContentType::kGame});
  EXPECT_EQ(request.Text(), "100: 7=55 8=9 10=4 9=12");
  request.Clear();
  SetColor(request, connector, {0, ConnectorColorspace::kDefault, 99, ContentType::kCinema});
  EXPECT_EQ(request.Text(), "100: 7=0 8=0 9=16");
  request.Clear();
  Crtc crtc;
  crtc.id = 60;
  SetVariableRefresh(request, crtc, true);
  EXPECT_TRUE(request.empty());
  crtc.properties.Set(Property::kVrrEnabled, {.id = 12});
  SetVariableRefresh(request, crtc, true);
  EXPECT_EQ(request.Text(), "60: 12=1");
}

TEST(KmsHdrOutput, ConnectorWithout_IsLeftAlone) {
  const Connector connector;
  const ConnectorAbilities abilities = AbilitiesOf(connector);
  EXPECT_FALSE(abilities.hdr_metadata || abilities.bt2020_rgb || abilities.content_type || abilities.vrr_capable);
  AtomicRequest request;
  SetColor(request, connector, {55, ConnectorColorspace::kBt2020Rgb, 12, ContentType::kGame});
  EXPECT_TRUE(request.empty());
}

TEST(KmsProperties, BitmaskEntries_AreBits) {
  const PropertyInfo rotation{.id = 1, .bitmask = true, .entries = {{"rotate-0", 0}, {"rotate-90", 1}, {"bad", 64}}};
  EXPECT_EQ(rotation.ValueOf("rotate-0"), 1U);
  EXPECT_EQ(rotation.ValueOf("rotate-90"), 2U);
  EXPECT_FALSE(rotation.ValueOf("bad").has_value());
  EXPECT_FALSE(rotation.ValueOf("rotate-180").has_value());
}

TEST(KmsAtomicRequest, Mark_TakesBackWhatCameAfter) {
  AtomicRequest request;
  request.Set(1, 10, 100);
  request.Set(1, 11, 101);
  const AtomicRequest::Mark mark = request.mark();
  request.Set(1, 12, 102);
  request.Set(2, 20, 200);
  EXPECT_EQ(request.Text(), "1: 10=100 11=101 12=102; 2: 20=200");
  request.ReturnTo(mark);
  EXPECT_EQ(request.Text(), "1: 10=100 11=101");
  request.Set(1, 13, 103);
  request.Set(3, 0, 1);  // a property that the object lacks
  EXPECT_EQ(request.Text(), "1: 10=100 11=101 13=103");
  request.ReturnTo({});
  EXPECT_TRUE(request.empty());
}

}  // namespace
}  // namespace tandem::kms
