#include "drivers/kms/card/card_name.h"

#include <gtest/gtest.h>

namespace tandem::kms {
namespace {

void ExpectName(std::string_view text, std::string_view card, std::string_view connector) {
  const auto name = ParseCardName(text);
  ASSERT_TRUE(name.ok()) << name.error().message;
  EXPECT_EQ(name->card, card) << text;
  EXPECT_EQ(name->connector, connector) << text;
}

TEST(KmsCardName, EachForm_IsCardAndConnector) {
  ExpectName("kms", "", "");
  ExpectName("kms:card1", "card1", "");
  ExpectName("kms:vkms", "vkms", "");
  ExpectName("kms:bochs-drm:Virtual-1", "bochs-drm", "Virtual-1");
  ExpectName("kms:card1:HDMI-A-1", "card1", "HDMI-A-1");
  ExpectName("kms::HDMI-A-1", "", "HDMI-A-1");
  ExpectName("kms:/dev/dri/card1", "/dev/dri/card1", "");
  ExpectName("/dev/dri/card1", "/dev/dri/card1", "");
  ExpectName("/dev/dri/by-path/pci-0000", "/dev/dri/by-path/pci-0000", "");
  ExpectName("/dev/dri/card1:DP-3", "/dev/dri/card1", "DP-3");
}

TEST(KmsCardName, OtherText_IsRefused) {
  for (const std::string_view text : {"", "card1", "kmsx", "KMS", "kms:card1:DP-1:2", "kms:../../etc", "/dev/../etc/passwd",
                                      "kms:card 1", "kms:card1:\x1b[2J", "kms:caf\xc3\xa9"}) {
    EXPECT_EQ(ParseCardName(text).error().kind, ErrorKind::kInvalidArgument) << text;
  }
  EXPECT_EQ(ParseCardName("kms:" + std::string(200, 'a')).error().kind, ErrorKind::kInvalidArgument);
}

TEST(KmsCardName, Refusal_ShowsNoControlCharacters) {
  EXPECT_EQ(ParseCardName("kms:a\x1b[2J").error().message.find('\x1b'), std::string::npos);
  EXPECT_EQ(ParseCardName("\x1b[2J").error().message.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tandem::kms
