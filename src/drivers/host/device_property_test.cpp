// Properties of a device, by their numbers and by their keys.
#include <devpkey.h>
#include <ntddk.h>

#include <string>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

TEST(DeviceProperty, Key_AnswersAsTheNumberDoesAndNamesTheType) {
  FakeKernel kernel;
  DEVICE_OBJECT device{};
  WCHAR by_number[64] = u"", by_key[64] = u"";
  ULONG bytes = 0, needed = 0;
  DEVPROPTYPE type = 0;
  ASSERT_EQ(IoGetDeviceProperty(&device, DevicePropertyHardwareID, sizeof(by_number), by_number, &bytes), STATUS_SUCCESS);
  EXPECT_EQ(
      IoGetDevicePropertyData(&device, &DEVPKEY_Device_HardwareIds, LOCALE_NEUTRAL, 0, sizeof(by_key), by_key, &needed, &type),
      STATUS_SUCCESS);
  EXPECT_EQ(needed, bytes);
  EXPECT_EQ(std::u16string(by_key, needed / 2), std::u16string(by_number, bytes / 2));
  EXPECT_EQ(type, DEVPROPTYPE{DEVPROP_TYPE_STRING_LIST});
  EXPECT_EQ(IoGetDevicePropertyData(&device, &DEVPKEY_Device_Class, LOCALE_NEUTRAL, 0, 4, by_key, &needed, &type),
            STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(needed, 16u);
  EXPECT_EQ(type, DEVPROPTYPE{DEVPROP_TYPE_STRING});
}

TEST(DeviceProperty, UnknownKey_IsNotFound) {
  FakeKernel kernel;
  DEVICE_OBJECT device{};
  ULONG needed = 5;
  DEVPROPTYPE type = 5;
  EXPECT_EQ(IoGetDevicePropertyData(&device, &DEVPKEY_Device_Address, LOCALE_NEUTRAL, 0, 0, nullptr, &needed, &type),
            STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(needed, 0u);
}

}  // namespace
}  // namespace tandem::drivers::host
