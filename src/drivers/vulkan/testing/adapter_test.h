// An adapter on a borrowed device with a kernel of the tests' own, and surfaces of every kind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "color/format.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/fake_kernel.h"

namespace tandem::vulkan::testing {

// A derived SetUp calls Borrow, changes description_ unless the test is skipped, and calls Start.
class AdapterTest : public ::testing::Test {
 protected:
  void Borrow(Icd icd, Validation validation = Validation::kIfInstalled) {
    std::string why_not;
    application_ = Application::Create(icd, why_not, validation);
    if (application_ == nullptr) GTEST_SKIP() << why_not;
    description_.borrowed = application_->Borrow();
  }
  void Start() {
    kernel_ = FakeKernel::Start(description_, Pages::kMemfd);
    ASSERT_NE(kernel_, nullptr);
  }
  void TearDown() override {
    DestroyAll();
    kernel_.reset();
    if (application_ == nullptr) return;
    application_->WaitIdle();
    for (const std::string& message : application_->messages()) ADD_FAILURE() << message;
    application_.reset();
  }

  Miniport& miniport() { return *static_cast<Miniport*>(kernel_->adapter()); }

  TestResource& Make(AllocationKind kind, std::uint32_t width, std::uint32_t height, color::Format format) {
    auto data = DescribeSurface(kind, width, height, format, 0);
    EXPECT_TRUE(data.ok());
    if (kind == AllocationKind::kImage) data->image_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    made_.push_back(kernel_->CreateRaw(*data));
    EXPECT_NE(made_.back(), nullptr);
    if (kind == AllocationKind::kLocal) {
      kernel_->Move(*made_.back(), next_address_);
      next_address_ += made_.back()->data.size;
    }
    return *made_.back();
  }
  void DestroyAll() {
    for (auto& resource : made_) kernel_->Destroy(std::move(resource));
    made_.clear();
    next_address_ = kMemoryBase;
  }

  std::unique_ptr<Application> application_;
  DeviceDescription description_;
  std::unique_ptr<FakeKernel> kernel_;

 private:
  std::vector<std::unique_ptr<TestResource>> made_;
  std::uint64_t next_address_ = kMemoryBase;
};

}  // namespace tandem::vulkan::testing
