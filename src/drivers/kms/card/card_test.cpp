// Runs on real DRM drivers: scripts/vm.sh --devices vkms,virtio-gpu,bochs,cirrus,vgem -- build/release/tests/drivers_kms_test
#include "drivers/kms/card/card.h"

#include <algorithm>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "drivers/kms/card/card_list.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/edid.h"
#include "drivers/kms/card/testing/lit_card_test.h"

namespace tandem::kms {
namespace {

class KmsCard : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto driver = FindDriver(GetParam());
    if (!driver) GTEST_SKIP() << "No card of driver " << GetParam() << " is here; scripts/vm.sh --devices has them.";
    driver_ = *driver;
  }
  std::string driver_;
};

INSTANTIATE_TEST_SUITE_P(Drivers, KmsCard, testing::ValuesIn(kDrivers), DriverOfTest);

TEST_P(KmsCard, Opened_TellsWhoItIs) {
  auto card = FindCard({driver_, {}});
  ASSERT_TRUE(card.ok()) << card.error().message;
  const CardIdentity& identity = (*card)->identity();
  EXPECT_EQ(identity.driver, driver_);
  EXPECT_TRUE(identity.path.starts_with("/dev/dri/card")) << identity.path;
  EXPECT_EQ(identity.major, 226U);
  EXPECT_TRUE((*card)->IsPresent());
  const bool pci = driver_ != "vkms";
  EXPECT_EQ(identity.bus.starts_with("pci:0000:"), pci) << identity.bus;
  EXPECT_EQ(identity.vendor_id != 0, pci);
  const CardCaps& caps = (*card)->caps();
  EXPECT_TRUE(caps.dumb_buffers);
  EXPECT_TRUE(caps.monotonic_timestamps);
  EXPECT_TRUE(caps.crtc_in_event);
  EXPECT_TRUE(caps.writeback);
  EXPECT_GE(caps.cursor_width, 32U);
}

TEST_P(KmsCard, Resources_HaveAConnectedDisplayWithModes) {
  auto lit = LitCard::Open(driver_);
  ASSERT_TRUE(lit.ok()) << lit.error().message;
  const Connector& connector = (*lit)->connector();
  EXPECT_NE(connector.name.find('-'), std::string::npos);
  EXPECT_EQ((*lit)->resources().FindConnector(connector.name), &connector);
  const Mode* preferred = connector.preferred_mode();
  ASSERT_NE(preferred, nullptr);
  for (const Mode& mode : connector.modes) {
    // Between 20 and 500 Hz; the kernel's rounded number agrees.
    const std::int64_t period_ns = RefreshPeriodNs(mode);
    EXPECT_GT(period_ns, 2'000'000) << mode.name;
    EXPECT_LT(period_ns, 50'000'000) << mode.name;
    EXPECT_NEAR(1e9 / static_cast<double>(period_ns), mode.refresh_hz, 1.0) << mode.name;
  }
  const Plane& primary = (*lit)->primary();
  EXPECT_EQ(primary.type, PlaneType::kPrimary);
  EXPECT_TRUE(primary.TakesLinear(DRM_FORMAT_XRGB8888));
  EXPECT_FALSE(primary.TakesLinear(DRM_FORMAT_YVU444));
  for (const Property property : {Property::kFbId, Property::kCrtcId, Property::kSrcX, Property::kInFenceFd, Property::kType}) {
    EXPECT_TRUE(primary.properties.Has(property)) << NameOf(property);
  }
  EXPECT_TRUE((*lit)->crtc().properties.Has(Property::kOutFencePtr));
  EXPECT_EQ(primary.properties[Property::kType].ValueOf("Primary"), 1U);
}

TEST_P(KmsCard, QemusMonitor_IsReadOutOfItsEdid) {
  if (driver_.starts_with("vkms") || driver_ == "cirrus") GTEST_SKIP() << "The display of " << driver_ << " has no EDID.";
  auto lit = LitCard::Open(driver_);
  ASSERT_TRUE(lit.ok()) << lit.error().message;
  const auto edid = ParseEdid((*lit)->connector().edid);
  ASSERT_TRUE(edid.has_value());
  EXPECT_EQ(edid->manufacturer, "RHT");
  EXPECT_EQ(edid->name, "QEMU Monitor");
  EXPECT_EQ(edid->bad_blocks, 0U);
  ASSERT_TRUE(edid->preferred.has_value());
  EXPECT_EQ(edid->preferred->width, (*lit)->connector().preferred_mode()->width);
  EXPECT_EQ(edid->preferred->height, (*lit)->connector().preferred_mode()->height);
}

TEST_P(KmsCard, SecondOpening_IsToldWhoShows) {
  auto first = FindCard({driver_, {}});
  ASSERT_TRUE(first.ok()) << first.error().message;
  auto second = Card::Open((*first)->identity().path);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::kIo);
  EXPECT_NE(second.error().message.find("(process " + std::to_string(getpid()) + ")"), std::string::npos)
      << second.error().message;
  // The master lets go, as a seat's session does when its console is switched away.
  ASSERT_TRUE((*first)->DropMaster().ok());
  second = Card::Open((*first)->identity().path);
  EXPECT_TRUE(second.ok()) << second.error().message;
  EXPECT_FALSE((*first)->SetMaster().ok());
}

TEST_P(KmsCard, CommitWithoutMaster_IsToldApart) {
  auto lit = LitCard::Open(driver_);
  ASSERT_TRUE(lit.ok()) << lit.error().message;
  auto screen = (*lit)->MakeScreen(DRM_FORMAT_XRGB8888);
  ASSERT_TRUE(screen.ok()) << screen.error().message;
  ASSERT_TRUE((*lit)->card().DropMaster().ok());
  EXPECT_EQ((*lit)->Light(screen->framebuffer.id()).outcome, CommitOutcome::kNotMaster);
  ASSERT_TRUE((*lit)->card().SetMaster().ok());
  EXPECT_TRUE((*lit)->Light(screen->framebuffer.id()).done());
}

TEST(KmsFindCard, RenderOnlyCard_IsRefusedInWords) {
  if (!FindDriver("vgem")) GTEST_SKIP() << "No card of driver vgem is here; scripts/vm.sh --devices has one.";
  const auto card = FindCard({"vgem", {}});
  ASSERT_FALSE(card.ok());
  EXPECT_EQ(card.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(card.error().message.find("only renders"), std::string::npos) << card.error().message;
}

TEST(KmsFindCard, AbsentCard_ListsThoseThatAreThere) {
  if (!LoadDrm().ok()) GTEST_SKIP() << LoadDrm().error().message;
  for (const std::string name : {"card987", "nosuchdriver", "/dev/dri/card987"}) {
    const auto card = FindCard({name, {}});
    ASSERT_FALSE(card.ok());
    EXPECT_EQ(card.error().kind, ErrorKind::kNotFound) << card.error().message;
    for (const CardNode& node : ListCardNodes()) {
      const bool listed = card.error().message.find(node.path) != std::string::npos;
      EXPECT_TRUE(listed || name.starts_with('/')) << card.error().message;
    }
  }
}

TEST(KmsFindCard, ConnectorAlone_FindsTheCardThatHasIt) {
  if (!FindDriver("virtio_gpu")) GTEST_SKIP() << "No card of driver virtio_gpu is here; scripts/vm.sh --devices has one.";
  std::string connector;
  {
    auto lit = LitCard::Open("virtio_gpu");
    ASSERT_TRUE(lit.ok()) << lit.error().message;
    connector = (*lit)->connector().name;
  }
  const auto found = FindCard({{}, connector});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ((*found)->identity().driver, "virtio_gpu");
  EXPECT_EQ(FindCard({{}, "HDMI-A-77"}).error().kind, ErrorKind::kNotFound);
}

TEST(KmsFindCard, FileThatIsNoCard_IsRefused) {
  if (!LoadDrm().ok()) GTEST_SKIP() << LoadDrm().error().message;
  const auto card = Card::Open("/dev/null");
  ASSERT_FALSE(card.ok());
  EXPECT_EQ(card.error().kind, ErrorKind::kUnsupported) << card.error().message;
}

}  // namespace
}  // namespace tandem::kms
