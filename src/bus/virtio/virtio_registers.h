// Places and values of the registers of a virtio device on PCI (virtio 1.2, 4.1), as this tree's models lay them out in their
// BAR.
#pragma once

#include <cstdint>

namespace tandem::bus::virtio {

inline constexpr std::uint16_t kVendor = 0x1AF4;
inline constexpr std::uint16_t kFirstDevice = 0x1040;  // and the device type

// The BAR: each part has a page.
inline constexpr std::uint32_t kRegisterBar = 4, kRegisterBytes = 0x4000;
inline constexpr std::uint32_t kCommon = 0x0000, kInterrupt = 0x1000, kDevice = 0x2000, kNotify = 0x3000;
inline constexpr std::uint32_t kPartBytes = 0x1000, kCommonBytes = 56, kNotifyStride = 4;

// cfg_type of the vendor-specific capabilities.
inline constexpr std::uint8_t kCommonCapability = 1, kNotifyCapability = 2, kInterruptCapability = 3, kDeviceCapability = 4;

// Offsets in the common part.
inline constexpr std::uint32_t kDeviceFeatureSelect = 0, kDeviceFeature = 4, kDriverFeatureSelect = 8, kDriverFeature = 12,
                               kConfigVector = 16, kQueueCount = 18, kStatus = 20, kGeneration = 21, kQueueSelect = 22,
                               kQueueSize = 24, kQueueVector = 26, kQueueEnable = 28, kQueueNotifyOffset = 30,
                               kQueueDescriptors = 32, kQueueAvailable = 40, kQueueUsed = 48;

// Bits of the status.
inline constexpr std::uint8_t kAcknowledge = 1, kDriver = 2, kDriverOk = 4, kFeaturesOk = 8, kNeedsReset = 64, kFailed = 128;

// Bits of the interrupt status.
inline constexpr std::uint8_t kQueueInterrupt = 1, kConfigInterrupt = 2;

inline constexpr std::uint64_t kVersion1 = std::uint64_t{1} << 32;  // VIRTIO_F_VERSION_1

}  // namespace tandem::bus::virtio
