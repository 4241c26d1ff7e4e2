// Keys and values by their numbers, as a driver set them and as they are configured.
#include <ntddk.h>

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

constexpr ULONG kConfigured = 7;

class RegistryEnumeration : public testing::Test {
 protected:
  RegistryEnumeration() {
    DEVICE_OBJECT device{};
    device.Name = "screen";
    EXPECT_EQ(IoOpenDeviceRegistryKey(&device, PLUGPLAY_REGKEY_DRIVER, KEY_READ, &key_), STATUS_SUCCESS);
  }
  ~RegistryEnumeration() override {
    ZwClose(key_);
    kernel_.Detach();
    EXPECT_TRUE(kernel_.Reports().empty()) << kernel_.Reports().front();
  }
  static std::vector<TANDEM_REGISTRY_VALUE> Configured() {
    return {{"driver", "Count", REG_DWORD, sizeof(ULONG), &kConfigured},
            {"driver", "Usual", REG_DWORD, sizeof(ULONG), &kConfigured},
            {"driver\\Modes\\Large", "Width", REG_DWORD, sizeof(ULONG), &kConfigured}};
  }
  void Set(const WCHAR* name, ULONG number) {
    UNICODE_STRING text;
    RtlInitUnicodeString(&text, name);
    EXPECT_EQ(ZwSetValueKey(key_, &text, 0, REG_DWORD, &number, sizeof(number)), STATUS_SUCCESS);
  }
  HANDLE Open(HANDLE below, const WCHAR* name, bool create = false) {
    UNICODE_STRING text;
    RtlInitUnicodeString(&text, name);
    OBJECT_ATTRIBUTES attributes;
    InitializeObjectAttributes(&attributes, &text, OBJ_KERNEL_HANDLE, below, nullptr);
    HANDLE opened = nullptr;
    EXPECT_EQ(
        create ? ZwCreateKey(&opened, KEY_READ, &attributes, 0, nullptr, 0, nullptr) : ZwOpenKey(&opened, KEY_READ, &attributes),
        STATUS_SUCCESS);
    return opened;
  }
  std::vector<std::pair<std::u16string, ULONG>> Values() {
    std::vector<std::pair<std::u16string, ULONG>> values;
    for (ULONG i = 0;; ++i) {
      alignas(8) unsigned char buffer[128];
      ULONG needed = 0, number = 0;
      const NTSTATUS status = ZwEnumerateValueKey(key_, i, KeyValueFullInformation, buffer, sizeof(buffer), &needed);
      if (status == STATUS_NO_MORE_ENTRIES) return values;
      EXPECT_EQ(status, STATUS_SUCCESS);
      const auto& value = *reinterpret_cast<const KEY_VALUE_FULL_INFORMATION*>(buffer);
      std::memcpy(&number, buffer + value.DataOffset, sizeof(number));
      values.emplace_back(std::u16string(value.Name, value.NameLength / 2), number);
    }
  }
  static std::vector<std::u16string> Subkeys(HANDLE key) {
    std::vector<std::u16string> names;
    for (ULONG i = 0;; ++i) {
      alignas(8) unsigned char buffer[128];
      ULONG needed = 0;
      const NTSTATUS status = ZwEnumerateKey(key, i, KeyBasicInformation, buffer, sizeof(buffer), &needed);
      if (status == STATUS_NO_MORE_ENTRIES) return names;
      EXPECT_EQ(status, STATUS_SUCCESS);
      const auto& information = *reinterpret_cast<const KEY_BASIC_INFORMATION*>(buffer);
      names.emplace_back(information.Name, information.NameLength / 2);
    }
  }

 private:
  // Before the kernel is made.
  const bool configured_ = (FakeKernel::registry = Configured(), true);

 protected:
  FakeKernel kernel_;
  HANDLE key_ = nullptr;
};

TEST_F(RegistryEnumeration, Values_AreTheDriversAndBelowThemTheConfiguredOnes) {
  using Values_ = std::vector<std::pair<std::u16string, ULONG>>;
  EXPECT_EQ(Values(), (Values_{{u"Count", 7}, {u"Usual", 7}}));
  Set(u"Width", 1024);
  Set(u"COUNT", 3);
  EXPECT_EQ(Values(), (Values_{{u"Width", 1024}, {u"COUNT", 3}, {u"Usual", 7}}));
  Set(u"width", 800);  // keeps its place and its name
  EXPECT_EQ(Values(), (Values_{{u"Width", 800}, {u"COUNT", 3}, {u"Usual", 7}}));
}

TEST_F(RegistryEnumeration, Subkeys_AreSortedAndLieRightBelow) {
  EXPECT_EQ(Subkeys(key_), std::vector<std::u16string>{u"Modes"});
  ZwClose(Open(key_, u"Zoom", true));
  ZwClose(Open(key_, u"cursor\\Shapes", true));
  EXPECT_EQ(Subkeys(key_), (std::vector<std::u16string>{u"cursor", u"Modes", u"Zoom"}));
  const HANDLE modes = Open(key_, u"MODES");
  EXPECT_EQ(Subkeys(modes), std::vector<std::u16string>{u"Large"});
  ZwClose(modes);
}

TEST_F(RegistryEnumeration, QueryKey_CountsWhatAKeyHas) {
  Set(u"Name", 1);
  ZwClose(Open(key_, u"Zoom", true));
  alignas(8) unsigned char buffer[128];
  ULONG needed = 0;
  ASSERT_EQ(ZwQueryKey(key_, KeyFullInformation, buffer, sizeof(buffer), &needed), STATUS_SUCCESS);
  const auto& full = *reinterpret_cast<const KEY_FULL_INFORMATION*>(buffer);
  EXPECT_EQ(full.SubKeys, 2u);
  EXPECT_EQ(full.MaxNameLen, 10u);
  EXPECT_EQ(full.Values, 3u);
  EXPECT_EQ(full.MaxValueNameLen, 10u);
  EXPECT_EQ(full.MaxValueDataLen, 4u);
  EXPECT_NE(full.LastWriteTime.QuadPart, 0);
  EXPECT_EQ(ZwQueryKey(key_, KeyFullInformation, buffer, 8, &needed), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(needed, offsetof(KEY_FULL_INFORMATION, Class));
}

TEST_F(RegistryEnumeration, QueryKey_NameOpensTheKey) {
  const HANDLE modes = Open(key_, u"Modes");
  alignas(8) unsigned char buffer[256];
  ULONG needed = 0;
  ASSERT_EQ(ZwQueryKey(modes, KeyNameInformation, buffer, sizeof(buffer), &needed), STATUS_SUCCESS);
  const auto& information = *reinterpret_cast<const KEY_NAME_INFORMATION*>(buffer);
  const std::u16string path(information.Name, information.NameLength / 2);
  const HANDLE again = Open(nullptr, path.c_str());
  EXPECT_EQ(Subkeys(again), std::vector<std::u16string>{u"Large"});
  ZwClose(again);
  EXPECT_EQ(ZwQueryKey(modes, KeyNameInformation, buffer, 6, &needed), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(needed, information.NameLength + 4);
  ZwClose(modes);
}

}  // namespace
}  // namespace tandem::drivers::host
