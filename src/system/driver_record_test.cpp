#include "system/driver_record.h"

#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "system/driver_record_bytes.h"

namespace tandem::system {
namespace {

const std::vector<std::string> kKey = {"kernel 6.1.0", "library /lib/gpu.so 5 1.0"};

std::vector<std::byte> BytesOf(const void* content, std::size_t size) {
  const auto* const bytes = static_cast<const std::byte*>(content);
  return {bytes, bytes + size};
}

// The content of a structure whose every byte the driver wrote.
template <class T>
KeptAnswer Content(const T& structure) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&structure);
  return {{bytes + kHeaderBytes, bytes + sizeof structure}, {}};
}

AnswerKey Key(Question question, VkStructureType type, std::uint32_t index = 0) {
  return {question, index, static_cast<std::uint32_t>(type)};
}

DriverRecord OneGpu() {
  DriverRecord record;
  const std::uint32_t version = VK_API_VERSION_1_3;
  record.driver.Keep({Question::kInstanceVersion, 0, 0}, {BytesOf(&version, sizeof version), {}});
  record.driver.Keep({Question::kInstanceCommands, 0, 0}, {BytesOf("vkA\0vkBC", 9), {}});
  KeptAnswers device;
  VkPhysicalDeviceProperties2 properties{};
  std::strcpy(properties.properties.deviceName, "A GPU");
  properties.properties.limits.maxImageDimension2D = 16384;
  device.Keep(Key(Question::kProperties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2), Content(properties));
  device.Keep(Key(Question::kFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2), Content(VkPhysicalDeviceFeatures2{}));
  VkPhysicalDeviceMemoryProperties2 memory{};
  memory.memoryProperties.memoryTypeCount = 2;
  device.Keep(Key(Question::kMemory, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2), Content(memory));
  VkQueueFamilyProperties2 family{};
  family.queueFamilyProperties.queueCount = 3;
  device.Keep(Key(Question::kQueueFamily, VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2), Content(family));
  VkExtensionProperties extension{"VK_KHR_swapchain", 70};
  device.Keep({Question::kExtensions, 0, 0}, {BytesOf(&extension, sizeof extension), {}});
  VkPhysicalDeviceDriverProperties driver{};
  std::strcpy(driver.driverName, "a driver");
  device.Keep(Key(Question::kProperties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES), Content(driver));
  record.devices.push_back(device);
  return record;
}

Result<DriverRecord> Reread(const DriverRecord& record) { return ParseDriverRecord(DriverRecordBytes(record, kKey), kKey); }

TEST(DriverRecord, WholeRecord_ComesBack) {
  const auto read = Reread(OneGpu());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(*read == OneGpu());
  EXPECT_EQ(read->InstanceVersion(), VK_API_VERSION_1_3);
  EXPECT_TRUE(read->HasCommand("vkBC"));
  EXPECT_FALSE(read->HasCommand("vkB"));
  EXPECT_EQ(read->devices[0].QueueFamilies(), 1U);
  EXPECT_STREQ(read->devices[0].Extensions(Question::kExtensions)[0].extensionName, "VK_KHR_swapchain");
}

TEST(DriverRecord, OtherDriverOrKernel_IsNamed) {
  const std::string bytes = DriverRecordBytes(OneGpu(), kKey);
  const std::vector<std::string> newer = {"kernel 6.1.1", kKey[1]};
  const auto kernel = ParseDriverRecord(bytes, newer);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(kernel.error().message, "The record was made with 'kernel 6.1.0'.");
  const std::vector<std::string> more = {kKey[0], kKey[1], "node renderD128 permitted"};
  EXPECT_EQ(ParseDriverRecord(bytes, more).error().kind, ErrorKind::kNotFound);
}

// A driver that leaves bits alone does so in the record, too.
TEST(DriverRecord, BitsThatTheDriverLeaves_StayTheProgrammers) {
  KeptAnswers answers;
  answers.Keep({Question::kFormat, 7, 1}, {{std::byte{0x00}, std::byte{0x12}}, {std::byte{0xFF}, std::byte{0x1F}}});
  std::byte content[] = {std::byte{0xA5}, std::byte{0xFF}};
  ASSERT_TRUE(answers.Write({Question::kFormat, 7, 1}, content));
  EXPECT_EQ(content[0], std::byte{0xA5});
  EXPECT_EQ(content[1], std::byte{0x1F});
  std::byte longer[3] = {};
  EXPECT_FALSE(answers.Write({Question::kFormat, 7, 1}, longer));
  EXPECT_FALSE(answers.Write({Question::kFormat, 8, 1}, content));
}

TEST(DriverRecord, ChainWithAStrangeStructure_IsNotTouched) {
  const DriverRecord record = OneGpu();
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &driver;
  VkPhysicalDeviceIDProperties strange{};
  strange.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  driver.pNext = &strange;
  EXPECT_FALSE(record.devices[0].WriteChain(Question::kProperties, 0, &properties));
  EXPECT_EQ(driver.driverName[0], '\0');
  driver.pNext = nullptr;
  EXPECT_TRUE(record.devices[0].WriteChain(Question::kProperties, 0, &properties));
  EXPECT_STREQ(driver.driverName, "a driver");
  EXPECT_EQ(properties.pNext, &driver);
  EXPECT_EQ(properties.properties.limits.maxImageDimension2D, 16384U);
}

// A program that follows counts and names would leave its arrays.
TEST(DriverRecord, AnswersThatNoDriverGives_AreRefused) {
  const std::pair<const char*, std::function<void(DriverRecord&)>> cases[] = {
      {"a name without an end",
       [](DriverRecord& record) {
         VkPhysicalDeviceProperties2 properties{};
         std::memset(properties.properties.deviceName, 'x', sizeof properties.properties.deviceName);
         record.devices[0].Keep(Key(Question::kProperties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2), Content(properties));
       }},
      {"a driver's name without an end",
       [](DriverRecord& record) {
         VkPhysicalDeviceDriverProperties driver{};
         std::memset(driver.driverInfo, 'x', sizeof driver.driverInfo);
         record.devices[0].Keep(Key(Question::kProperties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES), Content(driver));
       }},
      {"an extension's name without an end",
       [](DriverRecord& record) {
         VkExtensionProperties extension{};
         std::memset(extension.extensionName, 'x', sizeof extension.extensionName);
         record.devices[0].Keep({Question::kExtensions, 0, 0}, {BytesOf(&extension, sizeof extension), {}});
       }},
      {"half an extension",
       [](DriverRecord& record) {
         record.devices[0].Keep({Question::kExtensions, 0, 0}, {std::vector<std::byte>(100), {}});
       }},
      {"more memory types than Vulkan has",
       [](DriverRecord& record) {
         VkPhysicalDeviceMemoryProperties2 memory{};
         memory.memoryProperties.memoryTypeCount = VK_MAX_MEMORY_TYPES + 1;
         record.devices[0].Keep(Key(Question::kMemory, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2), Content(memory));
       }},
      {"more heaps than Vulkan has",
       [](DriverRecord& record) {
         VkPhysicalDeviceMemoryProperties2 memory{};
         memory.memoryProperties.memoryHeapCount = VK_MAX_MEMORY_HEAPS + 1;
         record.devices[0].Keep(Key(Question::kMemory, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2), Content(memory));
       }},
      {"more families than a record holds",
       [](DriverRecord& record) {
         for (std::uint32_t i = 0; i <= kMaxRecordedFamilies; ++i) {
           record.devices[0].Keep(Key(Question::kQueueFamily, VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, i),
                                  Content(VkQueueFamilyProperties2{}));
         }
       }},
      {"a structure of another size",
       [](DriverRecord& record) {
         record.devices[0].Keep(Key(Question::kFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2),
                                {std::vector<std::byte>(8), {}});
       }},
      {"a structure of no question's",
       [](DriverRecord& record) {
         record.devices[0].Keep(Key(Question::kFeatures, VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO), {std::vector<std::byte>(8), {}});
       }},
      {"two sizes of one answer",
       [](DriverRecord& record) {
         auto answer = Content(VkPhysicalDeviceFeatures2{});
         answer.over_ones = std::vector<std::byte>(4);
         record.devices[0].Keep(Key(Question::kFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2), answer);
       }},
      {"no device", [](DriverRecord& record) { record.devices.clear(); }},
      {"a device that answers nothing", [](DriverRecord& record) { record.devices.emplace_back(); }},
      {"more devices than a record holds",
       [](DriverRecord& record) { record.devices.resize(kMaxRecordedDevices + 1, record.devices[0]); }},
      {"no version", [](DriverRecord& record) { record.driver = {}; }},
  };
  ASSERT_TRUE(Reread(OneGpu()).ok());
  for (const auto& [name, change] : cases) {
    DriverRecord record = OneGpu();
    change(record);
    const auto read = Reread(record);
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_EQ(read.error().kind, ErrorKind::kInvalidArgument) << name;
  }
}

TEST(DriverRecord, DamagedBytes_AreRefused) {
  const std::string whole = DriverRecordBytes(OneGpu(), kKey);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_FALSE(ParseDriverRecord(whole.substr(0, i), kKey).ok()) << i;
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(ParseDriverRecord(damaged, kKey).ok()) << i;
  }
  EXPECT_FALSE(ParseDriverRecord(whole + '\0', kKey).ok());
  EXPECT_FALSE(ParseDriverRecord(std::string(kMaxDriverRecordBytes + 1, '\0'), kKey).ok());
}

}  // namespace
}  // namespace tandem::system
