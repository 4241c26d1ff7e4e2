// Layouts of structures that drivers share with the NT kernel, as the kit for x64 has them.
#include <ntddk.h>

#include <cstddef>

#include <gtest/gtest.h>

namespace {

TEST(NtLayout, DispatcherObjects) {
  EXPECT_EQ(sizeof(LIST_ENTRY), 16u);
  EXPECT_EQ(sizeof(DISPATCHER_HEADER), 24u);
  EXPECT_EQ(offsetof(DISPATCHER_HEADER, SignalState), 4u);
  EXPECT_EQ(sizeof(KEVENT), 24u);
  EXPECT_EQ(sizeof(KSEMAPHORE), 32u);
  EXPECT_EQ(sizeof(KMUTANT), 56u);
  EXPECT_EQ(sizeof(FAST_MUTEX), 56u);
  EXPECT_EQ(sizeof(KDPC), 64u);
  EXPECT_EQ(sizeof(KTIMER), 64u);
}

TEST(NtLayout, Resources) {
  EXPECT_EQ(sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR), 20u);
  EXPECT_EQ(offsetof(CM_PARTIAL_RESOURCE_DESCRIPTOR, u), 4u);
  EXPECT_EQ(offsetof(CM_RESOURCE_LIST, List), 4u);
  EXPECT_EQ(offsetof(CM_FULL_RESOURCE_DESCRIPTOR, PartialResourceList), 8u);
  EXPECT_EQ(offsetof(CM_PARTIAL_RESOURCE_LIST, PartialDescriptors), 8u);
}

TEST(NtLayout, PciConfigurationSpace) {
  EXPECT_EQ(sizeof(PCI_COMMON_HEADER), 64u);
  EXPECT_EQ(sizeof(PCI_COMMON_CONFIG), 256u);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type0.CapabilitiesPtr), 0x34u);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type1.CapabilitiesPtr), 0x34u);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type2.CapabilitiesPtr), 0x14u);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type0.InterruptLine), 0x3Cu);
}

TEST(NtLayout, RegistryAndAcpi) {
  EXPECT_EQ(offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data), 12u);
  EXPECT_EQ(offsetof(KEY_VALUE_FULL_INFORMATION, Name), 20u);
  EXPECT_EQ(offsetof(KEY_VALUE_BASIC_INFORMATION, Name), 12u);
  EXPECT_EQ(sizeof(ACPI_METHOD_ARGUMENT), 8u);
  EXPECT_EQ(offsetof(ACPI_EVAL_OUTPUT_BUFFER, Argument), 12u);
  EXPECT_EQ(offsetof(ACPI_EVAL_INPUT_BUFFER_COMPLEX, Argument), 16u);
}

}  // namespace
