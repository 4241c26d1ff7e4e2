#include "drivers/common/vidpn.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace tandem::drivers {
namespace {

// A VidPN of the paths in `paths`, in that order. One at a time.
std::vector<D3DKMDT_VIDPN_PRESENT_PATH> paths;
int acquired = 0;

NTSTATUS APIENTRY AcquireAt(std::size_t index, const D3DKMDT_VIDPN_PRESENT_PATH** path) {
  if (index == paths.size()) {
    return index == 0 ? STATUS_GRAPHICS_DATASET_IS_EMPTY : STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
  }
  *path = &paths[index];
  ++acquired;
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY AcquireFirst(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH** path) { return AcquireAt(0, path); }
NTSTATUS APIENTRY AcquireNext(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH* path,
                              const D3DKMDT_VIDPN_PRESENT_PATH** next) {
  return AcquireAt(static_cast<std::size_t>(path - paths.data()) + 1, next);
}
NTSTATUS APIENTRY Release(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH*) {
  --acquired;
  return STATUS_SUCCESS;
}
NTSTATUS APIENTRY UpdateSupport(D3DKMDT_HVIDPNTOPOLOGY, const D3DKMDT_VIDPN_PRESENT_PATH* path) {
  for (auto& own : paths) {
    if (own.VidPnTargetId == path->VidPnTargetId) own.ContentTransformation = path->ContentTransformation;
  }
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY GetTopology(D3DKMDT_HVIDPN, D3DKMDT_HVIDPNTOPOLOGY* topology, const DXGK_VIDPNTOPOLOGY_INTERFACE** functions) {
  static DXGK_VIDPNTOPOLOGY_INTERFACE table = [] {
    DXGK_VIDPNTOPOLOGY_INTERFACE filled{};
    filled.pfnAcquireFirstPathInfo = &AcquireFirst;
    filled.pfnAcquireNextPathInfo = &AcquireNext;
    filled.pfnReleasePathInfo = &Release;
    filled.pfnUpdatePathSupportInfo = &UpdateSupport;
    return filled;
  }();
  *topology = nullptr;
  *functions = &table;
  return STATUS_SUCCESS;
}

// The mode sets of the VidPN: sources and targets below kPinned have a pinned mode, others one that is not.
template <class Handle, class Mode, class Functions>
struct FakeSets {
  static constexpr UINT kPinned = 1;
  static inline Mode wanted{}, made{};
  static inline int open = 0;  // sets and modes that the driver has
  static inline std::vector<UINT> assigned;

  static Handle ToHandle(UINT owner) { return std::bit_cast<Handle>(std::uintptr_t{owner} + 1); }
  static UINT Owner(Handle set) { return static_cast<UINT>(reinterpret_cast<std::uintptr_t>(set) - 1); }
  static NTSTATUS APIENTRY Acquire(D3DKMDT_HVIDPN, UINT owner, Handle* set, const Functions** functions) {
    static const Functions kTable = [] {
      Functions table{};
      table.pfnAcquirePinnedModeInfo = [](Handle of, const Mode** mode) -> NTSTATUS {
        if (Owner(of) >= kPinned) return STATUS_GRAPHICS_MODE_NOT_PINNED;
        *mode = &wanted;
        ++open;
        return STATUS_SUCCESS;
      };
      table.pfnAcquireFirstModeInfo = [](Handle, const Mode** mode) -> NTSTATUS {
        *mode = &wanted;
        ++open;
        return STATUS_SUCCESS;
      };
      table.pfnAcquireNextModeInfo = [](Handle, const Mode*, const Mode**) -> NTSTATUS {
        return STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
      };
      table.pfnReleaseModeInfo = [](Handle, const Mode*) -> NTSTATUS { return --open, STATUS_SUCCESS; };
      table.pfnCreateNewModeInfo = [](Handle, Mode** mode) -> NTSTATUS {
        made.Id = 77;
        *mode = &made;
        return STATUS_SUCCESS;
      };
      table.pfnAddMode = [](Handle, Mode*) -> NTSTATUS { return STATUS_SUCCESS; };
      return table;
    }();
    *set = ToHandle(owner);
    *functions = &kTable;
    ++open;
    return STATUS_SUCCESS;
  }
  static NTSTATUS APIENTRY Release(D3DKMDT_HVIDPN, Handle) { return --open, STATUS_SUCCESS; }
  static NTSTATUS APIENTRY Assign(D3DKMDT_HVIDPN, UINT owner, Handle) {
    assigned.push_back(owner);
    return --open, STATUS_SUCCESS;
  }
};
using FakeSources = FakeSets<D3DKMDT_HVIDPNSOURCEMODESET, D3DKMDT_VIDPN_SOURCE_MODE, DXGK_VIDPNSOURCEMODESET_INTERFACE>;
using FakeTargets = FakeSets<D3DKMDT_HVIDPNTARGETMODESET, D3DKMDT_VIDPN_TARGET_MODE, DXGK_VIDPNTARGETMODESET_INTERFACE>;

NTSTATUS APIENTRY QueryInterface(D3DKMDT_HVIDPN, DXGK_VIDPN_INTERFACE_VERSION, const DXGK_VIDPN_INTERFACE** functions) {
  static DXGK_VIDPN_INTERFACE table = [] {
    DXGK_VIDPN_INTERFACE filled{};
    filled.pfnGetTopology = &GetTopology;
    filled.pfnAcquireSourceModeSet = filled.pfnCreateNewSourceModeSet = &FakeSources::Acquire;
    filled.pfnReleaseSourceModeSet = &FakeSources::Release;
    filled.pfnAssignSourceModeSet = &FakeSources::Assign;
    filled.pfnAcquireTargetModeSet = filled.pfnCreateNewTargetModeSet = &FakeTargets::Acquire;
    filled.pfnReleaseTargetModeSet = &FakeTargets::Release;
    filled.pfnAssignTargetModeSet = &FakeTargets::Assign;
    return filled;
  }();
  *functions = &table;
  return STATUS_SUCCESS;
}

D3DKMDT_VIDPN_PRESENT_PATH Path(UINT source, UINT target, D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation,
                                D3DKMDT_VIDPN_PRESENT_PATH_IMPORTANCE importance) {
  D3DKMDT_VIDPN_PRESENT_PATH path{};
  path.VidPnSourceId = source;
  path.VidPnTargetId = target;
  path.ImportanceOrdinal = importance;
  path.ContentTransformation.Rotation = rotation;
  return path;
}

class VidPnTest : public testing::Test {
 protected:
  void SetUp() override {
    paths.clear();
    acquired = 0;
    kernel_.DxgkCbQueryVidPnInterface = &QueryInterface;
  }
  void TearDown() override { EXPECT_EQ(acquired, 0) << "a path is not released"; }
  NTSTATUS Commit(UINT affected) {
    modes_ = {};
    DXGKARG_COMMITVIDPN args{};
    args.AffectedVidPnSourceId = affected;
    return ReadCommit(kernel_, kSources, args, modes_);
  }

  static constexpr std::uint32_t kSources = 3;
  DXGKRNL_INTERFACE kernel_{};
  SourceModes modes_;
};

TEST_F(VidPnTest, Commit_PrimaryPathLast_ComesFirst) {
  paths = {Path(0, 1, D3DKMDT_VPPR_IDENTITY_OFFSET90, D3DKMDT_VPPI_TERTIARY),
           Path(0, 0, D3DKMDT_VPPR_IDENTITY, D3DKMDT_VPPI_SECONDARY), Path(0, 2, D3DKMDT_VPPR_IDENTITY, D3DKMDT_VPPI_PRIMARY)};
  ASSERT_EQ(Commit(0), STATUS_SUCCESS);
  ASSERT_EQ(modes_[0].count, 3U);
  EXPECT_EQ(modes_[0].targets().front().id, 2U);
  EXPECT_EQ(modes_[0].targets().back().id, 1U);
  EXPECT_EQ(modes_[0].targets().back().offset, color::Rotation::k90);
}

TEST_F(VidPnTest, Commit_OfOneSource_LeavesTheOthers) {
  paths = {Path(0, 0, D3DKMDT_VPPR_IDENTITY, D3DKMDT_VPPI_PRIMARY), Path(1, 1, D3DKMDT_VPPR_ROTATE180, D3DKMDT_VPPI_PRIMARY)};
  ASSERT_EQ(Commit(1), STATUS_SUCCESS);
  EXPECT_EQ(modes_[0].count, 0U);
  EXPECT_EQ(modes_[1].count, 1U);
  EXPECT_EQ(modes_[1].rotation, color::Rotation::k180);
  ASSERT_EQ(Commit(D3DDDI_ID_ALL), STATUS_SUCCESS);
  EXPECT_EQ(modes_[0].count, 1U);
  EXPECT_EQ(Commit(kSources), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE);
}

TEST_F(VidPnTest, PathsThatCannotBeShown_AreNotSupported) {
  const auto first = Path(0, 0, D3DKMDT_VPPR_IDENTITY, D3DKMDT_VPPI_PRIMARY);
  const std::vector<D3DKMDT_VIDPN_PRESENT_PATH> wrong{
      Path(kSources, 1, D3DKMDT_VPPR_IDENTITY, D3DKMDT_VPPI_PRIMARY),
      Path(0, kSources, D3DKMDT_VPPR_IDENTITY, D3DKMDT_VPPI_SECONDARY),
      Path(0, 1, D3DKMDT_VPPR_UNINITIALIZED, D3DKMDT_VPPI_SECONDARY),
      Path(0, 1, D3DKMDT_VPPR_ROTATE90, D3DKMDT_VPPI_SECONDARY)};  // the content of one source is turned once
  for (const auto& path : wrong) {
    paths = {first, path};
    DXGKARG_ISSUPPORTEDVIDPN args{nullptr, TRUE};
    EXPECT_EQ(IsSupportedVidPn(kernel_, kSources, args), STATUS_SUCCESS);
    EXPECT_EQ(args.IsVidPnSupported, FALSE);
    EXPECT_EQ(Commit(D3DDDI_ID_ALL), STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY);
  }
  paths = {first};
  DXGKARG_ISSUPPORTEDVIDPN args{nullptr, FALSE};
  EXPECT_EQ(IsSupportedVidPn(kernel_, kSources, args), STATUS_SUCCESS);
  EXPECT_EQ(args.IsVidPnSupported, TRUE);
}

TEST_F(VidPnTest, Modality_EveryPathTakesEveryRotation) {
  paths = {Path(0, 0, D3DKMDT_VPPR_IDENTITY, D3DKMDT_VPPI_PRIMARY), Path(1, 1, D3DKMDT_VPPR_IDENTITY, D3DKMDT_VPPI_PRIMARY)};
  DXGKARG_ENUMVIDPNCOFUNCMODALITY args{};
  ASSERT_EQ(EnumVidPnCofuncModality(kernel_, args), STATUS_SUCCESS);
  for (const auto& path : paths) EXPECT_EQ(path.ContentTransformation.RotationSupport.Value, 0xFFU);
  paths.clear();
  EXPECT_EQ(EnumVidPnCofuncModality(kernel_, args), STATUS_SUCCESS);
}

TEST_F(VidPnTest, Modality_OffersTheWantedModes_ButForPinnedOnesAndThePivot) {
  paths = {Path(0, 0, D3DKMDT_VPPR_IDENTITY, D3DKMDT_VPPI_PRIMARY), Path(1, 1, D3DKMDT_VPPR_UNPINNED, D3DKMDT_VPPI_PRIMARY),
           Path(2, 2, D3DKMDT_VPPR_UNPINNED, D3DKMDT_VPPI_PRIMARY)};
  FakeSources::wanted.Format.Graphics.PrimSurfSize = {64, 48};
  FakeTargets::wanted.VideoSignalInfo.ActiveSize = {64, 48};
  FakeTargets::wanted.VideoSignalInfo.VSyncFreq = {D3DKMDT_FREQUENCY_NOTSPECIFIED, D3DKMDT_FREQUENCY_NOTSPECIFIED};
  FakeSources::assigned.clear();
  FakeTargets::assigned.clear();
  DXGKARG_ENUMVIDPNCOFUNCMODALITY args{};
  args.EnumPivotType = D3DKMDT_EPT_VIDPNSOURCE;
  args.EnumPivot.VidPnSourceId = 2;
  ASSERT_EQ(EnumVidPnCofuncModality(kernel_, args), STATUS_SUCCESS);
  EXPECT_EQ(FakeSources::assigned, std::vector<UINT>{1});
  EXPECT_EQ(FakeTargets::assigned, (std::vector<UINT>{1, 2}));
  EXPECT_EQ(FakeSources::made.Format.Graphics.PrimSurfSize.cx, 64U);
  EXPECT_EQ(FakeTargets::made.VideoSignalInfo.HSyncFreq.Numerator, 60U * 48) << "Windows takes no mode without frequencies.";
  EXPECT_EQ(FakeTargets::made.VideoSignalInfo.PixelRate, SIZE_T{60} * 64 * 48);
  EXPECT_EQ(FakeSources::made.Id, 77U) << "The kernel's id is kept.";
  EXPECT_EQ(FakeSources::open + FakeTargets::open, 0) << "Each set is released or assigned, and each mode released.";
}

TEST_F(VidPnTest, ActivePath_HasRotationAndOffset) {
  DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH args{};
  args.VidPnPresentPathInfo = Path(1, 2, D3DKMDT_VPPR_ROTATE90_OFFSET180, D3DKMDT_VPPI_PRIMARY);
  D3DKMDT_GAMMA_RAMP& ramp = args.VidPnPresentPathInfo.GammaRamp;
  ramp.Type = D3DDDI_GAMMARAMP_DEFAULT;
  ActivePath path;
  ASSERT_EQ(ReadActivePath(kSources, args, path), STATUS_SUCCESS);
  EXPECT_EQ(path.source, 1U);
  EXPECT_EQ(path.rotation, color::Rotation::k90);
  EXPECT_EQ(path.target.id, 2U);
  EXPECT_EQ(path.target.offset, color::Rotation::k180);
  D3DDDI_GAMMA_RAMP_RGB256x3x16 values{};
  ramp = {D3DDDI_GAMMARAMP_RGB256x3x16, sizeof(values), {&values}};
  EXPECT_EQ(ReadActivePath(kSources, args, path), STATUS_SUCCESS);
  ramp.DataSize = sizeof(values) - 1;
  EXPECT_EQ(ReadActivePath(kSources, args, path), STATUS_GRAPHICS_INVALID_GAMMA_RAMP);
  ramp = {D3DDDI_GAMMARAMP_RGB256x3x16, sizeof(values), {}};
  EXPECT_EQ(ReadActivePath(kSources, args, path), STATUS_GRAPHICS_INVALID_GAMMA_RAMP);
  ramp.Type = D3DDDI_GAMMARAMP_MATRIX_3x4;
  EXPECT_EQ(ReadActivePath(kSources, args, path), STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED);
  args.VidPnPresentPathInfo.VidPnTargetId = kSources;
  EXPECT_EQ(ReadActivePath(kSources, args, path), STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH);
}

}  // namespace
}  // namespace tandem::drivers
