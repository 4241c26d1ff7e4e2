// Both halves together: the application's picture arrives in the shared pages, bit for bit.
#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include "color/format.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/fake_kernel.h"

namespace tandem::vulkan::testing {
namespace {

struct Extent {
  std::uint32_t width;
  std::uint32_t height;
};

std::vector<std::byte> Pattern(std::uint32_t width, std::uint32_t height, std::uint32_t pixel_bytes, std::uint32_t seed) {
  std::vector<std::byte> pixels(std::size_t{width} * height * pixel_bytes);
  std::uint32_t state = seed * 2654435761U + 1;
  for (std::byte& byte : pixels) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::byte>(state >> 24);
  }
  // Half floats without infinities and NaNs, which a copy may canonicalize.
  if (pixel_bytes == 8) {
    for (std::size_t i = 1; i < pixels.size(); i += 2) pixels[i] &= std::byte{0x3F};
  }
  return pixels;
}

// Rows of the shared surface without their padding.
std::vector<std::byte> Rows(const TestResource& shared) {
  const std::size_t row = std::size_t{shared.data.width} * color::BytesPerPixel(shared.data.format);
  std::vector<std::byte> rows(row * shared.data.height);
  for (std::uint32_t y = 0; y < shared.data.height; ++y) {
    std::memcpy(rows.data() + y * row, shared.pages + std::size_t{y} * shared.data.pitch, row);
  }
  return rows;
}

class PresentTest : public ::testing::TestWithParam<Icd> {
 protected:
  void SetUp() override {
    std::string why_not;
    application_ = Application::Create(GetParam(), why_not);
    if (application_ == nullptr) GTEST_SKIP() << why_not;
    description_.borrowed = application_->Borrow();
  }

  void Start(Pages pages) {
    kernel_ = FakeKernel::Start(description_, pages);
    ASSERT_NE(kernel_, nullptr);
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    SetApplicationImageInfo(kernel_->device(), info);
  }

  void TearDown() override {
    kernel_.reset();
    if (application_ == nullptr) return;
    application_->WaitIdle();
    if (application_->validated()) {
      for (const std::string& message : application_->messages()) ADD_FAILURE() << message;
    }
    application_.reset();
  }

  // Acquires, draws and releases, as an application with the layer does.
  void DrawAndRelease(TestResource& image, VkImage vk_image, std::uint32_t pixel_bytes, Extent extent,
                      const std::vector<std::byte>& pixels) {
    const VkSemaphore acquired = application_->CreateSemaphore();
    const VkSemaphore rendered = application_->CreateSemaphore();
    ASSERT_TRUE(AcquireImage(kernel_->device(), image.handle, acquired, VK_NULL_HANDLE).ok());
    application_->Draw(vk_image, extent.width, extent.height, pixel_bytes, pixels, acquired, rendered);
    const std::uint64_t value = 0;
    ASSERT_TRUE(ReleaseImage(kernel_->device(), image.handle, application_->queue(), {&rendered, 1}, {&value, 1}).ok());
  }

  std::unique_ptr<Application> application_;
  DeviceDescription description_;
  std::unique_ptr<FakeKernel> kernel_;
};

TEST_P(PresentTest, Blt_EveryFormatAndSize_ArrivesBitExact) {
  for (const Pages pages : {Pages::kAnonymous, Pages::kMemfd}) {
    Start(pages);
    for (const color::Format format :
         {color::Format::kR16G16B16A16Float, color::Format::kR10G10B10A2Unorm, color::Format::kR8G8B8A8Unorm,
          color::Format::kR8G8B8A8UnormSrgb, color::Format::kB8G8R8A8Unorm, color::Format::kB8G8R8X8Unorm,
          color::Format::kB8G8R8A8UnormSrgb}) {
      for (const Extent extent : {Extent{1, 1}, Extent{17, 13}, Extent{640, 360}}) {
        const std::uint32_t pixel_bytes = color::BytesPerPixel(format);
        auto image = kernel_->CreateImage(extent.width, extent.height, format);
        auto shared = kernel_->OpenShared(extent.width, extent.height, format);
        ASSERT_NE(image, nullptr);
        ASSERT_NE(shared, nullptr);
        const auto pixels = Pattern(extent.width, extent.height, pixel_bytes, extent.width);
        DrawAndRelease(*image, ApplicationImage(image->handle), pixel_bytes, extent, pixels);
        const UINT fence = kernel_->Blt(*image, *shared, {});
        ASSERT_NE(fence, 0U);
        ASSERT_TRUE(kernel_->WaitFence(fence));
        EXPECT_EQ(Rows(*shared), pixels) << color::ToString(format) << ' ' << extent.width;
        kernel_->Destroy(std::move(image));
        kernel_->Destroy(std::move(shared));
      }
    }
    kernel_.reset();
  }
}

TEST_P(PresentTest, Blt_FullHdFrames_EachArrives) {
  Start(Pages::kMemfd);
  const Extent extent{1920, 1080};
  auto image = kernel_->CreateImage(extent.width, extent.height, color::Format::kB8G8R8A8Unorm);
  auto shared = kernel_->OpenShared(extent.width, extent.height, color::Format::kB8G8R8A8Unorm);
  ASSERT_NE(image, nullptr);
  ASSERT_NE(shared, nullptr);
  for (std::uint32_t frame = 0; frame < 4; ++frame) {
    const auto pixels = Pattern(extent.width, extent.height, 4, frame);
    DrawAndRelease(*image, ApplicationImage(image->handle), 4, extent, pixels);
    ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*image, *shared, {})));
    EXPECT_EQ(Rows(*shared), pixels);
  }
  const VkFence fence = application_->CreateFence();
  ASSERT_TRUE(AcquireImage(kernel_->device(), image->handle, VK_NULL_HANDLE, fence).ok());
  EXPECT_TRUE(application_->WaitFence(fence));
  kernel_->Destroy(std::move(image));
  kernel_->Destroy(std::move(shared));
}

TEST_P(PresentTest, Blt_ImageNeverRendered_Completes) {
  Start(Pages::kAnonymous);
  auto image = kernel_->CreateImage(64, 64, color::Format::kB8G8R8A8Unorm);
  auto shared = kernel_->OpenShared(64, 64, color::Format::kB8G8R8A8Unorm);
  EXPECT_TRUE(kernel_->WaitFence(kernel_->Blt(*image, *shared, {})));
  kernel_->Destroy(std::move(image));
  kernel_->Destroy(std::move(shared));
}

TEST_P(PresentTest, Blt_ManyRectangles_TakesSeveralBuffers) {
  Start(Pages::kAnonymous);
  const Extent extent{64, 64};
  auto image = kernel_->CreateImage(extent.width, extent.height, color::Format::kB8G8R8A8Unorm);
  auto shared = kernel_->OpenShared(extent.width, extent.height, color::Format::kB8G8R8A8Unorm);
  const auto pixels = Pattern(extent.width, extent.height, 4, 7);
  DrawAndRelease(*image, ApplicationImage(image->handle), 4, extent, pixels);
  std::vector<RECT> rects;
  for (LONG y = 0; y < 64; ++y) {
    for (LONG x = 0; x < 64; x += 2) rects.push_back({x, y, x + 1, y + 1});
  }
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*image, *shared, rects)));
  const auto rows = Rows(*shared);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool copied = (i / 4) % 2 == 0;
    ASSERT_EQ(rows[i], copied ? pixels[i] : std::byte{0}) << i;
  }
  kernel_->Destroy(std::move(image));
  kernel_->Destroy(std::move(shared));
}

TEST_P(PresentTest, Blt_SharedToSharedAndBack_ArrivesBitExact) {
  Start(Pages::kAnonymous);
  const Extent extent{33, 21};
  auto from = kernel_->OpenShared(extent.width, extent.height, color::Format::kR8G8B8A8Unorm);
  auto to = kernel_->OpenShared(extent.width, extent.height, color::Format::kR8G8B8A8UnormSrgb);
  auto image = kernel_->CreateImage(extent.width, extent.height, color::Format::kR8G8B8A8Unorm);
  for (std::size_t i = 0; i < from->data.size; ++i) from->pages[i] = static_cast<std::byte>(i * 7);
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*from, *to, {})));
  EXPECT_EQ(Rows(*to), Rows(*from));
  // Copies rows to an image, and the image to rows.
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*from, *image, {})));
  std::memset(to->pages, 0, to->data.size);
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*image, *to, {})));
  EXPECT_EQ(Rows(*to), Rows(*from));
  kernel_->Destroy(std::move(from));
  kernel_->Destroy(std::move(to));
  kernel_->Destroy(std::move(image));
}

TEST_P(PresentTest, Blt_OtherBits_AreConverted) {
  Start(Pages::kAnonymous);
  const Extent extent{8, 8};
  auto image = kernel_->CreateImage(extent.width, extent.height, color::Format::kR8G8B8A8Unorm);
  auto shared = kernel_->OpenShared(extent.width, extent.height, color::Format::kB8G8R8A8Unorm);
  auto pixels = Pattern(extent.width, extent.height, 4, 5);
  DrawAndRelease(*image, ApplicationImage(image->handle), 4, extent, pixels);
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*image, *shared, {})));
  for (std::size_t i = 0; i < pixels.size(); i += 4) std::swap(pixels[i], pixels[i + 2]);
  EXPECT_EQ(Rows(*shared), pixels);
  kernel_->Destroy(std::move(image));
  kernel_->Destroy(std::move(shared));
}

TEST_P(PresentTest, Blt_AfterAReset_TellsThatTheDeviceIsLost) {
  Start(Pages::kAnonymous);
  auto image = kernel_->CreateImage(8, 8, color::Format::kR8G8B8A8Unorm);
  auto shared = kernel_->OpenShared(8, 8, color::Format::kR8G8B8A8Unorm);
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*image, *shared, {})));
  application_->WaitIdle();
  kernel_->Reset();
  EXPECT_EQ(kernel_->Blt(*image, *shared, {}), 0U);
  EXPECT_EQ(kernel_->last_status(), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  const VkSemaphore semaphore = application_->CreateSemaphore();
  const std::uint64_t value = 0;
  const Result<void> handed = ReleaseImage(kernel_->device(), image->handle, application_->queue(), {&semaphore, 1}, {&value, 1});
  ASSERT_FALSE(handed.ok());
  EXPECT_EQ(handed.error().kind, ErrorKind::kDeviceLost);
  EXPECT_EQ(AcquireImage(kernel_->device(), image->handle, semaphore, VK_NULL_HANDLE).error().kind, ErrorKind::kDeviceLost);
  EXPECT_EQ(kernel_->Query().device_lost, 1U);
  kernel_->Destroy(std::move(image));
  kernel_->Destroy(std::move(shared));
}

TEST_P(PresentTest, CreateResource_OutOfRange_SetsTheError) {
  Start(Pages::kAnonymous);
  EXPECT_EQ(kernel_->CreateImage(0, 8, color::Format::kR8G8B8A8Unorm), nullptr);
  EXPECT_EQ(kernel_->last_error(), E_INVALIDARG);
  EXPECT_EQ(kernel_->CreateImage(8, 8, color::Format::kUnknown), nullptr);
}

TEST_P(PresentTest, Direct_LinearImage_IsThePages) {
  Start(Pages::kMemfd);
  const Extent extent{640, 360};  // a pitch of 2560, in which both layouts agree
  auto shared = kernel_->OpenShared(extent.width, extent.height, color::Format::kB8G8R8A8Unorm);
  const VkImage image = ApplicationImage(shared->handle);
  if (image == VK_NULL_HANDLE) {
    EXPECT_FALSE(ApplicationImageRefusal(shared->handle).empty());
    const std::string why = ApplicationImageRefusal(shared->handle);
    kernel_->Destroy(std::move(shared));
    GTEST_SKIP() << why;
  }
  EXPECT_EQ(kernel_->Query().cross_adapter_tier, 2U);
  for (std::uint32_t frame = 0; frame < 3; ++frame) {
    const auto pixels = Pattern(extent.width, extent.height, 4, frame + 40);
    DrawAndRelease(*shared, image, 4, extent, pixels);
    const UINT fence = kernel_->Flush();
    ASSERT_NE(fence, 0U);
    ASSERT_TRUE(kernel_->WaitFence(fence));
    EXPECT_EQ(Rows(*shared), pixels);
  }
  EXPECT_EQ(kernel_->Flush(), 0U);
  kernel_->Destroy(std::move(shared));
}

TEST_P(PresentTest, Probe_SystemPages_AreImportedAndTimed) {
  Start(Pages::kAnonymous);
  const AdapterData data = kernel_->Query();
  EXPECT_EQ(data.Of(PageWay::kAnonymous).state, ImportState::kWorks) << data.reason.data();
  EXPECT_EQ(data.Of(PageWay::kMemfd).state, ImportState::kWorks) << data.reason.data();
  EXPECT_GT(data.Of(PageWay::kMemfd).write_ns, 0U);
  EXPECT_GT(data.Of(PageWay::kMemfd).read_ns, 0U);
  EXPECT_GE(data.import_alignment, 4096U);
  EXPECT_EQ(data.borrowed, 1U);
  EXPECT_EQ(data.bounced_copies, 0U);
}

TEST_P(PresentTest, Bounce_WithoutImport_CopiesByCpuAndCounts) {
  description_.borrowed->external_memory_host = false;
  Start(Pages::kAnonymous);
  EXPECT_EQ(kernel_->Query().Of(PageWay::kAnonymous).state, ImportState::kRefused);
  const Extent extent{33, 21};
  auto image = kernel_->CreateImage(extent.width, extent.height, color::Format::kB8G8R8A8Unorm);
  auto shared = kernel_->OpenShared(extent.width, extent.height, color::Format::kB8G8R8A8Unorm);
  const auto pixels = Pattern(extent.width, extent.height, 4, 3);
  DrawAndRelease(*image, ApplicationImage(image->handle), 4, extent, pixels);
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*image, *shared, {})));
  EXPECT_EQ(Rows(*shared), pixels);
  // Copies back into an image; the CPU runs first.
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*shared, *image, {})));
  std::memset(shared->pages, 0, shared->data.size);
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*image, *shared, {})));
  EXPECT_EQ(Rows(*shared), pixels);
  EXPECT_EQ(kernel_->Query().bounced_copies, 3U);
  EXPECT_EQ(kernel_->Query().bounced_bytes, 3U * pixels.size());
  EXPECT_EQ(ApplicationImage(shared->handle), VkImage{VK_NULL_HANDLE});
  EXPECT_FALSE(ApplicationImageRefusal(shared->handle).empty());
  kernel_->Destroy(std::move(image));
  kernel_->Destroy(std::move(shared));
}

INSTANTIATE_TEST_SUITE_P(Drivers, PresentTest, ::testing::Values(Icd::kLavapipe, Icd::kSwiftShader),
                         [](const auto& p) { return p.param == Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

}  // namespace
}  // namespace tandem::vulkan::testing
