// A Vulkan device for tests of shaders on buffers.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/sanitizer.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/gpu/host_buffer.h"
#include "drivers/vulkan/gpu/one_shot.h"
#include "drivers/vulkan/testing/application.h"

namespace tandem::vulkan::testing {

inline constexpr std::byte kUntouched{0xA5};

template <class Shader>
class ShaderTest : public ::testing::TestWithParam<Icd> {
 protected:
  void SetUp() override {
    std::string why_not;
    application_ = Application::Create(GetParam(), why_not);
    if (application_ == nullptr) GTEST_SKIP() << why_not;
    auto gpu = Gpu::Adopt(application_->Borrow());
    ASSERT_TRUE(gpu.ok()) << gpu.error().message;
    gpu_ = std::move(*gpu);
    auto shader = Shader::Create(*gpu_);
    ASSERT_TRUE(shader.ok()) << shader.error().message;
    shader_ = std::move(*shader);
  }
  void TearDown() override {
    shader_.reset();
    gpu_.reset();
    if (application_ == nullptr) return;
    for (const std::string& message : application_->messages()) ADD_FAILURE() << message;
  }

  // A buffer filled with kUntouched.
  std::unique_ptr<HostBuffer> Buffer(std::uint64_t bytes) {
    auto buffer = HostBuffer::CreateBounce(*gpu_, nullptr, bytes);
    EXPECT_TRUE(buffer.ok());
    std::memset((*buffer)->bounce(), static_cast<int>(kUntouched), bytes);
    return std::move(*buffer);
  }
  static VkDescriptorBufferInfo All(const HostBuffer& buffer) { return {buffer.handle(), 0, buffer.size_bytes()}; }

  void Run(const std::function<Result<std::shared_ptr<void>>(VkCommandBuffer)>& record) {
    constexpr std::uint64_t kTimeoutNs = 60'000'000'000;
    auto shot = OneShot::Create(*gpu_, kRenderNode);
    ASSERT_TRUE(shot.ok());
    std::shared_ptr<void> kept;
    const VkResult result = (*shot)->Run(
        [&](VkCommandBuffer commands) {
          RecordShaderBegin(gpu_->vk(), commands);
          auto recorded = record(commands);
          ASSERT_TRUE(recorded.ok()) << recorded.error().message;
          kept = *recorded;
          RecordShaderEnd(gpu_->vk(), commands);
        },
        kTimeoutNs);
    ASSERT_EQ(result, VK_SUCCESS);
  }

  std::vector<std::byte> Random(std::uint64_t bytes) {
    std::vector<std::byte> random(bytes);
    for (std::byte& byte : random) byte = static_cast<std::byte>(random_());
    return random;
  }

  std::unique_ptr<Application> application_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<Shader> shader_;
  std::mt19937 random_{7};
};

// Under a sanitizer one driver: the shaders are not ours to look into, and the calls are the same.
inline auto ShaderDrivers() {
  std::vector<Icd> drivers{Icd::kLavapipe};
  if (!kUnderSanitizer) drivers.push_back(Icd::kSwiftShader);
  return ::testing::ValuesIn(drivers);
}

inline std::string NameOfIcd(const ::testing::TestParamInfo<Icd>& info) {
  return info.param == Icd::kLavapipe ? "Lavapipe" : "SwiftShader";
}

}  // namespace tandem::vulkan::testing
