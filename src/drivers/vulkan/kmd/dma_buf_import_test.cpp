// Shared pages reach the device by dma-bufs where device and kernel have them, by their address elsewhere.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include <unistd.h>

#include "base/dma_buf.h"
#include "base/sync_file.h"
#include "color/format.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/fake_kernel.h"
#include "drivers/vulkan/testing/liar.h"
#include "drivers/vulkan/testing/test_gpu.h"
#include "drivers/vulkan/testing/vgem_fence.h"

namespace tandem::vulkan::testing {
namespace {

constexpr std::uint32_t kImportWidth = 40;
constexpr std::uint32_t kImportHeight = 24;
constexpr char kWhere[] = "'scripts/vm.sh --mesa' has /dev/udmabuf and a lavapipe that imports dma-bufs.";

class DmaBufImport : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    application_ = Application::Create(Icd::kLavapipe, why_not);
    if (application_ == nullptr) GTEST_SKIP() << why_not;
    description_.borrowed = Liar::Wrap(application_->Borrow());
  }
  void TearDown() override {
    if (kernel_ != nullptr) {
      kernel_->Destroy(std::move(image_));
      kernel_->Destroy(std::move(shared_));
    }
    kernel_.reset();
    Liar::Disarm();
    if (application_ == nullptr) return;
    application_->WaitIdle();
    for (const std::string& message : application_->messages()) ADD_FAILURE() << message;
    application_.reset();
  }

  [[nodiscard]] bool HasDmaBufs() const {
    return description_.borrowed->crossing.modifiers && access("/dev/udmabuf", R_OK | W_OK) == 0;
  }
  void Start(Pages pages) {
    kernel_ = FakeKernel::Start(description_, pages);
    ASSERT_NE(kernel_, nullptr);
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    SetApplicationImageInfo(kernel_->device(), info);
    shared_ = kernel_->OpenShared(kImportWidth, kImportHeight, color::Format::kB8G8R8A8Unorm);
    ASSERT_NE(shared_, nullptr);
  }
  [[nodiscard]] const Allocation& allocation() const { return *reinterpret_cast<const Allocation*>(shared_->data.object); }
  [[nodiscard]] bool IsByDmaBuf() const { return allocation().linear()->source().dma_buf >= 0; }

  // A program's picture by a copy, or straight into the shared pages; true if it stands there.
  bool Arrives(std::uint32_t seed, bool direct) {
    if (!direct && image_ == nullptr) image_ = kernel_->CreateImage(kImportWidth, kImportHeight, color::Format::kB8G8R8A8Unorm);
    const TestResource& drawn = direct ? *shared_ : *image_;
    std::vector<std::byte> pixels(std::size_t{kImportWidth} * kImportHeight * 4);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::byte>((i * 31 + seed) >> 2);
    const VkSemaphore acquired = application_->CreateSemaphore();
    const VkSemaphore rendered = application_->CreateSemaphore();
    const VkImage target = ApplicationImage(drawn.handle);
    if (target == VK_NULL_HANDLE || !AcquireImage(kernel_->device(), drawn.handle, acquired, VK_NULL_HANDLE).ok()) return false;
    application_->Draw(target, kImportWidth, kImportHeight, 4, pixels, acquired, rendered);
    const std::uint64_t value = 0;
    if (!ReleaseImage(kernel_->device(), drawn.handle, application_->queue(), {&rendered, 1}, {&value, 1}).ok()) return false;
    const UINT fence = direct ? kernel_->Flush() : kernel_->Blt(*image_, *shared_, {});
    if (fence == 0 || !kernel_->WaitFence(fence)) return false;
    for (std::uint32_t y = 0; y < kImportHeight; ++y) {
      const std::byte* const row = shared_->pages + std::size_t{y} * shared_->data.pitch;
      if (std::memcmp(row, pixels.data() + std::size_t{y} * kImportWidth * 4, kImportWidth * 4) != 0) return false;
    }
    return true;
  }

  std::unique_ptr<Application> application_;
  DeviceDescription description_;
  std::unique_ptr<FakeKernel> kernel_;
  std::unique_ptr<TestResource> image_;
  std::unique_ptr<TestResource> shared_;
};

TEST_F(DmaBufImport, Probe_TellsWhatItFound) {
  Start(Pages::kMemfd);
  const AdapterData data = kernel_->Query();
  const PageWayData& way = data.Of(PageWay::kDmaBuf);
  const std::string reason = way.reason.data();
  if (HasDmaBufs()) {
    EXPECT_EQ(way.state, ImportState::kWorks) << reason;
    EXPECT_GT(way.write_ns, 0U);
    EXPECT_GT(way.read_ns, 0U);
    EXPECT_EQ(data.dma_buf_images, ImportState::kWorks);
  } else {
    EXPECT_EQ(way.state, ImportState::kRefused);
    EXPECT_TRUE(reason.find("VK_EXT_external_memory_dma_buf") != std::string::npos ||
                reason.find("/dev/udmabuf") != std::string::npos)
        << reason;
  }
  EXPECT_EQ(IsByDmaBuf(), HasDmaBufs());
}

TEST_F(DmaBufImport, Copy_ArrivesByEitherWay) {
  Start(Pages::kMemfd);
  for (std::uint32_t frame = 0; frame < 3; ++frame) EXPECT_TRUE(Arrives(frame, false)) << frame;
  EXPECT_EQ(kernel_->Query().bounced_copies, 0U);
}

TEST_F(DmaBufImport, ProgramThatDrawsIntoTheDmaBuf_IsSeenInThePages) {
  if (!HasDmaBufs()) GTEST_SKIP() << kWhere;
  Start(Pages::kMemfd);
  ASSERT_NE(ApplicationImage(shared_->handle), VkImage{VK_NULL_HANDLE}) << ApplicationImageRefusal(shared_->handle);
  EXPECT_TRUE(allocation().image_by_dma_buf());
  for (std::uint32_t frame = 0; frame < 3; ++frame) EXPECT_TRUE(Arrives(frame, true)) << frame;
}

TEST_F(DmaBufImport, BackingStoreThatIsADmaBuf_IsImportedItself) {
  if (!HasDmaBufs()) GTEST_SKIP() << kWhere;
  Start(Pages::kDmaBuf);
  EXPECT_TRUE(IsByDmaBuf());
  for (std::uint32_t frame = 0; frame < 2; ++frame) EXPECT_TRUE(Arrives(frame, false)) << frame;
}

TEST_F(DmaBufImport, DriverThatRefusesAtStart_GetsAddresses) {
  if (!HasDmaBufs()) GTEST_SKIP() << kWhere;
  Liar::Arm("GetMemoryFdPropertiesKHR", VK_ERROR_INVALID_EXTERNAL_HANDLE, 0);
  Start(Pages::kMemfd);
  const std::string reason = kernel_->Query().Of(PageWay::kDmaBuf).reason.data();
  EXPECT_NE(reason.find("vkGetMemoryFdPropertiesKHR answered VK_ERROR_INVALID_EXTERNAL_HANDLE."), std::string::npos) << reason;
  EXPECT_FALSE(IsByDmaBuf());
  EXPECT_TRUE(Arrives(1, false));
}

TEST_F(DmaBufImport, DriverThatRefusesLater_GetsAddressesForThatSurface) {
  if (!HasDmaBufs()) GTEST_SKIP() << kWhere;
  Liar::Arm("GetMemoryFdPropertiesKHR", VK_ERROR_OUT_OF_HOST_MEMORY, 3);  // the probe asks three times
  Start(Pages::kMemfd);
  EXPECT_EQ(kernel_->Query().Of(PageWay::kDmaBuf).state, ImportState::kWorks);
  EXPECT_TRUE(Liar::told());
  EXPECT_FALSE(IsByDmaBuf());
  EXPECT_TRUE(Arrives(1, false));
}

TEST_F(DmaBufImport, ModifierThatLies_IsNotDrawnInto) {
  if (!HasDmaBufs()) GTEST_SKIP() << kWhere;
  Liar::GiveModifier(0x0100000000000001);  // I915_FORMAT_MOD_X_TILED
  Start(Pages::kMemfd);
  EXPECT_EQ(kernel_->Query().dma_buf_images, ImportState::kRefused);
  EXPECT_TRUE(IsByDmaBuf());
  const VkImage image = ApplicationImage(shared_->handle);
  EXPECT_FALSE(allocation().image_by_dma_buf());
  EXPECT_EQ(ApplicationImageRefusal(shared_->handle).empty(), image != VK_NULL_HANDLE);
  EXPECT_TRUE(Arrives(5, image != VK_NULL_HANDLE));
}

TEST(DmaBufImportSize, DmaBufThatHoldsLess_IsRefusedWithBothNumbers) {
  std::string why_not;
  const auto gpu = OpenGpu(Driver::kLavapipe, why_not);
  if (gpu == nullptr) GTEST_SKIP() << why_not;
  if (!gpu->crossing().dma_buf) GTEST_SKIP() << kWhere;
  const UniqueFd memfd = *CreateSharedPages("tandem-test", 16384);
  auto dma_buf = CreateDmaBuf(memfd.get(), 0, 8192);
  if (!dma_buf.ok()) GTEST_SKIP() << dma_buf.error().message;
  auto pages = *MemoryMap::MapShared(memfd, 0, 16384, MapAccess::kReadWrite);
  VkResult failure = VK_SUCCESS;
  const auto imported = HostBuffer::ImportDmaBuf(*gpu, *std::move(dma_buf), pages.data(), 16384, failure);
  ASSERT_FALSE(imported.ok());
  EXPECT_EQ(imported.error().message, "A dma-buf that shall hold 16384 bytes holds 8192.");
}

class DmaBufReader : public DmaBufImport, public ::testing::WithParamInterface<bool> {};

// A reader works on the pages when a copy into them is presented. The copy waits for it, on the device or by the processor.
TEST_P(DmaBufReader, PagesThatAreStillRead_AreNotWritten) {
  if (!HasDmaBufs()) GTEST_SKIP() << kWhere;
  std::string why_not;
  const auto reader = VgemFence::Create(why_not);
  if (reader == nullptr) GTEST_SKIP() << why_not;
  description_.borrowed->crossing.sync_fd = description_.borrowed->crossing.sync_fd && GetParam();
  Start(Pages::kMemfd);
  ASSERT_TRUE(Arrives(1, false));
  EXPECT_EQ(allocation().fences() != nullptr, GetParam());
  const Result<void> reads = ImportSyncFile(allocation().dma_buf(), reader->sync_file(), DmaBufUse::kRead);
  ASSERT_TRUE(reads.ok()) << reads.error().message;
  ASSERT_FALSE(IsIdle(allocation().dma_buf(), 0));
  std::atomic<bool> ended{false};
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ended.store(true);
    reader->Signal();
  });
  EXPECT_TRUE(Arrives(2, false));
  EXPECT_TRUE(ended.load());
  end.join();
  const AdapterData data = kernel_->Query();
  EXPECT_EQ(data.sync_files, GetParam() ? 1U : 0U);
  EXPECT_EQ(data.fences_in, GetParam() ? 1U : 0U);
  EXPECT_EQ(data.fences_out, GetParam() ? 2U : 0U);
}

INSTANTIATE_TEST_SUITE_P(Waits, DmaBufReader, ::testing::Values(true, false),
                         [](const auto& p) { return p.param ? "OnTheDevice" : "ByTheProcessor"; });

// One 5K picture of half floats is larger than the kernel's limit for a dma-buf.
TEST_F(DmaBufImport, SurfaceBeyondTheKernelsLimit_IsImportedByItsAddress) {
  if (!HasDmaBufs()) GTEST_SKIP() << kWhere;
  Start(Pages::kMemfd);
  auto large = kernel_->OpenShared(5120, 2880, color::Format::kR16G16B16A16Float);
  ASSERT_NE(large, nullptr);
  const auto& allocation = *reinterpret_cast<const Allocation*>(large->data.object);
  ASSERT_NE(allocation.linear(), nullptr);
  EXPECT_TRUE(allocation.linear()->imported());
  EXPECT_EQ(allocation.linear()->source().dma_buf, -1);
  const std::string reason = kernel_->Query().reason.data();
  EXPECT_NE(reason.find("64 MiB"), std::string::npos) << reason;
  kernel_->Destroy(std::move(large));
}

}  // namespace
}  // namespace tandem::vulkan::testing
