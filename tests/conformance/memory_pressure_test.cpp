// Frames continue while their surfaces exceed the memory: allocations are evicted and return with unchanged pictures.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "base/clock.h"
#include "conform/recording_output.h"
#include "conform/user_device.h"
#include "drivers/processor/user_commands.h"
#include "drivers/soft/soft_device.h"
#include "kernel/kernel.h"
#include "system/conformance_drivers.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kExtent = 128;  // 64 KiB a surface
constexpr std::uint64_t kSurfaceBytes = 64 << 10;
constexpr std::uint64_t kLocalBytes = 6 * kSurfaceBytes;
constexpr UINT kCopyNode = 1;
constexpr UINT kRenderNode = 0;

class MemoryPressure : public testing::Test {
 protected:
  MemoryPressure() {
    description_.local_memory_bytes = kLocalBytes;
    description_.connectors = soft::CreateConnectors(1);
    EXPECT_TRUE(description_.connectors->Plug(output_).ok());
    kernel_ = std::move(*kernel::Kernel::Create(MonotonicClock()));
    luid_ = *kernel_->AddAdapter(**kernel_->LoadDriver(soft::SoftDriverEntry, "soft"), &description_, "small");
  }
  ~MemoryPressure() override {
    EXPECT_EQ(*kernel_->Violation(luid_), "");
    kernel_.reset();
  }
  [[nodiscard]] UserDevice Open(UINT node) const { return {system::SoftUnderTest(), {kernel_.get(), luid_}, node}; }
  [[nodiscard]] std::uint64_t Usage(const UserDevice& user) const {
    D3DKMT_QUERYVIDEOMEMORYINFO memory{};
    memory.hAdapter = user.adapter();
    EXPECT_EQ(D3DKMTQueryVideoMemoryInfo(&memory), STATUS_SUCCESS);
    return memory.CurrentUsage;
  }

  soft::DeviceDescription description_;
  std::shared_ptr<RecordingOutput> output_ = std::make_shared<RecordingOutput>(4'000'000);
  std::unique_ptr<kernel::Kernel> kernel_;
  LUID luid_{};
};

TEST_F(MemoryPressure, CopiesAmongFourTimesTheMemory_AreBitExact) {
  UserDevice user = Open(kCopyNode);
  std::vector<Surface> surfaces;
  std::vector<std::uint32_t> seeds;  // seed of each surface's picture
  for (std::uint32_t i = 0; i < 24; ++i) {
    surfaces.push_back(user.Create({kExtent, kExtent, SurfaceUse::kImage}));
    user.Paint(surfaces.back(), i << 24);
    seeds.push_back(i << 24);
  }
  std::mt19937 random(7);
  for (int frame = 0; frame < 600; ++frame) {
    const std::size_t source = random() % surfaces.size(), destination = random() % surfaces.size();
    ASSERT_EQ(user.Copy(surfaces[source], surfaces[destination], {}), STATUS_SUCCESS);
    seeds[destination] = seeds[source];
    EXPECT_LE(Usage(user), kLocalBytes);
  }
  user.Finish();
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const std::vector<std::uint32_t> pixels = user.Read(surfaces[i]);
    for (std::uint32_t y = 0; y < kExtent; ++y) {
      for (std::uint32_t x = 0; x < kExtent; ++x) {
        ASSERT_EQ(pixels[std::size_t{y} * kExtent + x], UserDevice::Painted(seeds[i], x, y)) << i << ": " << x << "," << y;
      }
    }
  }
}

TEST_F(MemoryPressure, QueryResidency_TellsWhoWasDrivenOut_AndWhoCameBack) {
  UserDevice user = Open(kCopyNode);
  std::vector<Surface> surfaces;
  std::vector<D3DKMT_HANDLE> allocations;
  for (std::uint32_t i = 0; i < 8; ++i) {
    surfaces.push_back(user.Create({kExtent, kExtent, SurfaceUse::kImage}));
    user.Paint(surfaces.back(), i << 24);  // the seventh and eighth surfaces evict the first two
    allocations.push_back(surfaces.back().allocation);
  }
  const auto query = [&] {
    std::vector<D3DKMT_ALLOCATIONRESIDENCYSTATUS> status(allocations.size());
    const D3DKMT_QUERYALLOCATIONRESIDENCY ask{user.device(), 0, allocations.data(), static_cast<UINT>(allocations.size()),
                                              status.data()};
    EXPECT_EQ(D3DKMTQueryAllocationResidency(&ask), STATUS_SUCCESS);
    return status;
  };
  constexpr auto kHere = D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY;
  constexpr auto kAway = D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT;
  EXPECT_EQ(query(), (std::vector{kAway, kAway, kHere, kHere, kHere, kHere, kHere, kHere}));
  EXPECT_EQ(user.Read(surfaces[0]).front(), UserDevice::Painted(0, 0, 0));
  EXPECT_EQ(query(), (std::vector{kHere, kAway, kAway, kHere, kHere, kHere, kHere, kHere}));
  const Surface shared = user.Create({kExtent, kExtent, SurfaceUse::kCrossAdapter});
  allocations = {shared.allocation};
  EXPECT_EQ(query(), std::vector{D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY});
}

TEST_F(MemoryPressure, TwoContexts_DriveEachOtherOut_AndBothGetOn) {
  UserDevice one = Open(kCopyNode), other = Open(kRenderNode);
  const auto make = [](UserDevice& user, std::uint32_t seed) {
    std::array<Surface, 5> surfaces;
    for (std::uint32_t i = 0; i < surfaces.size(); ++i) {
      surfaces[i] = user.Create({kExtent, kExtent, SurfaceUse::kImage});
      user.Paint(surfaces[i], (seed + i) << 24);
    }
    return surfaces;
  };
  const auto ones = make(one, 1), others = make(other, 101);
  // Each rotates its pictures: after five steps all are back, one place further.
  for (int frame = 0; frame < 200; ++frame) {
    const std::size_t to = static_cast<std::size_t>(frame) % 4 + 1;
    ASSERT_EQ(one.Copy(ones[0], ones[to], {}), STATUS_SUCCESS);
    ASSERT_EQ(other.Copy(others[0], others[to], {}), STATUS_SUCCESS);
  }
  one.Finish();
  other.Finish();
  for (std::size_t i = 0; i < ones.size(); ++i) {
    EXPECT_EQ(one.Read(ones[i]).back(), UserDevice::Painted(1u << 24, kExtent - 1, kExtent - 1)) << i;
    EXPECT_EQ(other.Read(others[i]).back(), UserDevice::Painted(101u << 24, kExtent - 1, kExtent - 1)) << i;
  }
}

TEST_F(MemoryPressure, FlipsAmongEvictions_ShowTheRightPictures) {
  UserDevice display = Open(kCopyNode);
  std::array<Surface, 3> primaries;
  std::array<Surface, 8> textures;
  for (Surface& primary : primaries) primary = display.Create({kExtent, kExtent, SurfaceUse::kPrimary});
  for (std::uint32_t i = 0; i < textures.size(); ++i) {
    textures[i] = display.Create({kExtent, kExtent, SurfaceUse::kImage});
    display.Paint(textures[i], (i + 1) << 24);
  }
  constexpr UINT64 kFrames = 60;
  for (UINT64 frame = 0; frame < kFrames; ++frame) {
    const Surface& back = primaries[frame % primaries.size()];
    ASSERT_EQ(display.Copy(textures[frame % textures.size()], back, {}), STATUS_SUCCESS);
    ASSERT_EQ(display.Flip(back, D3DDDI_FLIPINTERVAL_ONE), STATUS_SUCCESS);
    const UINT64 shown = display.QueueSignal();
    if (frame > 0) {
      ASSERT_EQ(display.Wait(shown - 1), STATUS_SUCCESS);
    }
  }
  display.Finish();
  const auto shown = output_->shown();
  ASSERT_FALSE(shown.empty());
  for (const ShownPicture& picture : shown) {
    const std::uint32_t seed = picture.At(0, 0) & 0xFF000000;
    EXPECT_TRUE(seed >> 24 >= 1 && seed >> 24 <= textures.size()) << seed;
    for (std::uint32_t y = 0; y < kExtent; ++y) {
      for (std::uint32_t x = 0; x < kExtent; ++x) ASSERT_EQ(picture.At(x, y), UserDevice::Painted(seed, x, y));
    }
  }
  const auto last = static_cast<std::uint32_t>((kFrames - 1) % textures.size() + 1);
  EXPECT_EQ(shown.back().At(0, 0), UserDevice::Painted(last << 24, 0, 0));
}

TEST_F(MemoryPressure, MoreThanTheMemoryInOnePresent_IsRefused_AndTheNextOneIsNot) {
  UserDevice user = Open(kCopyNode);
  const Surface large = user.Create({kExtent, kExtent * 4, SurfaceUse::kImage});
  const Surface other = user.Create({kExtent, kExtent * 4, SurfaceUse::kImage});
  const Surface small = user.Create({kExtent, kExtent, SurfaceUse::kImage});
  EXPECT_EQ(user.Copy(large, other, {}), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  EXPECT_EQ(user.Copy(small, small, {}), STATUS_SUCCESS);
  user.Finish();
}

// One command buffer uses nine surfaces while memory holds six, so the engine gets it in pieces.
TEST_F(MemoryPressure, MoreThanTheMemoryInOneCommandBuffer_IsSplit_AndBitExact) {
  UserDevice user = Open(kRenderNode);
  std::vector<Surface> surfaces;
  std::vector<D3DDDI_ALLOCATIONLIST> list;
  std::vector<processor::UserCopy> copies;
  for (std::uint32_t i = 0; i < 9; ++i) {
    surfaces.push_back(user.Create({kExtent, kExtent, SurfaceUse::kImage}));
    D3DDDI_ALLOCATIONLIST& element = list.emplace_back();
    element = {};
    element.hAllocation = surfaces[i].allocation;
    element.WriteOperation = 1;
    if (i == 0) continue;
    // The picture moves from surface to surface.
    processor::UserCopy& copy = copies.emplace_back();
    copy.source = i - 1;
    copy.destination = i;
    copy.rect = {0, 0, static_cast<std::int32_t>(kExtent), static_cast<std::int32_t>(kExtent)};
  }
  user.Paint(surfaces[0], 0x55000000);
  for (int times = 0; times < 20; ++times) {
    ASSERT_EQ(user.Render(std::as_bytes(std::span(copies)), list, {}), STATUS_SUCCESS);
    user.Finish();
    const std::vector<std::uint32_t> pixels = user.Read(surfaces.back());
    for (std::uint32_t at = 0; at < pixels.size(); ++at) {
      ASSERT_EQ(pixels[at], UserDevice::Painted(0x55000000 + static_cast<std::uint32_t>(times), at % kExtent, at / kExtent));
    }
    user.Paint(surfaces[0], 0x55000001 + static_cast<std::uint32_t>(times));
  }
}

}  // namespace
}  // namespace tandem::conform
