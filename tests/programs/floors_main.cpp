// Measures parts of a frame without presentation: clearing a picture, the driver's own copy into a buffer, and one memcpy.
// Prints one line of JSON: CPU milliseconds of the whole process and wall milliseconds for each, as medians of rounds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/programs/swapchain.h"
#include "tests/programs/vulkan_program.h"

namespace {

using namespace tandem::test;

constexpr int kRounds = 7;

struct Cost {
  double cpu_ms = 0;
  double wall_ms = 0;
};

double CpuMs() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double WallMs() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

Cost Measure(std::uint32_t frames, const std::function<void()>& work) {
  work();
  std::vector<double> cpu;
  std::vector<double> wall;
  for (int round = 0; round < kRounds; ++round) {
    const double cpu_before = CpuMs();
    const double wall_before = WallMs();
    for (std::uint32_t i = 0; i < frames; ++i) work();
    cpu.push_back((CpuMs() - cpu_before) / frames);
    wall.push_back((WallMs() - wall_before) / frames);
  }
  return {Median(cpu), Median(wall)};
}

// An image, and a command buffer for each measurement.
class Scene {
 public:
  Scene(const VulkanProgram& program, std::uint32_t width, std::uint32_t height)
      : program_(program), width_(width), height_(height) {
    CreateImage();
    buffer_ = CreateHostBuffer(program, VkDeviceSize{width} * height * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = program.queue_family;
    Check(vkCreateCommandPool(program.device, &pool, nullptr, &pool_), "vkCreateCommandPool");
    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    Check(vkCreateFence(program.device, &fence, nullptr, &fence_), "vkCreateFence");
    clear_ = Record([this](VkCommandBuffer commands) { RecordClear(commands); });
    copy_ = Record([this](VkCommandBuffer commands) { RecordCopy(commands); });
  }
  ~Scene() {
    vkDestroyFence(program_.device, fence_, nullptr);
    vkDestroyCommandPool(program_.device, pool_, nullptr);
    DestroyHostBuffer(program_, buffer_);
    vkDestroyImage(program_.device, image_, nullptr);
    vkFreeMemory(program_.device, memory_, nullptr);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void Clear() { Submit(clear_); }
  void Copy() { Submit(copy_); }
  [[nodiscard]] const HostBuffer& buffer() const { return buffer_; }

 private:
  void CreateImage() {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_B8G8R8A8_UNORM;
    info.extent = {width_, height_, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    Check(vkCreateImage(program_.device, &info, nullptr, &image_), "vkCreateImage");
    VkMemoryRequirements needs{};
    vkGetImageMemoryRequirements(program_.device, image_, &needs);
    VkMemoryAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.allocationSize = needs.size;
    while ((needs.memoryTypeBits & (1U << allocate.memoryTypeIndex)) == 0) ++allocate.memoryTypeIndex;
    Check(vkAllocateMemory(program_.device, &allocate, nullptr, &memory_), "vkAllocateMemory");
    Check(vkBindImageMemory(program_.device, image_, memory_, 0), "vkBindImageMemory");
  }

  VkCommandBuffer Record(const std::function<void(VkCommandBuffer)>& record) {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool_;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    Check(vkAllocateCommandBuffers(program_.device, &info, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    Check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    record(commands);
    Check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    return commands;
  }

  void RecordClear(VkCommandBuffer commands) {
    Transition(commands, image_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
               VK_ACCESS_TRANSFER_WRITE_BIT);
    const VkClearColorValue color{{0.5F, 0.25F, 0.0F, 1.0F}};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(commands, image_, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &range);
    Transition(commands, image_, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
               VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT);
  }

  void RecordCopy(VkCommandBuffer commands) {
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {width_, height_, 1};
    vkCmdCopyImageToBuffer(commands, image_, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer_.buffer, 1, &region);
  }

  void Submit(VkCommandBuffer commands) {
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    Check(vkQueueSubmit(program_.queue, 1, &submit, fence_), "vkQueueSubmit");
    Check(vkWaitForFences(program_.device, 1, &fence_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    Check(vkResetFences(program_.device, 1, &fence_), "vkResetFences");
  }

  const VulkanProgram& program_;
  std::uint32_t width_;
  std::uint32_t height_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  HostBuffer buffer_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkCommandBuffer clear_ = VK_NULL_HANDLE;
  VkCommandBuffer copy_ = VK_NULL_HANDLE;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t frames = 30;
  std::uint32_t width = 1920;
  std::uint32_t height = 1080;
  CLI::App app{"Measures what the parts of a frame cost."};
  app.add_option("--frames", frames)->check(CLI::PositiveNumber);
  app.add_option("--width", width);
  app.add_option("--height", height);
  CLI11_PARSE(app, argc, argv);
  VulkanProgram program = CreateProgram({}, {}, nullptr);
  {
    Scene scene(program, width, height);
    const Cost clear = Measure(frames, [&] { scene.Clear(); });
    const Cost copy = Measure(frames, [&] { scene.Copy(); });
    std::vector<std::byte> target(scene.buffer().size);
    const Cost memory = Measure(frames, [&] { std::memcpy(target.data(), scene.buffer().data, target.size()); });
    std::printf(
        "{\"clear_cpu_ms\": %.4f, \"clear_wall_ms\": %.4f, \"copy_cpu_ms\": %.4f, \"copy_wall_ms\": %.4f, \"memcpy_ms\": %.4f}\n",
        clear.cpu_ms, clear.wall_ms, copy.cpu_ms, copy.wall_ms, memory.wall_ms);
  }
  DestroyProgram(program);
  return 0;
}
