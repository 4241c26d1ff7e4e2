#include "system/fuzz_player.h"

#include <cstdint>
#include <utility>

#include "bus/display_device.h"
#include "conform/fuzz/adapter_player.h"
#include "conform/fuzz/screen_player.h"
#include "conform/recording_output.h"
#include "conform/rule.h"
#include "system/conformance_drivers.h"
#include "system/display_only_driver.h"
#include "system/full_driver.h"

namespace tandem::system {
namespace {

// The EDID of a screen of so many pixels can have the rate of blanks that a player asks for.
constexpr std::uint32_t kSmallWidth = 640, kSmallHeight = 480;

// A display-only driver with its device.
class PlayerOnDevice final : public conform::CallPlayer {
 public:
  PlayerOnDevice(std::unique_ptr<bus::DisplayDevice> device, std::unique_ptr<conform::CallPlayer> player)
      : device_(std::move(device)), player_(std::move(player)) {}
  NTSTATUS Play(const conform::CallStep& step) override { return player_->Play(step); }
  std::vector<std::string> Broken() override { return player_->Broken(); }
  std::vector<std::string> End() override { return player_->End(); }

 private:
  const std::unique_ptr<bus::DisplayDevice> device_;  // outlives the player
  const std::unique_ptr<conform::CallPlayer> player_;
};

bus::DisplayDeviceKind KindOf(conform::ScriptDevice device) {
  switch (device) {
    case conform::ScriptDevice::kVirtioGpu: return bus::DisplayDeviceKind::kVirtioGpu;
    case conform::ScriptDevice::kVirtioGpuOnLine: return bus::DisplayDeviceKind::kVirtioGpuOnLine;
    case conform::ScriptDevice::kQxl: return bus::DisplayDeviceKind::kQxl;
    default: return bus::DisplayDeviceKind::kFramebuffer;
  }
}

}  // namespace

conform::ScriptDevice ScriptDeviceNamed(std::string_view name) {
  using enum conform::ScriptDevice;
  for (const conform::ScriptDevice device : {kFramebuffer, kVirtioGpu, kVirtioGpuOnLine, kQxl}) {
    if (name == bus::NameOf(KindOf(device))) return device;
  }
  return kBus;
}

Result<std::unique_ptr<conform::CallPlayer>> MakePlayer(const conform::DriverUnderTest& loaded, conform::ScriptDevice device) {
  if (!loaded.display_only) {
    try {
      const bool on_bus = device == conform::ScriptDevice::kBus;
      const auto interrupts =
          device == conform::ScriptDevice::kVirtioGpuOnLine ? bus::PciInterrupts::kLine : bus::PciInterrupts::kMessages;
      return conform::MakeAdapterPlayer(on_bus ? loaded : OnVirtioGpu(loaded, interrupts, kSmallWidth, kSmallHeight),
                                        SoftUnderTest());
    } catch (const conform::RuleBroken& broken) {
      return Fail(ErrorKind::kUnsupported, "{}", broken.what());
    }
  }
  auto made = bus::MakeDisplayDevice(KindOf(device), kScreenWidth, kScreenHeight,
                                     std::make_shared<conform::RecordingOutput>(kScreenPeriodNs));
  if (!made.ok()) return std::move(made).error();
  auto player = conform::MakeScreenPlayer(loaded, {loaded.name, (*made)->extension(), &(*made)->bus()});
  if (!player.ok()) return std::move(player).error();
  return std::unique_ptr<conform::CallPlayer>(std::make_unique<PlayerOnDevice>(*std::move(made), *std::move(player)));
}

}  // namespace tandem::system
