// Creates an instance and a device, and prints how many functions of Tandem the loader's dispatch tables hold for each and how
// many vkGetDeviceProcAddr gives, the devices that it sees, and the median processor time of vkCreateInstance in microseconds.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include <dlfcn.h>
#include <CLI/CLI.hpp>

#include "tests/programs/vulkan_program.h"

namespace {

using namespace tandem::test;

bool IsTandem(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr &&
         (std::strstr(info.dli_fname, "libVkLayer_tandem") != nullptr ||
          std::strstr(info.dli_fname, "libvulkan_tandem") != nullptr);
}

// A dispatchable handle begins with a pointer to its table of functions. Both tables have more entries than are read.
template <class Handle>
int CountOurs(Handle handle, int entries) {
  void* const* const table = *reinterpret_cast<void***>(handle);
  return static_cast<int>(std::count_if(table, table + entries, [](const void* entry) { return IsTandem(entry); }));
}

// Processor time, which other programs of the machine change little.
double MicrosecondsOfThisThread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

double MicrosecondsOfCreateInstance() {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  const double begin = MicrosecondsOfThisThread();
  Check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  const double taken = MicrosecondsOfThisThread() - begin;
  vkDestroyInstance(instance, nullptr);
  return taken;
}

void PrintDevices(VkInstance instance) {
  std::uint32_t count = 0;
  Check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  Check(vkEnumeratePhysicalDevices(instance, &count, devices.data()), "vkEnumeratePhysicalDevices");
  for (const VkPhysicalDevice device : devices) {
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(device, &properties);
    std::printf("sees %s\n", properties.deviceName);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int repeat = 0;
  CLI::App app{"Counts functions of Tandem."};
  app.add_option("--repeat", repeat, "Instances to create for the median time");
  CLI11_PARSE(app, argc, argv);
  std::vector<double> times;
  for (int i = 0; i < repeat; ++i) times.push_back(MicrosecondsOfCreateInstance());
  std::ranges::sort(times);
  if (repeat > 0) std::printf("create %.0f\n", times[times.size() / 2]);
  VulkanProgram program = CreateProgram({}, {}, nullptr);
  PrintDevices(program.instance);
  constexpr int kInstanceEntries = 100;
  constexpr int kDeviceEntries = 300;
  std::printf("instance %d\ndevice %d\n", CountOurs(program.instance, kInstanceEntries),
              CountOurs(program.device, kDeviceEntries));
  int given = 0;
  for (const char* name : {"vkDestroyDevice", "vkQueueSubmit", "vkQueueWaitIdle", "vkQueuePresentKHR", "vkCreateSwapchainKHR",
                           "vkAcquireNextImageKHR", "vkCmdDraw", "vkGetDeviceProcAddr"}) {
    given += IsTandem(reinterpret_cast<const void*>(vkGetDeviceProcAddr(program.device, name))) ? 1 : 0;
  }
  std::printf("given %d\n", given);
  DestroyProgram(program);
  return 0;
}
