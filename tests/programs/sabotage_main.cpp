// Programs whose environment fails: memory runs out, threads are cancelled, exit() is called in a signal handler. Each mode
// exits with 0 if the layer copes.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"
#include "tests/programs/window.h"

namespace {

using namespace tandem::test;

constexpr std::uint32_t kWidth = 320;
constexpr std::uint32_t kHeight = 240;
constexpr std::size_t kFrameBytes = std::size_t{4} * kWidth * kHeight;

std::atomic<bool> g_no_memory{false};    // for allocations of a frame's size
std::atomic<int> g_locks_until_exit{0};  // taken by the layer on the main thread; 0: no exit

using LockFunction = int (*)(pthread_mutex_t*);
LockFunction g_lock = nullptr;
pthread_t g_main;

__attribute__((constructor)) void FindLock() {
  g_lock = reinterpret_cast<LockFunction>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  g_main = pthread_self();
}

bool IsOfTheLayer(void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr && std::strstr(info.dli_fname, "libVkLayer_tandem") != nullptr;
}

void ExitHere(int /*signal*/) {
  const char text[] = "exit in a handler\n";
  const bool told = write(STDOUT_FILENO, text, sizeof(text) - 1) > 0;
  std::exit(told ? 0 : 1);
}

void Record(VkCommandBuffer commands, VkImage image, std::uint32_t /*frame*/) {
  Transition(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, 0, VK_ACCESS_TRANSFER_WRITE_BIT);
}

struct Scene {
  Scene()
      : program(CreateProgram(SurfaceExtensions(SurfaceKind::kHeadless), {}, nullptr)),
        window(CreateWindow(program.instance, SurfaceKind::kHeadless, kWidth, kHeight)) {
    SwapchainOptions options;
    options.width = kWidth;
    options.height = kHeight;
    options.present_mode = VK_PRESENT_MODE_FIFO_KHR;
    swapchain = new Swapchain(program, window.surface, options, VK_NULL_HANDLE);
  }
  void Frames(std::uint32_t count) {
    for (std::uint32_t frame = 0; frame < count; ++frame) Check(swapchain->Frame(frame, Record), "a frame");
  }
  ~Scene() {
    delete swapchain;
    DestroyWindow(program.instance, window);
    DestroyProgram(program);
  }
  VulkanProgram program;
  Window window;
  Swapchain* swapchain = nullptr;
};

// No memory for a copy of a frame during ten frames; then there is memory.
int NoMemory() {
  Scene scene;
  g_no_memory = true;
  scene.Frames(10);
  g_no_memory = false;
  scene.Frames(10);
  return 0;
}

// A signal handler calls exit() while the layer holds the Nth lock that it takes for frames.
int ExitInHandler(int locks) {
  std::signal(SIGUSR1, &ExitHere);
  Scene scene;
  scene.Frames(3);
  g_locks_until_exit = locks;
  scene.Frames(30);
  return 0;
}

void* AcquireUntilCancelled(void* argument) {
  const Scene& scene = *static_cast<Scene*>(argument);
  constexpr std::uint64_t kHalfASecond = 500'000'000;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  Check(vkCreateSemaphore(scene.program.device, &info, nullptr, &semaphore), "vkCreateSemaphore");
  std::uint32_t index = 0;
  std::puts("acquiring");
  std::fflush(stdout);
  for (;;) {
    vkAcquireNextImageKHR(scene.program.device, scene.swapchain->handle(), kHalfASecond, semaphore, VK_NULL_HANDLE, &index);
    pthread_testcancel();
  }
}

// A thread is cancelled while it waits for an image and none is available.
int Cancel() {
  auto* const scene = new Scene;  // its images are never released
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkResult result = VK_SUCCESS;
  while (result == VK_SUCCESS) {
    VkFence fence = VK_NULL_HANDLE;
    Check(vkCreateFence(scene->program.device, &info, nullptr, &fence), "vkCreateFence");
    std::uint32_t index = 0;
    result = vkAcquireNextImageKHR(scene->program.device, scene->swapchain->handle(), 0, VK_NULL_HANDLE, fence, &index);
    if (result == VK_SUCCESS) Check(vkWaitForFences(scene->program.device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  }
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, &AcquireUntilCancelled, scene) != 0) GiveUp("There is no thread.");
  usleep(200'000);
  pthread_cancel(thread);
  void* ended = nullptr;
  pthread_join(thread, &ended);
  if (ended != PTHREAD_CANCELED) GiveUp("The thread was not cancelled.");
  std::fflush(stdout);
  _exit(0);
}

// A device whose features lie in read-only memory, after an unknown structure.
int ConstFeatures() {
  struct Content {
    VkPhysicalDeviceVulkan12Features features;
    VkBaseInStructure unknown;
  };
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) GiveUp("There is no memory.");
  auto* const content = new (pages) Content{};
  content->features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  content->unknown = {static_cast<VkStructureType>(2'000'000'000),
                      reinterpret_cast<const VkBaseInStructure*>(&content->features)};
  if (mprotect(pages, page, PROT_READ) != 0) GiveUp("The memory cannot be protected.");
  VulkanProgram program = CreateProgram({}, {}, &content->unknown);
  DestroyProgram(program);
  return 0;
}

}  // namespace

#define TANDEM_FOR_ALL __attribute__((visibility("default"), noinline))

TANDEM_FOR_ALL void* operator new(std::size_t size) {
  if (g_no_memory && size >= kFrameBytes) throw std::bad_alloc();
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
TANDEM_FOR_ALL void operator delete(void* memory) noexcept { std::free(memory); }
TANDEM_FOR_ALL void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

extern "C" TANDEM_FOR_ALL int pthread_mutex_lock(pthread_mutex_t* mutex) {
  const int result = g_lock(mutex);
  if (g_locks_until_exit != 0 && pthread_equal(pthread_self(), g_main) != 0 && IsOfTheLayer(__builtin_return_address(0)) &&
      g_locks_until_exit.fetch_sub(1) == 1) {
    raise(SIGUSR1);
  }
  return result;
}

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "no-memory") return NoMemory();
  if (mode == "exit-in-handler" && argc > 2) return ExitInHandler(std::atoi(argv[2]));
  if (mode == "cancel") return Cancel();
  if (mode == "const-features") return ConstFeatures();
  GiveUp("Unknown mode '" + mode + "'.");
}
