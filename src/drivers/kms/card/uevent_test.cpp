#include "drivers/kms/card/uevent.h"

#include <string>

#include <gtest/gtest.h>

#include "drivers/kms/card/uevent_socket.h"

namespace tandem::kms {
namespace {

// Strings with a zero byte behind each '|'.
std::string Message(std::string text) {
  for (char& c : text) {
    if (c == '|') c = '\0';
  }
  return text;
}

// An i915 connector's change, copied from `udevadm monitor --kernel --property`.
const std::string kHotPlug = Message(
    "change@/devices/pci0000:00/0000:00:02.0/drm/card0|ACTION=change|DEVPATH=/devices/pci0000:00/0000:00:02.0/drm/card0|"
    "SUBSYSTEM=drm|HOTPLUG=1|CONNECTOR=308|PROPERTY=5|DEVNAME=dri/card0|DEVTYPE=drm_minor|SEQNUM=4711|MAJOR=226|MINOR=0|");

TEST(KmsUevent, HotPlug_NamesCardAndConnector) {
  const auto event = ParseUevent(kHotPlug);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->action, UeventAction::kChange);
  EXPECT_EQ(event->subsystem, "drm");
  EXPECT_EQ(event->device_path, "/devices/pci0000:00/0000:00:02.0/drm/card0");
  EXPECT_EQ(event->device_name, "dri/card0");
  EXPECT_EQ(event->major, 226U);
  EXPECT_EQ(event->minor, 0U);
  EXPECT_TRUE(event->hotplug);
  EXPECT_FALSE(event->lease);
  EXPECT_EQ(event->connector_id, 308U);
}

TEST(KmsUevent, RemovalLeaseAndHang_AreToldApart) {
  EXPECT_EQ(ParseUevent(Message("remove@/x|ACTION=remove|SUBSYSTEM=drm|MAJOR=226|MINOR=1|"))->action, UeventAction::kRemove);
  EXPECT_EQ(ParseUevent(Message("add@/x|"))->action, UeventAction::kAdd);
  EXPECT_EQ(ParseUevent(Message("bind@/x|ACTION=bind|"))->action, UeventAction::kOther);
  EXPECT_TRUE(ParseUevent(Message("change@/x|LEASE=1|"))->lease);
  EXPECT_EQ(ParseUevent(Message("change@/x|WEDGED=rebind,bus-reset|"))->wedged, "rebind,bus-reset");
}

TEST(KmsUevent, RemovalAndAHangThatTheDriverCannotMend_EndTheDevice) {
  const auto ends = [](const char* text) { return EndsDevice(*ParseUevent(Message(text))); };
  EXPECT_TRUE(ends("remove@/x|ACTION=remove|SUBSYSTEM=drm|"));
  EXPECT_TRUE(ends("change@/x|WEDGED=rebind,bus-reset|"));
  EXPECT_TRUE(ends("change@/x|WEDGED=unknown|"));
  EXPECT_FALSE(ends("change@/x|WEDGED=none|"));
  EXPECT_FALSE(ends("change@/x|WEDGED=|"));
  EXPECT_FALSE(ends("add@/x|WEDGED=rebind|"));
  EXPECT_FALSE(EndsDevice(*ParseUevent(kHotPlug)));
}

TEST(KmsUevent, NumbersThatAreNone_AreAbsent) {
  for (const char* number : {"", "-1", "4294967296", "12x", " 12", "0x10"}) {
    const std::string message = Message("change@/x|MAJOR=" + std::string(number) + "|CONNECTOR=" + number + "|");
    const auto event = ParseUevent(message);
    ASSERT_TRUE(event.has_value());
    EXPECT_FALSE(event->major.has_value()) << number;
    EXPECT_FALSE(event->connector_id.has_value()) << number;
  }
}

TEST(KmsUevent, OtherForms_AreNone) {
  for (const char* text : {"", "|", "change|", "@/x|", "libudev|ACTION=change|", "change@/x", "change@/x|ACTION=change"}) {
    EXPECT_FALSE(ParseUevent(Message(text)).has_value()) << text;
  }
}

TEST(KmsUevent, EachPrefixOfAMessage_IsHarmless) {
  for (std::size_t length = 0; length < kHotPlug.size(); ++length) {
    const auto event = ParseUevent(std::span(kHotPlug).first(length));
    // Whole strings only.
    EXPECT_EQ(event.has_value(), length > 0 && kHotPlug[length - 1] == '\0') << length;
  }
}

TEST(KmsUeventSocket, WithoutMessages_IsEmpty) {
  auto socket = UeventSocket::Open();
  if (!socket.ok()) GTEST_SKIP() << socket.error().message;
  Uevent event;
  // Devices of the machine may change meanwhile; a read never waits.
  int reads = 0;
  while (socket->Next(event) != UeventSocket::Read::kEmpty && reads < 1'000) ++reads;
  EXPECT_LT(reads, 1'000);
}

}  // namespace
}  // namespace tandem::kms
