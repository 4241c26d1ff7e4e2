#include "layer/sleeping_driver.h"

#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

namespace tandem::layer {
namespace {

using system::Question;

// The driver below: one device, whose name a test may change, and a count of its instances.
struct Below {
  std::atomic<int> instances{0};
  std::atomic<int> destroyed{0};
  std::atomic<bool> refuses{false};
  std::string name = "A GPU";
  std::string application;
  std::vector<std::string> extensions;
  VkPhysicalDevice device_of_group = VK_NULL_HANDLE;
};
Below below;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): the driver's functions have no argument for it
std::array<std::uintptr_t, 4> objects;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

VkInstance RealInstance() { return reinterpret_cast<VkInstance>(&objects[0]); }
VkPhysicalDevice RealPhysicalDevice() { return reinterpret_cast<VkPhysicalDevice>(&objects[1]); }
VkDevice RealDevice() { return reinterpret_cast<VkDevice>(&objects[2]); }

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* /*allocator*/,
                                              VkInstance* instance) {
  if (below.refuses) return VK_ERROR_INCOMPATIBLE_DRIVER;
  ++below.instances;
  below.application = info->pApplicationInfo == nullptr ? "" : info->pApplicationInfo->pApplicationName;
  below.extensions.assign(info->ppEnabledExtensionNames, info->ppEnabledExtensionNames + info->enabledExtensionCount);
  *instance = RealInstance();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* /*allocator*/) {
  EXPECT_EQ(instance, RealInstance());
  ++below.destroyed;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, uint32_t* count, VkPhysicalDevice* devices) {
  EXPECT_EQ(instance, RealInstance());
  if (devices != nullptr) *devices = RealPhysicalDevice();
  *count = 1;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  EXPECT_EQ(device, RealPhysicalDevice());
  *properties = {};
  std::strcpy(properties->deviceName, below.name.c_str());
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice device, VkFormat /*format*/,
                                                                      VkImageType /*type*/, VkImageTiling /*tiling*/,
                                                                      VkImageUsageFlags /*usage*/, VkImageCreateFlags /*flags*/,
                                                                      VkImageFormatProperties* properties) {
  EXPECT_EQ(device, RealPhysicalDevice());
  properties->maxMipLevels = 9;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* /*allocator*/, VkDevice* created) {
  EXPECT_EQ(device, RealPhysicalDevice());
  if (info->pNext != nullptr) {
    below.device_of_group = static_cast<const VkDeviceGroupDeviceCreateInfo*>(info->pNext)->pPhysicalDevices[0];
  }
  *created = RealDevice();
  return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* /*name*/) {
  EXPECT_EQ(device, RealDevice());
  return reinterpret_cast<PFN_vkVoidFunction>(&CreateDevice);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetProcAddr(VkInstance instance, const char* name) {
  EXPECT_TRUE(instance == VK_NULL_HANDLE || instance == RealInstance());
#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED(CreateInstance);
  TANDEM_NAMED(DestroyInstance);
  TANDEM_NAMED(EnumeratePhysicalDevices);
  TANDEM_NAMED(GetPhysicalDeviceProperties);
  TANDEM_NAMED(GetPhysicalDeviceImageFormatProperties);
  TANDEM_NAMED(CreateDevice);
  TANDEM_NAMED(GetDeviceProcAddr);
  if (std::strcmp(name, "vkCmdOfTheFuture") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&GetDeviceProcAddr);
#undef TANDEM_NAMED
  return nullptr;
}

system::DriverRecord Record() {
  system::DriverRecord record;
  constexpr char kCommands[] =
      "vkDestroyInstance\0vkEnumeratePhysicalDevices\0vkGetPhysicalDeviceProperties\0vkCreateDevice\0"
      "vkGetPhysicalDeviceImageFormatProperties";
  const auto commands = std::as_bytes(std::span(kCommands));
  record.driver.Keep({Question::kInstanceCommands, 0, 0}, {{commands.begin(), commands.end()}, {}});
  VkPhysicalDeviceProperties properties{};
  std::strcpy(properties.deviceName, "A GPU");
  const auto bytes = std::as_bytes(std::span(&properties, 1));
  record.devices.emplace_back().Keep(
      {Question::kProperties, 0, static_cast<std::uint32_t>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2)},
      {{bytes.begin(), bytes.end()}, {}});
  return record;
}

class SleepingDriverBelow : public testing::Test {
 protected:
  void SetUp() override {
    below.instances = 0;
    below.destroyed = 0;
    below.refuses = false;
    below.name = "A GPU";
    auto driver = std::make_unique<SleepingDriver>();
    driver->name = "A GPU";
    driver->record = Record();
    driver->open = [] { return system::RenderDriver{&GetProcAddr, nullptr}; };
    driver->woken = [this](const char* command, bool holds) {
      woken_by_ += command;
      holds_ = holds;
    };
    driver->failed = [this](const Error& error) { failure_ = error.message; };
    driver_ = driver.get();
    get_ = MakeSleepingDriver(std::move(driver)).get_instance_proc_addr;
  }
  void TearDown() override {
    Command<PFN_vkDestroyInstance>("vkDestroyInstance")(instance_, nullptr);
    EXPECT_EQ(below.destroyed, below.instances);
    delete driver_;  // the process's last reference: no test calls it afterwards
  }

  void Create(const void* chain = nullptr) {
    std::string application = "program";
    std::string extension = "VK_EXT_debug_utils";
    const char* const names[] = {extension.c_str()};
    VkApplicationInfo named{};
    named.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    named.pApplicationName = application.c_str();
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pNext = chain;
    info.pApplicationInfo = &named;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = names;
    ASSERT_EQ(Command<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance_), VK_SUCCESS);
    // The program's memory is gone when the driver is opened.
    application.assign(application.size(), '?');
    extension.assign(extension.size(), '?');
    std::uint32_t count = 1;
    ASSERT_EQ(Command<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(instance_, &count, &device_), VK_SUCCESS);
  }
  template <class Function>
  [[nodiscard]] Function Command(const char* name) const {
    return reinterpret_cast<Function>(get_(instance_, name));
  }
  [[nodiscard]] VkResult MakeDevice(const void* chain = nullptr) const {
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = chain;
    VkDevice device = VK_NULL_HANDLE;
    return Command<PFN_vkCreateDevice>("vkCreateDevice")(device_, &info, nullptr, &device);
  }
  [[nodiscard]] std::string NameOfDevice() const {
    VkPhysicalDeviceProperties properties{};
    Command<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(device_, &properties);
    return properties.deviceName;
  }

  const SleepingDriver* driver_ = nullptr;
  PFN_vkGetInstanceProcAddr get_ = nullptr;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice device_ = VK_NULL_HANDLE;
  std::string woken_by_;
  std::string failure_;
  bool holds_ = true;
};

TEST_F(SleepingDriverBelow, KnownQuestion_OpensNothing) {
  Create();
  EXPECT_EQ(NameOfDevice(), "A GPU");
  EXPECT_EQ(below.instances, 0);
  EXPECT_EQ(get_(instance_, "vkGetPhysicalDeviceOfTheFuture"), nullptr);
  EXPECT_EQ(get_(instance_, "vkCmdOfTheFuture"), nullptr);
  EXPECT_NE(get_(instance_, "vkGetDeviceProcAddr"), nullptr);
  EXPECT_EQ(below.instances, 0);
}

TEST_F(SleepingDriverBelow, CreateDevice_OpensWithTheProgramsOwnInfo) {
  Create();
  EXPECT_EQ(MakeDevice(), VK_SUCCESS);
  EXPECT_EQ(below.instances, 1);
  EXPECT_EQ(below.application, "program");
  EXPECT_EQ(below.extensions, std::vector<std::string>{"VK_EXT_debug_utils"});
  EXPECT_EQ(woken_by_, "vkCreateDevice");
  EXPECT_TRUE(holds_);
  const auto get_device = Command<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
  EXPECT_NE(get_device(RealDevice(), "vkQueueSubmit"), nullptr);
  EXPECT_NE(get_(instance_, "vkCmdOfTheFuture"), nullptr);
  EXPECT_EQ(get_(instance_, "vkGetPhysicalDeviceOfTheFuture"), nullptr);
}

TEST_F(SleepingDriverBelow, DeviceGroup_GetsTheDriversHandles) {
  Create();
  VkDeviceGroupDeviceCreateInfo group{};
  group.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO;
  group.physicalDeviceCount = 1;
  group.pPhysicalDevices = &device_;
  EXPECT_EQ(MakeDevice(&group), VK_SUCCESS);
  EXPECT_EQ(below.device_of_group, RealPhysicalDevice());
  EXPECT_EQ(group.pPhysicalDevices, &device_);
}

TEST_F(SleepingDriverBelow, UnknownQuestion_IsTheDriversToAnswer) {
  Create();
  VkImageFormatProperties properties{};
  const auto ask = Command<PFN_vkGetPhysicalDeviceImageFormatProperties>("vkGetPhysicalDeviceImageFormatProperties");
  EXPECT_EQ(ask(device_, VK_FORMAT_B8G8R8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, 0, 0, &properties), VK_SUCCESS);
  EXPECT_EQ(properties.maxMipLevels, 9U);
  EXPECT_EQ(woken_by_, "vkGetPhysicalDeviceImageFormatProperties");
}

TEST_F(SleepingDriverBelow, StructureThatCannotBeCopied_OpensAtOnce) {
  VkValidationFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  Create(&features);
  EXPECT_EQ(below.instances, 1);
  EXPECT_EQ(woken_by_, "vkCreateInstance");
}

TEST_F(SleepingDriverBelow, DriverThatRefuses_FailsAndIsAskedAgain) {
  Create();
  below.refuses = true;
  EXPECT_EQ(MakeDevice(), VK_ERROR_INITIALIZATION_FAILED);
  EXPECT_EQ(failure_, "The driver of A GPU answers vkCreateInstance with -9.");
  EXPECT_EQ(NameOfDevice(), "A GPU");
  below.refuses = false;
  EXPECT_EQ(MakeDevice(), VK_SUCCESS);
}

TEST_F(SleepingDriverBelow, DriverThatChanged_AnswersByItself) {
  Create();
  below.name = "A GPU with another driver";
  EXPECT_EQ(MakeDevice(), VK_SUCCESS);
  EXPECT_FALSE(holds_);
  EXPECT_EQ(NameOfDevice(), "A GPU with another driver");
}

TEST_F(SleepingDriverBelow, ThreadsAtOnce_OpenOneInstance) {
  Create();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(NameOfDevice(), "A GPU");
        if (i % 2 == 0) {
          EXPECT_EQ(MakeDevice(), VK_SUCCESS);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(below.instances, 1);
}

}  // namespace
}  // namespace tandem::layer
