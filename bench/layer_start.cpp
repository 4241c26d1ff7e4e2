// Measures what the layer costs a program once: the load of its library, and the first vkCreateInstance above a driver that does
// nothing, each in a process of its own. layer_start RUNS LIBRARY...: libraries take turns, so that one machine compares builds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

namespace {

struct Times {
  double load_us = 0;
  double first_us = 0;   // the look-up, and its code paged in
  double second_us = 0;  // the process knows the answer
};

// The thread's processor time.
double NowUs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// An instance is an object that begins with a pointer.
VKAPI_ATTR VkResult VKAPI_CALL CreateNothing(const VkInstanceCreateInfo* /*info*/, const VkAllocationCallbacks* /*allocator*/,
                                             VkInstance* instance) {
  static void* nothing[] = {&nothing};
  *instance = reinterpret_cast<VkInstance>(&nothing);
  return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL Next(VkInstance /*instance*/, const char* name) {
  return std::strcmp(name, "vkCreateInstance") == 0 ? reinterpret_cast<PFN_vkVoidFunction>(&CreateNothing) : nullptr;
}

double Create(PFN_vkCreateInstance create) {
  VkLayerInstanceLink below{};
  below.pfnNextGetInstanceProcAddr = &Next;
  VkLayerInstanceCreateInfo chain{};
  chain.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO;
  chain.function = VK_LAYER_LINK_INFO;
  chain.u.pLayerInfo = &below;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pNext = &chain;
  VkInstance instance = VK_NULL_HANDLE;
  const double before = NowUs();
  if (create(&info, nullptr, &instance) != VK_SUCCESS) _exit(EXIT_FAILURE);
  return NowUs() - before;
}

Times Measure(const char* library) {
  Times times;
  const double before = NowUs();
  void* const layer = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  times.load_us = NowUs() - before;
  if (layer == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    _exit(EXIT_FAILURE);
  }
  VkNegotiateLayerInterface versions{};
  versions.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT;
  versions.loaderLayerInterfaceVersion = 2;
  const auto negotiate =
      reinterpret_cast<PFN_vkNegotiateLoaderLayerInterfaceVersion>(dlsym(layer, "vkNegotiateLoaderLayerInterfaceVersion"));
  if (negotiate == nullptr || negotiate(&versions) != VK_SUCCESS) _exit(EXIT_FAILURE);
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(versions.pfnGetInstanceProcAddr(VK_NULL_HANDLE, "vkCreateInstance"));
  times.first_us = Create(create);
  times.second_us = Create(create);
  return times;
}

Times MeasureInAProcess(const char* library) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(EXIT_FAILURE);
  if (fork() == 0) {
    const Times times = Measure(library);
    _exit(write(ends[1], &times, sizeof times) == sizeof times ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  close(ends[1]);
  Times times;
  const bool whole = read(ends[0], &times, sizeof times) == sizeof times;
  close(ends[0]);
  if (!whole) std::exit(EXIT_FAILURE);
  wait(nullptr);
  return times;
}

void Print(const char* name, std::vector<Times> all, double Times::*time) {
  std::ranges::sort(all, {}, time);
  std::printf("  %-8s best %7.1f us  median %7.1f us\n", name, all.front().*time, all[all.size() / 2].*time);
}

}  // namespace

int main(int count, char** words) {
  const int runs = count > 2 ? std::atoi(words[1]) : 0;
  if (runs < 1) {
    std::fprintf(stderr, "Usage: layer_start RUNS LIBRARY...\n");
    return EXIT_FAILURE;
  }
  const std::vector<const char*> libraries(words + 2, words + count);
  std::vector<std::vector<Times>> all(libraries.size());
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < libraries.size(); ++i) all[i].push_back(MeasureInAProcess(libraries[i]));
  }
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    std::printf("%s\n", libraries[i]);
    Print("load", all[i], &Times::load_us);
    Print("first", all[i], &Times::first_us);
    Print("second", all[i], &Times::second_us);
  }
}
