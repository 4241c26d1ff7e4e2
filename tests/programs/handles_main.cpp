// Names swap chains, their images and surfaces by generic handles in every device command with such handles: private data,
// names, tags. Exits with 0 if each value is read back unchanged.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

constexpr std::uint32_t kSlotCount = 40;  // enough slots that a driver's table of them grows

struct Object {
  const char* name;
  VkObjectType type;
  std::uint64_t handle;
};

template <class Handle>
std::uint64_t ToNumber(Handle handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

template <class Function>
Function Load(const VulkanProgram& program, const char* name) {
  const auto function = reinterpret_cast<Function>(vkGetDeviceProcAddr(program.device, name));
  if (function == nullptr) GiveUp(std::string(name) + " is missing.");
  return function;
}

struct PrivateDataFunctions {
  PFN_vkCreatePrivateDataSlotEXT create;
  PFN_vkDestroyPrivateDataSlotEXT destroy;
  PFN_vkSetPrivateDataEXT set;
  PFN_vkGetPrivateDataEXT get;
};

class PrivateDataCheck {
 public:
  explicit PrivateDataCheck(const VulkanProgram& program)
      : program_(program),
        functions_{Load<PFN_vkCreatePrivateDataSlotEXT>(program, "vkCreatePrivateDataSlotEXT"),
                   Load<PFN_vkDestroyPrivateDataSlotEXT>(program, "vkDestroyPrivateDataSlotEXT"),
                   Load<PFN_vkSetPrivateDataEXT>(program, "vkSetPrivateDataEXT"),
                   Load<PFN_vkGetPrivateDataEXT>(program, "vkGetPrivateDataEXT")} {
    for (std::uint32_t i = 0; i < kSlotCount; ++i) slots_.push_back(CreateSlot());
  }
  ~PrivateDataCheck() {
    for (VkPrivateDataSlotEXT slot : slots_) functions_.destroy(program_.device, slot, nullptr);
  }
  PrivateDataCheck(const PrivateDataCheck&) = delete;
  PrivateDataCheck& operator=(const PrivateDataCheck&) = delete;

  void SetAll(const std::vector<Object>& objects) {
    for (const Object& object : objects) {
      for (std::uint32_t i = 0; i < kSlotCount; ++i) {
        Expect(object, i, 0);
        Check(functions_.set(program_.device, object.type, object.handle, slots_[i], ValueOf(object, i)), "vkSetPrivateDataEXT");
      }
    }
  }
  void ExpectAll(const std::vector<Object>& objects) {
    for (const Object& object : objects) {
      for (std::uint32_t i = 0; i < kSlotCount; ++i) Expect(object, i, ValueOf(object, i));
    }
  }
  // A new slot is empty, even if it reuses the handle of a destroyed one.
  void ReplaceSlot(const std::vector<Object>& objects) {
    functions_.destroy(program_.device, slots_[1], nullptr);
    slots_[1] = CreateSlot();
    for (const Object& object : objects) Expect(object, 1, 0);
  }
  void ExpectNothing(const Object& object) {
    for (std::uint32_t i = 0; i < kSlotCount; ++i) Expect(object, i, 0);
  }

 private:
  static std::uint64_t ValueOf(const Object& object, std::uint32_t slot) { return object.handle * 31 + slot + 1; }
  VkPrivateDataSlotEXT CreateSlot() {
    VkPrivateDataSlotCreateInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO_EXT;
    VkPrivateDataSlotEXT slot = VK_NULL_HANDLE;
    Check(functions_.create(program_.device, &info, nullptr, &slot), "vkCreatePrivateDataSlotEXT");
    return slot;
  }
  void Expect(const Object& object, std::uint32_t slot, std::uint64_t expected) {
    std::uint64_t value = ~std::uint64_t{0};
    functions_.get(program_.device, object.type, object.handle, slots_[slot], &value);
    if (value == expected) return;
    GiveUp(std::string(object.name) + " has " + std::to_string(value) + " in slot " + std::to_string(slot) + ", not " +
           std::to_string(expected) + ".");
  }

  const VulkanProgram& program_;
  const PrivateDataFunctions functions_;
  std::vector<VkPrivateDataSlotEXT> slots_;
};

void NameAll(const VulkanProgram& program, const std::vector<Object>& objects) {
  const auto set_name = Load<PFN_vkSetDebugUtilsObjectNameEXT>(program, "vkSetDebugUtilsObjectNameEXT");
  const auto set_tag = Load<PFN_vkSetDebugUtilsObjectTagEXT>(program, "vkSetDebugUtilsObjectTagEXT");
  const char tag[] = "tag";
  for (const Object& object : objects) {
    VkDebugUtilsObjectNameInfoEXT name{};
    name.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
    name.objectType = object.type;
    name.objectHandle = object.handle;
    name.pObjectName = object.name;
    Check(set_name(program.device, &name), "vkSetDebugUtilsObjectNameEXT");
    VkDebugUtilsObjectTagInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_TAG_INFO_EXT;
    info.objectType = object.type;
    info.objectHandle = object.handle;
    info.tagSize = sizeof tag;
    info.pTag = tag;
    Check(set_tag(program.device, &info), "vkSetDebugUtilsObjectTagEXT");
  }
}

}  // namespace

int main() {
  constexpr SurfaceKind kKind = SurfaceKind::kHeadless;
  std::vector<const char*> extensions = SurfaceExtensions(kKind);
  extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  VkPhysicalDevicePrivateDataFeaturesEXT feature{};
  feature.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES_EXT;
  feature.privateData = VK_TRUE;
  VulkanProgram program = CreateProgram(extensions, {VK_EXT_PRIVATE_DATA_EXTENSION_NAME}, &feature);
  Window window = CreateWindow(program.instance, kKind, 64, 64);
  SwapchainOptions options;
  options.width = options.height = 64;
  {
    PrivateDataCheck data(program);
    const auto with_swapchain = [&](auto use) {
      const Swapchain swapchain(program, window.surface, options, VK_NULL_HANDLE);
      use(Object{"the swap chain", VK_OBJECT_TYPE_SWAPCHAIN_KHR, ToNumber(swapchain.handle())}, swapchain);
    };
    with_swapchain([&](const Object& swapchain, const Swapchain& made) {
      std::vector<Object> objects{swapchain, {"the device", VK_OBJECT_TYPE_DEVICE, ToNumber(program.device)}};
      for (VkImage image : made.images()) objects.push_back({"an image", VK_OBJECT_TYPE_IMAGE, ToNumber(image)});
      data.SetAll(objects);
      data.ExpectAll(objects);
      data.ReplaceSlot(objects);
      objects.push_back({"the surface", VK_OBJECT_TYPE_SURFACE_KHR, ToNumber(window.surface)});
      NameAll(program, objects);
    });
    // It may reuse the previous handle, but none of its data.
    with_swapchain([&](const Object& swapchain, const Swapchain&) { data.ExpectNothing(swapchain); });
  }
  DestroyWindow(program.instance, window);
  DestroyProgram(program);
  return 0;
}
