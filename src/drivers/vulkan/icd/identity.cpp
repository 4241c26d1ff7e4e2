#include "drivers/vulkan/icd/identity.h"

#include <algorithm>
#include <cstring>

namespace tandem::vulkan {
namespace {

// FNV-1a over the bytes of values.
class Fnv1a {
 public:
  explicit Fnv1a(std::uint64_t basis) : hash_(basis) {}
  void Add(const void* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) hash_ = (hash_ ^ static_cast<const std::uint8_t*>(bytes)[i]) * 0x100000001B3U;
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_;
};

std::uint64_t HashOf(const VkPhysicalDeviceProperties& properties, std::uint32_t place, std::uint64_t basis) {
  Fnv1a hash(basis);
  for (const std::uint32_t number : {properties.vendorID, properties.deviceID, properties.driverVersion, place}) {
    hash.Add(&number, sizeof number);
  }
  hash.Add(properties.pipelineCacheUUID, VK_UUID_SIZE);
  hash.Add(properties.deviceName, strnlen(properties.deviceName, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE));
  return hash.value();
}

// A UUID of version 8 (RFC 9562): its bits are the maker's own.
std::array<std::uint8_t, VK_UUID_SIZE> DerivedUuid(const VkPhysicalDeviceProperties& properties, std::uint32_t place) {
  const std::uint64_t halves[] = {HashOf(properties, place, 0xCBF29CE484222325U), HashOf(properties, place, 0x84222325CBF29CE4U)};
  std::array<std::uint8_t, VK_UUID_SIZE> uuid{};
  std::memcpy(uuid.data(), halves, sizeof halves);
  uuid[6] = static_cast<std::uint8_t>(0x80 | (uuid[6] & 0x0F));
  uuid[8] = static_cast<std::uint8_t>(0x80 | (uuid[8] & 0x3F));
  return uuid;
}

}  // namespace

std::vector<DeviceIdentity> IdentitiesOf(const Dispatch& vk, std::span<const VkPhysicalDevice> devices) {
  std::vector<DeviceIdentity> identities;
  for (const VkPhysicalDevice device : devices) {
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    const VkPhysicalDeviceProperties properties = vk.ReadProperties(device, &id);
    DeviceIdentity identity;
    std::copy_n(id.deviceUUID, VK_UUID_SIZE, identity.device_uuid.begin());
    std::copy_n(id.driverUUID, VK_UUID_SIZE, identity.driver_uuid.begin());
    identity.derived = properties.apiVersion < VK_API_VERSION_1_1 && identity.device_uuid == decltype(identity.device_uuid){};
    const auto taken = [&](const DeviceIdentity& other) { return other.device_uuid == identity.device_uuid; };
    for (std::uint32_t place = 0; identity.derived; ++place) {
      identity.device_uuid = DerivedUuid(properties, place);
      if (std::none_of(identities.begin(), identities.end(), taken)) break;
    }
    identities.push_back(identity);
  }
  return identities;
}

}  // namespace tandem::vulkan
