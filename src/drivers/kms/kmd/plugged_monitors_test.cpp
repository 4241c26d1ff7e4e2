#include "drivers/kms/kmd/plugged_monitors.h"

#include <array>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "drivers/kms/card/mode.h"
#include "drivers/kms/card/resources.h"

namespace tandem::kms {
namespace {

Connector MonitorWith(std::uint16_t width, std::size_t edid_bytes, std::byte value) {
  Connector connector;
  connector.status = ConnectorStatus::kConnected;
  Mode mode;
  mode.width = width;
  mode.height = 480;
  connector.modes = {mode};
  connector.edid.assign(edid_bytes, value);
  return connector;
}

TEST(PluggedMonitors, EachChange_CountsOnce) {
  PluggedMonitors monitors;
  EXPECT_FALSE(monitors.IsConnected(1));
  const Connector first = MonitorWith(640, 128, std::byte{1});
  EXPECT_TRUE(monitors.Update(1, &first));
  EXPECT_FALSE(monitors.Update(1, &first));
  EXPECT_TRUE(monitors.IsConnected(1));
  EXPECT_FALSE(monitors.IsConnected(0));
  const Connector other = MonitorWith(640, 128, std::byte{2});
  EXPECT_TRUE(monitors.Update(1, &other)) << "Another EDID is another monitor.";
  const Connector wider = MonitorWith(800, 128, std::byte{2});
  EXPECT_TRUE(monitors.Update(1, &wider)) << "So are other modes, as of a window that is a virtual machine's screen.";
  EXPECT_TRUE(monitors.Update(1, nullptr)) << "The connector went with its dock.";
  EXPECT_FALSE(monitors.IsConnected(1));
  Connector pulled = first;
  pulled.status = ConnectorStatus::kDisconnected;
  EXPECT_FALSE(monitors.Update(1, &pulled));
}

TEST(PluggedMonitors, Display_NeedsAMode_AndMayBeUnknown) {
  Connector connector = MonitorWith(640, 0, std::byte{});
  connector.status = ConnectorStatus::kUnknown;
  EXPECT_TRUE(HasDisplay(connector));
  connector.modes.clear();
  EXPECT_FALSE(HasDisplay(connector));
}

TEST(PluggedMonitors, Edid_IsGivenInParts_AndIsThatOfTheDisplayThatIsThere) {
  PluggedMonitors monitors;
  std::array<std::byte, 128> block{};
  const auto ask = [&](ULONG offset) {
    DXGK_DEVICE_DESCRIPTOR descriptor{offset, 128, block.data()};
    const NTSTATUS status = monitors.Describe(0, descriptor);
    return NT_SUCCESS(status) ? static_cast<NTSTATUS>(descriptor.DescriptorLength) : status;
  };
  EXPECT_EQ(ask(0), STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED);
  const Connector first = MonitorWith(640, 200, std::byte{7});
  monitors.Update(0, &first);
  EXPECT_EQ(ask(0), 128);
  EXPECT_EQ(block[127], std::byte{7});
  EXPECT_EQ(ask(128), 72);
  EXPECT_EQ(ask(200), STATUS_INVALID_PARAMETER);
  const Connector second = MonitorWith(640, 128, std::byte{9});
  monitors.Update(0, &second);
  EXPECT_EQ(ask(0), 128);
  EXPECT_EQ(block[0], std::byte{9});
  monitors.Update(0, nullptr);
  EXPECT_EQ(ask(0), STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace tandem::kms
