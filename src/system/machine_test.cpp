#include "system/machine.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

namespace tandem::system {
namespace {

namespace fs = std::filesystem;

class MachineKey : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    Write("proc/sys/kernel/osrelease", "6.1.0-37-amd64\n");
    AddPci("0000:01:00.0", "0x030200", "0x10de", "0x2684", "nvidia");
    AddPci("0000:00:02.0", "0x030000", "0x8086", "0x46a6", "i915");
    AddPci("0000:00:1f.3", "0x040300", "0x8086", "0x51c8", "snd_hda_intel");
    Write("sys/class/drm/renderD128/dev", "226:128\n");
    Write("dev/dri/renderD128", "");
    Write("driver.so", "first");
    Write("driver.json", R"({"file_format_version": "1.0.0", "ICD": {"library_path": "./driver.so", "api_version": "1.3.0"}})");
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  void AddPci(const std::string& address, const std::string& device_class, const std::string& vendor, const std::string& device,
              const std::string& driver) const {
    const std::string folder = "sys/bus/pci/devices/" + address;
    Write(folder + "/class", device_class + "\n");
    Write(folder + "/vendor", vendor + "\n");
    Write(folder + "/device", device + "\n");
    Write(folder + "/power/runtime_status", "active\n");
    fs::create_symlink("../../../../bus/pci/drivers/" + driver, root_ / folder / "driver");
  }
  [[nodiscard]] Machine Read() const { return ReadMachine(root_.string(), std::vector{(root_ / "driver.json").string()}); }
  // Lines of the key that start so.
  static std::vector<std::string> Lines(const Machine& machine, const std::string& start) {
    std::vector<std::string> lines;
    std::ranges::copy_if(machine.key, std::back_inserter(lines), [&](const auto& line) { return line.starts_with(start); });
    return lines;
  }

  const fs::path root_ = fs::temp_directory_path() / ("tandem-machine-" + std::to_string(getpid()));
};

TEST_F(MachineKey, NamesKernelDriverDisplaysAndNodes) {
  const Machine machine = Read();
  EXPECT_EQ(Lines(machine, "kernel"), std::vector<std::string>{"kernel 6.1.0-37-amd64"});
  EXPECT_EQ(Lines(machine, "pci"),
            (std::vector<std::string>{"pci 0000:00:02.0 8086:46a6 i915", "pci 0000:01:00.0 10de:2684 nvidia"}));
  EXPECT_EQ(Lines(machine, "node"), std::vector<std::string>{"node renderD128 permitted"});
  EXPECT_EQ(Lines(machine, "manifest").size(), 1U);
  EXPECT_EQ(Lines(machine, "library").size(), 1U);
  ASSERT_EQ(machine.drivers.size(), 1U);
  EXPECT_EQ(machine.drivers[0].library, root_.string() + "/./driver.so");
  EXPECT_EQ(Read().key, machine.key);
}

TEST_F(MachineKey, ChangesWithEachOfThem) {
  const auto changes = [&](const std::function<void()>& change) {
    const auto before = Read().key;
    change();
    return Read().key != before;
  };
  const fs::path gpu = root_ / "sys/bus/pci/devices/0000:01:00.0";
  EXPECT_FALSE(changes([] {}));
  EXPECT_TRUE(changes([&] { Write("proc/sys/kernel/osrelease", "6.1.0-38-amd64\n"); }));
  EXPECT_TRUE(changes([&] { Write("driver.so", "another length"); }));
  EXPECT_TRUE(changes([&] { fs::remove(gpu / "driver"); }));
  EXPECT_EQ(Lines(Read(), "pci 0000:01"), std::vector<std::string>{"pci 0000:01:00.0 10de:2684 "});
  EXPECT_TRUE(changes([&] { Write("sys/bus/pci/devices/0000:01:00.0/device", "0x2685\n"); }));
  EXPECT_TRUE(changes([&] { fs::remove_all(gpu); }));
  EXPECT_TRUE(changes([&] { fs::remove(root_ / "dev/dri/renderD128"); }));
  EXPECT_EQ(Lines(Read(), "node"), std::vector<std::string>{"node renderD128 closed"});
  EXPECT_TRUE(changes([&] { fs::remove(root_ / "driver.json"); }));
}

// A package keeps the times of its files, and a driver of equal length differs in them.
TEST_F(MachineKey, DriverOfTheSameSize_DiffersByItsTime) {
  const auto before = Lines(Read(), "library");
  const auto old = fs::last_write_time(root_ / "driver.so");
  fs::last_write_time(root_ / "driver.so", old + std::chrono::seconds(1));
  EXPECT_NE(Lines(Read(), "library"), before);
  fs::last_write_time(root_ / "driver.so", old);
  EXPECT_EQ(Lines(Read(), "library"), before);
}

// The folders of bare names are the loader's own, where the C library lies for sure.
TEST_F(MachineKey, BareLibrary_IsFoundWhereItIsLoadedFrom) {
  Write("driver.json", R"({"file_format_version": "1.0.0", "ICD": {"library_path": "libc.so.6"}})");
  const auto lines = Lines(Read(), "library");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("/libc.so.6 "), std::string::npos) << lines[0];
  EXPECT_EQ(lines[0].find("missing"), std::string::npos) << lines[0];
  EXPECT_EQ(Lines(Read(), "index"), std::vector<std::string>{"index " + root_.string() + "/etc/ld.so.cache missing"});
}

TEST_F(MachineKey, SuspendedDisplay_IsAsleepAndTheKeyIsTheSame) {
  const auto before = Read().key;
  EXPECT_TRUE(std::ranges::none_of(FindDisplays(root_.string()), &Machine::Display::asleep));
  Write("sys/bus/pci/devices/0000:01:00.0/power/runtime_status", "suspended\n");
  const auto displays = FindDisplays(root_.string());
  ASSERT_EQ(displays.size(), 2U);
  EXPECT_FALSE(displays[0].asleep);
  EXPECT_TRUE(displays[1].asleep);
  EXPECT_EQ(Read().key, before);
}

TEST_F(MachineKey, SoundDeviceThatSleeps_IsNoDisplay) {
  Write("sys/bus/pci/devices/0000:00:1f.3/power/runtime_status", "suspended\n");
  EXPECT_TRUE(std::ranges::none_of(FindDisplays(root_.string()), &Machine::Display::asleep));
  EXPECT_TRUE(FindDisplays((root_ / "none").string()).empty());
}

}  // namespace
}  // namespace tandem::system
