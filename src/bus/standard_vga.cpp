#include "bus/standard_vga.h"

#include <array>
#include <utility>

namespace tandem::bus {
namespace {

constexpr std::uint32_t kMemoryBar = 0, kRegisterBar = 2, kRegisterBytes = 0x1000;
constexpr std::uint32_t kModeRegisters = 0x500, kModeRegisterCount = 11;  // of two bytes

DeviceDescription Description() {
  DeviceDescription device;
  device.identity = {0x1234, 0x1111, 0x1AF4, 0x1100, 2, 0x03, 0x00};
  return device;
}

}  // namespace

Result<StandardVga> StandardVga::Create(std::uint64_t memory_address, std::uint32_t memory_bytes) {
  auto registers = RegisterWindow::Create(kRegisterBytes);
  if (!registers.ok()) return std::move(registers).error();
  const std::array<AssignedBar, 2> bars{
      {{kMemoryBar, memory_address, memory_bytes}, {kRegisterBar, registers->address(), kRegisterBytes}}};
  return StandardVga(bars, *std::move(registers));
}

StandardVga::StandardVga(std::span<const AssignedBar> bars, RegisterWindow registers)
    : registers_(std::move(registers)), config_(Description(), bars, {}), resources_(bars) {}

std::optional<std::uint32_t> StandardVga::ModeRegisterAt(std::uintptr_t address) const {
  const std::uintptr_t offset = address - registers_.address() - kModeRegisters;
  if (offset % 2 != 0 || offset / 2 >= kModeRegisterCount) return std::nullopt;
  return static_cast<std::uint32_t>(offset / 2);
}

}  // namespace tandem::bus
