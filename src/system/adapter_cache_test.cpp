#include "system/adapter_cache.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "system/adapter_cache_text.h"
#include "system/cache_fields.h"

namespace tandem::system {
namespace {

namespace fs = std::filesystem;

Machine Laptop() {
  Machine machine;
  machine.key = {"kernel 6.1.0", "library /lib/gpu.so 5 1.0", "pci 0000:01:00.0 10de:2684 nvidia"};
  machine.drivers = {{"/etc/gpu.json", "/lib/gpu.so"}};
  machine.displays = {{"0000:01:00.0", 0x10de, 0x2684, true}};
  return machine;
}

std::vector<config::AdapterInfo> TwoAdapters() {
  config::AdapterInfo gpu;
  gpu.name = "A GPU";
  gpu.kind = "discrete";
  gpu.driver = "vulkan";
  gpu.driver_detail = "Driver 1.2.3";
  gpu.pci_address = "0000:01:00.0";
  gpu.vendor_id = 0x10de;
  gpu.device_id = 0x2684;
  gpu.device_uuid[3] = 0xab;
  gpu.driver_uuid[15] = 7;
  gpu.uuid_derived = true;
  gpu.tier = 2;
  gpu.tier_reason = "It imports.";
  gpu.memory_bytes = 24ULL << 30;
  gpu.outputs = {"wsi-xcb"};
  gpu.icd_library = "/lib/gpu.so";
  gpu.icd_manifest = "/etc/gpu.json";
  gpu.can_render = true;
  config::AdapterInfo soft;
  soft.index = 1;
  soft.name = "soft";
  soft.kind = "cpu";
  soft.driver = "soft";
  soft.tier = 3;
  soft.can_display = true;
  return {gpu, soft};
}

TEST(AdapterCache, EveryField_ComesBack) {
  const auto adapters = TwoAdapters();
  const auto read = ParseAdapterCache(AdapterCacheText(adapters, Laptop()), Laptop());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  const config::AdapterInfo& gpu = read->front();
  EXPECT_EQ(gpu.name, "A GPU");
  EXPECT_EQ(gpu.kind, "discrete");
  EXPECT_EQ(gpu.driver_detail, "Driver 1.2.3");
  EXPECT_EQ(gpu.pci_address, "0000:01:00.0");
  EXPECT_EQ(gpu.device_uuid, adapters[0].device_uuid);
  EXPECT_EQ(gpu.driver_uuid, adapters[0].driver_uuid);
  EXPECT_TRUE(gpu.uuid_derived);
  EXPECT_EQ(gpu.tier, 2U);
  EXPECT_EQ(gpu.tier_reason, "It imports.");
  EXPECT_EQ(gpu.memory_bytes, 24ULL << 30);
  EXPECT_EQ(gpu.outputs, std::vector<std::string>{"wsi-xcb"});
  EXPECT_EQ(gpu.icd_manifest, "/etc/gpu.json");
  EXPECT_TRUE(gpu.can_render);
  EXPECT_FALSE(gpu.can_display);
  EXPECT_EQ(read->back().index, 1U);
}

TEST(AdapterCache, AnotherMachine_IsNamedByItsDifference) {
  const std::string text = AdapterCacheText(TwoAdapters(), Laptop());
  Machine changed = Laptop();
  changed.key[0] = "kernel 6.1.1";
  const auto kernel = ParseAdapterCache(text, changed);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(kernel.error().message, "It was made without 'kernel 6.1.1'.");
  changed = Laptop();
  changed.key.pop_back();
  changed.displays.clear();
  const auto gone = ParseAdapterCache(text, changed);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().message, "It was made with 'pci 0000:01:00.0 10de:2684 nvidia'.");
  changed = Laptop();
  changed.key[1] = "library /lib/gpu.so 6 1.0";
  EXPECT_FALSE(ParseAdapterCache(text, changed).ok());
}

// Each field that is missing or outside its limits costs the whole list, and is named.
TEST(AdapterCache, HostileFields_AreRefusedByName) {
  const auto whole = nlohmann::json::parse(AdapterCacheText(TwoAdapters(), Laptop()));
  for (const auto& [name, value] : whole["adapters"][0].items()) {
    for (const auto& hostile : {nlohmann::json(), nlohmann::json(-1), nlohmann::json(1e300), nlohmann::json("\x1b[31m"),
                                nlohmann::json(std::string(kMaxCachedTextBytes + 1, 'x')), nlohmann::json({{"a", 1}})}) {
      auto changed = whole;
      changed["adapters"][0][name] = hostile;
      const auto read = ParseAdapterCache(changed.dump(), Laptop());
      ASSERT_FALSE(read.ok()) << name << " " << hostile;
      EXPECT_NE(read.error().message.find("Field " + name + " "), std::string::npos) << read.error().message;
    }
    auto changed = whole;
    changed["adapters"][0].erase(name);
    EXPECT_FALSE(ParseAdapterCache(changed.dump(), Laptop()).ok()) << name;
  }
  auto changed = whole;
  changed["adapters"][0]["tier"] = 4;
  EXPECT_FALSE(ParseAdapterCache(changed.dump(), Laptop()).ok());
  changed = whole;
  changed["adapters"][0]["vendor_id"] = 1ULL << 32;
  EXPECT_FALSE(ParseAdapterCache(changed.dump(), Laptop()).ok());
}

// What a process would load is what the machine's own manifests name.
TEST(AdapterCache, ForeignLibraryOrDevice_IsRefused) {
  const auto whole = nlohmann::json::parse(AdapterCacheText(TwoAdapters(), Laptop()));
  for (const auto& [name, value] : {std::pair{"icd_library", "/tmp/other.so"}, std::pair{"icd_manifest", "/tmp/other.json"},
                                    std::pair{"pci_address", "0000:02:00.0"}, std::pair{"driver", "other"}}) {
    auto changed = whole;
    changed["adapters"][0][name] = value;
    EXPECT_FALSE(ParseAdapterCache(changed.dump(), Laptop()).ok()) << name;
  }
}

TEST(AdapterCache, HostileFiles_AreRefused) {
  const std::string whole = AdapterCacheText(TwoAdapters(), Laptop());
  for (std::size_t size = 0; size + 2 < whole.size(); size += 7) {
    EXPECT_FALSE(ParseAdapterCache(whole.substr(0, size), Laptop()).ok()) << size;
  }
  EXPECT_FALSE(ParseAdapterCache(std::string(kMaxAdapterCacheBytes, '['), Laptop()).ok());
  EXPECT_FALSE(ParseAdapterCache(whole + std::string(kMaxAdapterCacheBytes, ' '), Laptop()).ok());
  EXPECT_FALSE(ParseAdapterCache("[]", Laptop()).ok());
  EXPECT_FALSE(ParseAdapterCache(R"({"key": "x", "adapters": []})", Laptop()).ok());
  EXPECT_FALSE(
      ParseAdapterCache(nlohmann::json{{"key", Laptop().key}, {"adapters", nlohmann::json::array()}}.dump(), Laptop()).ok());
}

class AdapterCacheFile : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(root_); }
  void TearDown() override { fs::remove_all(root_); }
  [[nodiscard]] std::string Path() const { return root_ / "cache/tandem/adapters.json"; }

  const fs::path root_ = fs::temp_directory_path() / ("tandem-adapter-cache-" + std::to_string(getpid()));
};

TEST_F(AdapterCacheFile, WrittenList_IsRead) {
  EXPECT_EQ(ReadAdapterCache(Path(), Laptop()).error().kind, ErrorKind::kNotFound);
  ASSERT_TRUE(WriteAdapterCache(Path(), TwoAdapters(), Laptop()).ok());
  const auto read = ReadAdapterCache(Path(), Laptop());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->front().name, "A GPU");
  EXPECT_EQ(fs::status(root_ / "cache/tandem").permissions(), fs::perms::owner_all);
}

TEST_F(AdapterCacheFile, WhatOthersMayWrite_CountsAsNone) {
  ASSERT_TRUE(WriteAdapterCache(Path(), TwoAdapters(), Laptop()).ok());
  for (const fs::path& path : {fs::path(Path()), fs::path(Path()).parent_path()}) {
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(path, others, fs::perm_options::add);
      const auto read = ReadAdapterCache(Path(), Laptop());
      ASSERT_FALSE(read.ok()) << path;
      EXPECT_EQ(read.error().kind, ErrorKind::kUnsupported);
      fs::permissions(path, others, fs::perm_options::remove);
    }
  }
  EXPECT_TRUE(ReadAdapterCache(Path(), Laptop()).ok());
  fs::permissions(fs::path(Path()).parent_path(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(WriteAdapterCache(Path(), TwoAdapters(), Laptop()).ok());
}

TEST_F(AdapterCacheFile, FileOfAnotherUser_CountsAsNone) {
  if (geteuid() != 0) GTEST_SKIP() << "Only root gives a file to another user.";
  ASSERT_TRUE(WriteAdapterCache(Path(), TwoAdapters(), Laptop()).ok());
  ASSERT_EQ(chown(Path().c_str(), 12345, 12345), 0);
  EXPECT_EQ(ReadAdapterCache(Path(), Laptop()).error().kind, ErrorKind::kUnsupported);
}

TEST_F(AdapterCacheFile, LinkOrPipe_IsNotRead) {
  ASSERT_TRUE(WriteAdapterCache(Path(), TwoAdapters(), Laptop()).ok());
  fs::rename(Path(), root_ / "moved");
  fs::create_symlink(root_ / "moved", Path());
  EXPECT_FALSE(ReadAdapterCache(Path(), Laptop()).ok());
  fs::remove(Path());
  ASSERT_EQ(mkfifo(Path().c_str(), 0600), 0);
  EXPECT_FALSE(ReadAdapterCache(Path(), Laptop()).ok());
}

}  // namespace
}  // namespace tandem::system
