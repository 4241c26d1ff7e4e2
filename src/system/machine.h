// The drivers, kernel and display devices that a list of adapters depends on, read without opening a GPU or a driver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tandem::system {

struct Machine {
  struct Driver {
    std::string manifest;
    std::string library;
  };
  struct Display {
    std::string address;  // "0000:01:00.0"
    std::uint32_t vendor_id = 0;
    std::uint32_t device_id = 0;
    bool asleep = false;
  };
  // One line for each driver's file, display device, render node, for the kernel and for Tandem. Lists of adapters hold as long
  // as the lines are equal.
  std::vector<std::string> key;
  std::vector<Driver> drivers;
  std::vector<Display> displays;  // PCI devices of class 0x03
};

// Folders of the kernel and of the system are those below `root`; "" is the machine's own. `manifests` are paths as they are.
[[nodiscard]] Machine ReadMachine(const std::string& root, std::span<const std::string> manifests);

[[nodiscard]] std::vector<Machine::Display> FindDisplays(const std::string& root);

}  // namespace tandem::system
