// In the steady state a frame allocates nothing: not in the application's thread, the display thread, the kernel or the drivers.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "tests/swapchain/soft_pair.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

void* Allocate(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace tandem::swapchain_test {
namespace {

using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;

TEST(SwapChainSteadyState, EachPathAndMode_FramesAllocateNothing) {
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy}) {
    for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kMailbox, PresentMode::kImmediate}) {
      SCOPED_TRACE(std::string(ToString(path)) + " " + std::string(ToString(mode)));
      const auto pair = SoftPair::Create({3, 3, 500'000});
      ASSERT_TRUE(pair);
      swapchain::SwapChainDesc desc;
      desc.width = 64;
      desc.height = 64;
      desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
      desc.path = path;
      desc.present_mode = mode;
      desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
      auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
      ASSERT_TRUE(chain.ok()) << chain.error().message;
      const Painter painter(pair->render(), **chain, desc);
      ASSERT_TRUE(PresentFrames(**chain, painter, 1, 50).ok());
      ASSERT_TRUE((*chain)->WaitForPresent(50, 5'000'000'000).ok());
      const std::uint64_t before = allocations;
      const auto presented = PresentFrames(**chain, painter, 51, 200);
      const auto shown = (*chain)->WaitForPresent(250, 5'000'000'000);
      const std::uint64_t after = allocations;
      ASSERT_TRUE(presented.ok() && shown.ok());
      EXPECT_EQ(after - before, 0U);
    }
  }
}

}  // namespace
}  // namespace tandem::swapchain_test
