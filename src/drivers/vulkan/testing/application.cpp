#include "drivers/vulkan/testing/application.h"

#include <dlfcn.h>
#include <unistd.h>
#include <algorithm>

#include <cstdlib>
#include <cstring>

namespace tandem::vulkan::testing {
namespace {

constexpr char kLavapipeManifest[] = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

VKAPI_ATTR VkBool32 VKAPI_CALL OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  static_cast<Application*>(user)->AddMessage(data->pMessage);
  return VK_FALSE;
}

template <class Pfn>
Pfn Get(PFN_vkGetInstanceProcAddr get, VkInstance instance, const char* name) {
  return reinterpret_cast<Pfn>(get(instance, name));
}

bool HasLayer(PFN_vkGetInstanceProcAddr get, const char* name) {
  const auto enumerate = Get<PFN_vkEnumerateInstanceLayerProperties>(get, nullptr, "vkEnumerateInstanceLayerProperties");
  std::uint32_t count = 0;
  enumerate(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  enumerate(&count, layers.data());
  for (const VkLayerProperties& layer : layers) {
    if (std::strcmp(layer.layerName, name) == 0) return true;
  }
  return false;
}

}  // namespace

std::string ManifestOf(Icd icd, std::string& why_not) {
  if (icd == Icd::kLavapipe) {
    const char* const newer = std::getenv("TANDEM_TEST_MESA_ICD");
    const char* const manifest = newer != nullptr ? newer : kLavapipeManifest;
    if (access(manifest, R_OK) == 0) return manifest;
    why_not = "lavapipe is not installed: mesa-vulkan-drivers.";
    return {};
  }
  const char* path = std::getenv("TANDEM_TEST_SWIFTSHADER_ICD");
  if (path != nullptr && access(path, R_OK) == 0) return path;
  why_not = "SwiftShader is not here: TANDEM_TEST_SWIFTSHADER_ICD names no manifest.";
  return {};
}

std::unique_ptr<Application> Application::Create(Icd icd, std::string& why_not, Validation validation) {
  const std::string manifest = ManifestOf(icd, why_not);
  if (manifest.empty()) return nullptr;
  setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);
  setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  std::unique_ptr<Application> self(new Application());
  if (!self->CreateInstance(validation, why_not) || !self->CreateDevice(icd, why_not)) return nullptr;
  return self;
}

bool Application::CreateInstance(Validation validation, std::string& why_not) {
  void* loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (loader != nullptr)
    get_instance_proc_addr_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));
  if (get_instance_proc_addr_ == nullptr) {
    why_not = "The Vulkan loader is not installed.";
    return false;
  }
  const char* layer = "VK_LAYER_KHRONOS_validation";
  const bool validate = validation == Validation::kIfInstalled && HasLayer(get_instance_proc_addr_, layer);
  std::vector<const char*> extensions{"VK_KHR_surface"};
  if (validate) extensions.push_back("VK_EXT_debug_utils");
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = validate ? 1 : 0;
  info.ppEnabledLayerNames = &layer;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const auto create = Get<PFN_vkCreateInstance>(get_instance_proc_addr_, nullptr, "vkCreateInstance");
  if (create(&info, nullptr, &instance_) != VK_SUCCESS || !vk_.LoadInstance(instance_, get_instance_proc_addr_).ok()) {
    why_not = "No Vulkan instance could be made.";
    return false;
  }
  if (validate) {
    VkDebugUtilsMessengerCreateInfoEXT messenger{};
    messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messenger.pfnUserCallback = &OnMessage;
    messenger.pUserData = this;
    Get<PFN_vkCreateDebugUtilsMessengerEXT>(get_instance_proc_addr_, instance_, "vkCreateDebugUtilsMessengerEXT")(
        instance_, &messenger, nullptr, &messenger_);
  }
  return true;
}

bool Application::CreateDevice(Icd icd, std::string& why_not) {
  std::uint32_t count = 1;
  if (vk_.EnumeratePhysicalDevices(instance_, &count, &physical_) < 0 || count == 0) {
    why_not = icd == Icd::kLavapipe ? "lavapipe has no device." : "SwiftShader has no device.";
    return false;
  }
  std::uint32_t offered_count = 0;
  vk_.EnumerateDeviceExtensionProperties(physical_, nullptr, &offered_count, nullptr);
  std::vector<VkExtensionProperties> offered(offered_count);
  vk_.EnumerateDeviceExtensionProperties(physical_, nullptr, &offered_count, offered.data());
  std::vector<const char*> extensions;
  std::vector<const char*> wanted{"VK_EXT_external_memory_host", "VK_KHR_swapchain"};
  if (!validated()) {
    wanted.insert(wanted.end(), {"VK_KHR_copy_commands2", "VK_KHR_format_feature_flags2", "VK_EXT_host_image_copy"});
  }
  wanted.insert(wanted.end(), kCrossingExtensionNames.begin(), kCrossingExtensionNames.end());
  for (const char* name : wanted) {
    for (const VkExtensionProperties& extension : offered) {
      if (std::strcmp(extension.extensionName, name) == 0) extensions.push_back(name);
    }
  }
  external_memory_host_ = !extensions.empty() && std::strcmp(extensions[0], "VK_EXT_external_memory_host") == 0;
  crossing_ = CrossingOf(extensions);
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  timeline.timelineSemaphore = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &timeline;
  HostImageCopyFeatures host_copies;
  host_image_copy_ = std::any_of(extensions.begin(), extensions.end(),
                                 [](const char* name) { return std::strcmp(name, "VK_EXT_host_image_copy") == 0; });
  if (host_image_copy_) timeline.pNext = &host_copies;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (vk_.CreateDevice(physical_, &info, nullptr, &device_) != VK_SUCCESS || !vk_.LoadDevice(device_, DeviceLookup()).ok()) {
    why_not = "No Vulkan device could be made.";
    return false;
  }
  vk_.GetDeviceQueue(device_, 0, 0, &queue_);
  vk_.GetPhysicalDeviceMemoryProperties(physical_, &memory_);
  locks_->Add(queue_);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  return vk_.CreateCommandPool(device_, &pool, nullptr, &pool_) == VK_SUCCESS;
}

Application::~Application() {
  if (device_ != VK_NULL_HANDLE) {
    WaitIdle();
    for (const Upload& upload : uploads_) {
      vk_.DestroyBuffer(device_, upload.buffer, nullptr);
      vk_.FreeMemory(device_, upload.memory, nullptr);
    }
    const auto destroy_fence = Get<PFN_vkDestroyFence>(get_instance_proc_addr_, instance_, "vkDestroyFence");
    for (VkFence fence : fences_) destroy_fence(device_, fence, nullptr);
    for (VkSemaphore semaphore : semaphores_) vk_.DestroySemaphore(device_, semaphore, nullptr);
    vk_.DestroyCommandPool(device_, pool_, nullptr);
    vk_.DestroyDevice(device_, nullptr);
  }
  if (instance_ == VK_NULL_HANDLE) return;
  if (messenger_ != VK_NULL_HANDLE) {
    Get<PFN_vkDestroyDebugUtilsMessengerEXT>(get_instance_proc_addr_, instance_, "vkDestroyDebugUtilsMessengerEXT")(
        instance_, messenger_, nullptr);
  }
  vk_.DestroyInstance(instance_, nullptr);
}

PFN_vkGetDeviceProcAddr Application::DeviceLookup() const {
  return Get<PFN_vkGetDeviceProcAddr>(get_instance_proc_addr_, instance_, "vkGetDeviceProcAddr");
}

BorrowedDevice Application::Borrow() const {
  BorrowedDevice borrowed;
  borrowed.instance = instance_;
  borrowed.physical_device = physical_;
  borrowed.device = device_;
  borrowed.get_instance_proc_addr = get_instance_proc_addr_;
  borrowed.get_device_proc_addr = DeviceLookup();
  borrowed.copy_queue = queue_;
  borrowed.copy_queue_family = 0;
  borrowed.external_memory_host = external_memory_host_;
  borrowed.host_image_copy = host_image_copy_;
  borrowed.crossing = crossing_;
  borrowed.application_queue_families = {0};
  borrowed.locks = locks_;
  return borrowed;
}

std::vector<std::string> Application::messages() const {
  const std::lock_guard<std::mutex> lock(messages_mutex_);
  return messages_;
}

void Application::AddMessage(const char* text) {
  // Lavapipe 25.0.7 lists a modifier's features in VkDrmFormatModifierPropertiesListEXT and leaves the second list, which the
  // validation layer 1.3.239 reads, as it was.
  if (std::strstr(text, "VkFormatFeatureFlags (0x0)") != nullptr &&
      std::strstr(text, "VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT") != nullptr) {
    return;
  }
  const std::lock_guard<std::mutex> lock(messages_mutex_);
  messages_.emplace_back(text);
}

void Application::Draw(VkImage image, std::uint32_t width, std::uint32_t height, std::uint32_t pixel_bytes,
                       const std::vector<std::byte>& pixels, VkSemaphore wait, VkSemaphore signal) {
  static_cast<void>(pixel_bytes);
  Upload upload;
  VkBufferCreateInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer.size = pixels.size();
  buffer.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  vk_.CreateBuffer(device_, &buffer, nullptr, &upload.buffer);
  VkMemoryRequirements requirements{};
  vk_.GetBufferMemoryRequirements(device_, upload.buffer, &requirements);
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = requirements.size;
  while ((memory_.memoryTypes[allocate.memoryTypeIndex].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) {
    ++allocate.memoryTypeIndex;
  }
  vk_.AllocateMemory(device_, &allocate, nullptr, &upload.memory);
  vk_.BindBufferMemory(device_, upload.buffer, upload.memory, 0);
  void* mapped = nullptr;
  vk_.MapMemory(device_, upload.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  std::memcpy(mapped, pixels.data(), pixels.size());
  vk_.UnmapMemory(device_, upload.memory);
  uploads_.push_back(upload);

  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool_;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  vk_.AllocateCommandBuffers(device_, &info, &commands);
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  vk_.BeginCommandBuffer(commands, &begin);
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vk_.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {width, height, 1};
  vk_.CmdCopyBufferToImage(commands, upload.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = 0;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  vk_.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
  vk_.EndCommandBuffer(commands);
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.waitSemaphoreCount = wait == VK_NULL_HANDLE ? 0 : 1;
  submit.pWaitSemaphores = &wait;
  submit.pWaitDstStageMask = &stage;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  submit.signalSemaphoreCount = signal == VK_NULL_HANDLE ? 0 : 1;
  submit.pSignalSemaphores = &signal;
  const std::lock_guard<std::mutex> lock(locks_->For(queue_));
  vk_.QueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE);
}

VkSemaphore Application::CreateSemaphore() {
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  vk_.CreateSemaphore(device_, &info, nullptr, &semaphore);
  semaphores_.push_back(semaphore);
  return semaphore;
}

VkSemaphore Application::CreateTimeline() {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  vk_.CreateSemaphore(device_, &info, nullptr, &semaphore);
  semaphores_.push_back(semaphore);
  return semaphore;
}

void Application::Signal(VkSemaphore timeline, std::uint64_t value) {
  VkSemaphoreSignalInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = timeline;
  info.value = value;
  Get<PFN_vkSignalSemaphore>(get_instance_proc_addr_, instance_, "vkSignalSemaphore")(device_, &info);
}

VkFence Application::CreateFence() {
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = VK_NULL_HANDLE;
  Get<PFN_vkCreateFence>(get_instance_proc_addr_, instance_, "vkCreateFence")(device_, &info, nullptr, &fence);
  fences_.push_back(fence);
  return fence;
}

bool Application::WaitFence(VkFence fence) {
  const auto wait = Get<PFN_vkWaitForFences>(get_instance_proc_addr_, instance_, "vkWaitForFences");
  return wait(device_, 1, &fence, VK_TRUE, 20'000'000'000) == VK_SUCCESS;
}

void Application::WaitIdle() {
  const std::lock_guard<std::mutex> lock(locks_->For(queue_));
  vk_.DeviceWaitIdle(device_);
}

}  // namespace tandem::vulkan::testing
