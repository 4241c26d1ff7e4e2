#include <ntddk.h>

#include <gtest/gtest.h>

namespace {

ULONGLONG Encoded(UCHAR type, ULONGLONG length, USHORT* flags) {
  CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor{};
  if (RtlCmEncodeMemIoResource(&descriptor, type, length, 0x12345000) != STATUS_SUCCESS) return 0;
  *flags = descriptor.Flags;
  ULONGLONG start = 0;
  const ULONGLONG decoded = RtlCmDecodeMemIoResource(&descriptor, &start);
  EXPECT_EQ(start, 0x12345000u);
  return decoded;
}

TEST(MemoryResource, Length_IsDecodedAsItWasEncoded) {
  USHORT flags = 0;
  EXPECT_EQ(Encoded(CmResourceTypeMemory, 0x1000, &flags), 0x1000u);
  EXPECT_EQ(flags, 0);
  EXPECT_EQ(Encoded(CmResourceTypeMemoryLarge, 0x180000000ull, &flags), 0x180000000ull);
  EXPECT_EQ(flags, CM_RESOURCE_MEMORY_LARGE_40);
  EXPECT_EQ(Encoded(CmResourceTypeMemoryLarge, 0x123456780000ull, &flags), 0x123456780000ull);
  EXPECT_EQ(flags, CM_RESOURCE_MEMORY_LARGE_48);
  EXPECT_EQ(Encoded(CmResourceTypeMemoryLarge, 0x8000000000000000ull, &flags), 0x8000000000000000ull);
  EXPECT_EQ(flags, CM_RESOURCE_MEMORY_LARGE_64);
}

TEST(MemoryResource, LengthWithoutEncoding_IsRefused) {
  CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor{};
  EXPECT_EQ(RtlCmEncodeMemIoResource(&descriptor, CmResourceTypeMemory, 0x100000000ull, 0), STATUS_UNSUCCESSFUL);
  EXPECT_EQ(RtlCmEncodeMemIoResource(&descriptor, CmResourceTypeMemoryLarge, 0x8000000000000001ull, 0), STATUS_UNSUCCESSFUL);
  EXPECT_EQ(RtlCmEncodeMemIoResource(&descriptor, CmResourceTypeInterrupt, 1, 0), STATUS_INVALID_PARAMETER);
  descriptor.Type = CmResourceTypeInterrupt;
  EXPECT_EQ(RtlCmDecodeMemIoResource(&descriptor, nullptr), 0u);
}

}  // namespace
