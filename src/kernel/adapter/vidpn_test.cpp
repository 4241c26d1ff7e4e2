// VidPNs in the hands of a driver that lies: every answer has its status, and what is kept is counted.
#include "kernel/adapter/vidpn.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/thread.h"
#include "kernel/adapter/mode_set.h"

namespace tandem::kernel {
namespace {

D3DKMDT_VIDPN_SOURCE_MODE SourceMode(UINT width, UINT height) {
  D3DKMDT_VIDPN_SOURCE_MODE mode{};
  mode.Type = D3DKMDT_RMT_GRAPHICS;
  mode.Format.Graphics.PrimSurfSize = mode.Format.Graphics.VisibleRegionSize = {width, height};
  mode.Format.Graphics.PixelFormat = D3DDDIFMT_A8R8G8B8;
  mode.Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
  return mode;
}

class VidPnTest : public testing::Test {
 protected:
  VidPnTest() {
    D3DKMDT_VIDPN_PRESENT_PATH path{};
    vidpn_.AddPath(path);
    path.VidPnTargetId = 1;
    vidpn_.AddPath(path);
    wanted_ = vidpn_.Offer(0, SourceMode(64, 32));
  }
  void Lend(VidPnAccess access, const VidPnPivot& pivot = {}) {
    handle_ = vidpn_.Lend(access, pivot);
    ASSERT_EQ(QueryVidPnInterface(handle_, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions_), STATUS_SUCCESS);
    ASSERT_EQ(functions_->pfnGetTopology(handle_, &topology_, &paths_), STATUS_SUCCESS);
  }
  NTSTATUS Create() { return functions_->pfnCreateNewSourceModeSet(handle_, 0, &set_, &modes_); }
  NTSTATUS Acquire() { return functions_->pfnAcquireSourceModeSet(handle_, 0, &set_, &modes_); }
  NTSTATUS Assign() { return functions_->pfnAssignSourceModeSet(handle_, 0, set_); }
  NTSTATUS Add(const D3DKMDT_VIDPN_SOURCE_MODE& mode) {
    D3DKMDT_VIDPN_SOURCE_MODE* info = nullptr;
    if (const NTSTATUS status = modes_->pfnCreateNewModeInfo(set_, &info); !NT_SUCCESS(status)) return status;
    const UINT id = info->Id;
    *info = mode;
    info->Id = id;
    const NTSTATUS status = modes_->pfnAddMode(set_, info);
    if (!NT_SUCCESS(status)) {
      EXPECT_EQ(modes_->pfnReleaseModeInfo(set_, info), STATUS_SUCCESS);
    }
    return status;
  }

  VidPn vidpn_;
  UINT wanted_ = 0;
  D3DKMDT_HVIDPN handle_ = nullptr;
  const DXGK_VIDPN_INTERFACE* functions_ = nullptr;
  D3DKMDT_HVIDPNTOPOLOGY topology_ = nullptr;
  const DXGK_VIDPNTOPOLOGY_INTERFACE* paths_ = nullptr;
  D3DKMDT_HVIDPNSOURCEMODESET set_ = nullptr;
  const DXGK_VIDPNSOURCEMODESET_INTERFACE* modes_ = nullptr;
};

TEST_F(VidPnTest, ModesOfTheDriver_ReplaceTheWantedOne) {
  Lend(VidPnAccess::kModes);
  ASSERT_EQ(Create(), STATUS_SUCCESS);
  EXPECT_EQ(Add(SourceMode(1024, 768)), STATUS_SUCCESS);
  EXPECT_EQ(Add(SourceMode(800, 600)), STATUS_SUCCESS);
  EXPECT_EQ(Add(SourceMode(800, 600)), STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET);
  ASSERT_EQ(Assign(), STATUS_SUCCESS);
  EXPECT_EQ(Assign(), STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET) << "It is assigned.";
  const VidPnFaults faults = vidpn_.Return();
  EXPECT_EQ(faults.kept + faults.pivots + faults.unpinned, 0U);
  const auto modes = vidpn_.SourceModes(0);
  ASSERT_EQ(modes.size(), 2U);
  EXPECT_EQ(modes[0].Format.Graphics.PrimSurfSize.cx, 1024U);
  EXPECT_FALSE(vidpn_.PinSource(0, wanted_));
  EXPECT_TRUE(vidpn_.PinSource(0, modes[1].Id));
  EXPECT_EQ(vidpn_.PinnedSource(0)->Format.Graphics.PrimSurfSize.cy, 600U);
}

TEST_F(VidPnTest, ModeThatNoScreenHas_IsRefused) {
  Lend(VidPnAccess::kModes);
  ASSERT_EQ(Create(), STATUS_SUCCESS);
  for (const auto& [width, height] : {std::pair{0U, 32U}, {64U, 0U}, {kMaxSurfaceExtent + 1, 32U}, {64U, ~0U}}) {
    EXPECT_EQ(Add(SourceMode(width, height)), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE_MODE);
  }
  D3DKMDT_VIDPN_SOURCE_MODE mode = SourceMode(64, 32);
  mode.Format.Graphics.VisibleRegionSize.cx = 65;
  EXPECT_EQ(Add(mode), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE_MODE);
  mode = SourceMode(64, 32);
  mode.Type = D3DKMDT_RMT_TEXT;
  EXPECT_EQ(Add(mode), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE_MODE);
  EXPECT_EQ(modes_->pfnAddMode(set_, &mode), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE_MODE) << "It is not the set's.";
  EXPECT_EQ(modes_->pfnAddMode(set_, nullptr), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE_MODE);
  EXPECT_EQ(functions_->pfnReleaseSourceModeSet(handle_, set_), STATUS_SUCCESS);
  EXPECT_EQ(functions_->pfnReleaseSourceModeSet(handle_, set_), STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET);
  EXPECT_EQ(vidpn_.Return().kept, 0U);
}

TEST(ModeSet, TargetModeWithoutActiveSize_HasItsTotalSize) {
  D3DKMDT_VIDPN_TARGET_MODE mode{};
  mode.VideoSignalInfo.VSyncFreq.Numerator = mode.VideoSignalInfo.HSyncFreq.Numerator = D3DKMDT_FREQUENCY_NOTSPECIFIED;
  EXPECT_FALSE(IsValidMode(mode));
  mode.VideoSignalInfo.TotalSize = {800, 600};
  EXPECT_TRUE(IsValidMode(mode));
  EXPECT_EQ(ActiveSizeOf(mode.VideoSignalInfo).cx, 800U);
  mode.VideoSignalInfo.ActiveSize = {801, 600};
  EXPECT_FALSE(IsValidMode(mode));
}

TEST_F(VidPnTest, EndlessModesAndSets_StopAtTheLimit) {
  Lend(VidPnAccess::kModes);
  ASSERT_EQ(Create(), STATUS_SUCCESS);
  NTSTATUS status = STATUS_SUCCESS;
  UINT count = 0;
  for (; NT_SUCCESS(status); ++count) status = Add(SourceMode(1 + count, 1));
  EXPECT_EQ(status, STATUS_NO_MEMORY);
  EXPECT_EQ(count, kMaxModeInfos + 1);
  for (count = 0, status = STATUS_SUCCESS; NT_SUCCESS(status); ++count) status = Create();
  EXPECT_EQ(status, STATUS_NO_MEMORY);
  EXPECT_LE(count, kMaxModeSets);
  EXPECT_GT(vidpn_.Return().kept, 1U);
  Lend(VidPnAccess::kModes);
  EXPECT_EQ(Create(), STATUS_SUCCESS) << "What was made before is freed.";
}

TEST_F(VidPnTest, PinnedModeAndPivot_Stay) {
  ASSERT_TRUE(vidpn_.PinSource(0, wanted_));
  Lend(VidPnAccess::kModes);
  ASSERT_EQ(Create(), STATUS_SUCCESS);
  EXPECT_EQ(Add(SourceMode(800, 600)), STATUS_SUCCESS);
  EXPECT_EQ(Assign(), STATUS_GRAPHICS_PINNED_MODE_MUST_REMAIN_IN_SET);
  EXPECT_EQ(Add(SourceMode(64, 32)), STATUS_SUCCESS);
  EXPECT_EQ(Assign(), STATUS_SUCCESS);
  EXPECT_EQ(vidpn_.Return().unpinned, 1U);
  EXPECT_EQ(vidpn_.PinnedSource(0)->Format.Graphics.PrimSurfSize.cx, 64U);
  VidPnPivot pivot;
  pivot.source = 0;
  Lend(VidPnAccess::kModes, pivot);
  ASSERT_EQ(Create(), STATUS_SUCCESS);
  EXPECT_EQ(Assign(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(vidpn_.Return().pivots, 1U);
}

TEST_F(VidPnTest, EnumerationOfASetThatWasReplaced_GoesOn) {
  vidpn_.Offer(0, SourceMode(128, 32));
  Lend(VidPnAccess::kModes);
  ASSERT_EQ(Acquire(), STATUS_SUCCESS);
  const auto before = set_;
  const D3DKMDT_VIDPN_SOURCE_MODE *first = nullptr, *next = nullptr;
  ASSERT_EQ(modes_->pfnAcquireFirstModeInfo(set_, &first), STATUS_SUCCESS);
  ASSERT_EQ(Create(), STATUS_SUCCESS);
  ASSERT_EQ(Add(SourceMode(800, 600)), STATUS_SUCCESS);
  ASSERT_EQ(Assign(), STATUS_SUCCESS);
  ASSERT_EQ(modes_->pfnAcquireNextModeInfo(before, first, &next), STATUS_SUCCESS);
  EXPECT_EQ(next->Format.Graphics.PrimSurfSize.cx, 128U);
  EXPECT_EQ(modes_->pfnReleaseModeInfo(before, first), STATUS_SUCCESS);
  EXPECT_EQ(modes_->pfnReleaseModeInfo(before, first), STATUS_GRAPHICS_MODE_NOT_IN_MODESET);
  EXPECT_EQ(modes_->pfnReleaseModeInfo(before, next), STATUS_SUCCESS);
  EXPECT_EQ(functions_->pfnReleaseSourceModeSet(handle_, before), STATUS_SUCCESS);
  SIZE_T count = 0;
  EXPECT_EQ(modes_->pfnGetNumModes(before, &count), STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET);
  EXPECT_EQ(vidpn_.Return().kept, 0U);
}

TEST_F(VidPnTest, StaleForgedAndOtherHandles_AreNotKnown) {
  Lend(VidPnAccess::kModes);
  ASSERT_EQ(Acquire(), STATUS_SUCCESS);
  VidPn other;
  other.AddPath({});
  const D3DKMDT_HVIDPN foreign = other.Lend(VidPnAccess::kModes);
  EXPECT_EQ(functions_->pfnReleaseSourceModeSet(foreign, set_), STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET);
  const auto as_targets = reinterpret_cast<D3DKMDT_HVIDPNTARGETMODESET>(set_);
  EXPECT_EQ(functions_->pfnReleaseTargetModeSet(handle_, as_targets), STATUS_GRAPHICS_INVALID_VIDPN_TARGETMODESET);
  EXPECT_EQ(functions_->pfnReleaseSourceModeSet(handle_, nullptr), STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET);
  EXPECT_EQ(functions_->pfnAcquireSourceModeSet(handle_, 9, &set_, &modes_), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE);
  EXPECT_EQ(vidpn_.Return().kept, 1U);
  EXPECT_EQ(QueryVidPnInterface(handle_, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions_), STATUS_GRAPHICS_INVALID_VIDPN);
  SIZE_T count = 0;
  EXPECT_EQ(modes_->pfnGetNumModes(set_, &count), STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET);
  EXPECT_EQ(paths_->pfnGetNumPaths(topology_, &count), STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY);
}

TEST_F(VidPnTest, WhatIsOnlyRead_IsNotChanged) {
  Lend(VidPnAccess::kRead);
  EXPECT_EQ(Create(), STATUS_ACCESS_DENIED);
  D3DKMDT_VIDPN_PRESENT_PATH* made = nullptr;
  EXPECT_EQ(paths_->pfnCreateNewPathInfo(topology_, &made), STATUS_ACCESS_DENIED);
  EXPECT_EQ(paths_->pfnRemovePath(topology_, 0, 0), STATUS_ACCESS_DENIED);
  const D3DKMDT_VIDPN_PRESENT_PATH path{};
  EXPECT_EQ(paths_->pfnUpdatePathSupportInfo(topology_, &path), STATUS_ACCESS_DENIED);
  EXPECT_EQ(functions_->pfnAssignMultisamplingMethodSet(handle_, 0, 0, nullptr), STATUS_ACCESS_DENIED);
}

TEST_F(VidPnTest, AnyThread_ReadsIt) {
  Lend(VidPnAccess::kModes);
  SIZE_T count = 0;
  auto thread = Thread::Start("tandem-test", [&] { EXPECT_EQ(paths_->pfnGetNumPaths(topology_, &count), STATUS_SUCCESS); });
  ASSERT_TRUE(thread.ok());
  thread->Join();
  EXPECT_EQ(count, 2U);
}

TEST_F(VidPnTest, Topology_TakesPathsOnce) {
  Lend(VidPnAccess::kTopology);
  D3DKMDT_VIDPN_PRESENT_PATH* made = nullptr;
  ASSERT_EQ(paths_->pfnCreateNewPathInfo(topology_, &made), STATUS_SUCCESS);
  EXPECT_EQ(paths_->pfnAddPath(topology_, made), STATUS_GRAPHICS_PATH_ALREADY_IN_TOPOLOGY);
  made->VidPnSourceId = made->VidPnTargetId = 5;
  EXPECT_EQ(paths_->pfnAddPath(topology_, made), STATUS_SUCCESS);
  EXPECT_EQ(paths_->pfnAddPath(topology_, made), STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH) << "It is no new one any more.";
  EXPECT_EQ(paths_->pfnRemovePath(topology_, 0, 1), STATUS_SUCCESS);
  EXPECT_EQ(paths_->pfnRemovePath(topology_, 0, 1), STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY);
  EXPECT_EQ(vidpn_.Return().kept, 0U);
  EXPECT_EQ(vidpn_.Paths().size(), 2U);
}

}  // namespace
}  // namespace tandem::kernel
