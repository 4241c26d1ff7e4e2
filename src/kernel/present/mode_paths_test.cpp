// Paths that programs change: gamma ramps, and VidPNs that the driver recommends.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/sleep.h"
#include "kernel/adapter/rules.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

struct Path {
  UINT source = 0;
  UINT target = 0;
  friend bool operator==(const Path&, const Path&) = default;
};
using Paths = std::vector<Path>;

class ModePaths : public KernelFixture {
 protected:
  ModePaths() {
    test_ = this;
    miniport_.sources = miniport_.children = 2;
    miniport_.caps.GammaRampCaps.Gamma_Rgb256x3x16 = 1;
    miniport_.table.DxgkDdiUpdateActiveVidPnPresentPath = [](HANDLE, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* update) {
      const D3DKMDT_VIDPN_PRESENT_PATH& path = update->VidPnPresentPathInfo;
      test_->updated_.push_back({path.VidPnSourceId, path.VidPnTargetId});
      test_->type_ = path.GammaRamp.Type;
      if (path.GammaRamp.Type == D3DDDI_GAMMARAMP_RGB256x3x16) test_->green_ = path.GammaRamp.Data.pRgb256x3x16->Green[7];
      return test_->update_status_;
    };
    miniport_.table.DxgkDdiRecommendFunctionalVidPn = [](HANDLE, CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN* args) {
      return test_->Recommend(*args);
    };
    miniport_.table.DxgkDdiQueryVidPnHWCapability = [](HANDLE, DXGKARG_QUERYVIDPNHWCAPABILITY* args) {
      test_->asked_.push_back({args->SourceId, args->TargetId});
      args->VidPnHWCaps.DriverRotation = 1;
      args->VidPnHWCaps.Reserved = test_->sets_reserved_ ? 1 : 0;
      return NTSTATUS{STATUS_SUCCESS};
    };
    miniport_.on_commit_vidpn = [this](const DXGKARG_COMMITVIDPN* args) {
      return WithTopology(args->hFunctionalVidPn, [&](auto topology, const auto& functions) {
        committed_.clear();
        const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
        NTSTATUS status = functions.pfnAcquireFirstPathInfo(topology, &path);
        while (status == STATUS_SUCCESS) {
          committed_.push_back({path->VidPnSourceId, path->VidPnTargetId});
          const D3DKMDT_VIDPN_PRESENT_PATH* next = nullptr;
          status = functions.pfnAcquireNextPathInfo(topology, path, &next);
          EXPECT_EQ(functions.pfnReleasePathInfo(topology, path), STATUS_SUCCESS);
          path = next;
        }
        return NTSTATUS{STATUS_SUCCESS};
      });
    };
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      shown_ = static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart);
      return NTSTATUS{STATUS_SUCCESS};
    };
    miniport_.on_is_supported_vidpn = [this](DXGKARG_ISSUPPORTEDVIDPN* args) {
      args->IsVidPnSupported = supported_ ? TRUE : FALSE;
      return NTSTATUS{STATUS_SUCCESS};
    };
  }
  ~ModePaths() override { kernel_.reset(); }

  NTSTATUS SetMode() {
    Open();
    EXPECT_EQ(CreatePrimary(primary_), STATUS_SUCCESS);
    return SetDisplayMode(primary_, D3DDDI_ROTATION_IDENTITY);
  }
  void Show() {
    ASSERT_EQ(SetMode(), STATUS_SUCCESS);
    miniport_.Vsync(0, shown_);
  }

  [[nodiscard]] NTSTATUS SetGamma(D3DDDI_GAMMARAMP_TYPE type, D3DDDI_GAMMA_RAMP_RGB256x3x16* values, UINT bytes,
                                  UINT source = 0) const {
    const D3DKMT_SETGAMMARAMP set{device_, source, type, {values}, bytes};
    return D3DKMTSetGammaRamp(&set);
  }
  [[nodiscard]] NTSTATUS Invalidate(void* data = nullptr, UINT bytes = 0) const {
    const D3DKMT_INVALIDATEACTIVEVIDPN invalidate{adapter_, data, bytes};
    return D3DKMTInvalidateActiveVidPn(&invalidate);
  }
  [[nodiscard]] std::string Violation() const { return *kernel_->Violation(luid_); }

  NTSTATUS Recommend(const DXGKARG_RECOMMENDFUNCTIONALVIDPN& args) {
    wanted_targets_.assign(args.pVidPnTargetPrioritizationVector,
                           args.pVidPnTargetPrioritizationVector + args.NumberOfVidPnTargets);
    private_data_.assign(static_cast<const char*>(args.pPrivateDriverData), args.PrivateDriverDataSize);
    if (recommended_.empty()) return recommend_status_;
    const DXGK_VIDPN_INTERFACE* functions = nullptr;
    EXPECT_EQ(miniport_.kernel().DxgkCbQueryVidPnInterface(args.hRecommendedFunctionalVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1,
                                                           &functions),
              STATUS_SUCCESS);
    for (const Path& path : recommended_) Add(args.hRecommendedFunctionalVidPn, *functions, path);
    return STATUS_SUCCESS;
  }
  void Add(D3DKMDT_HVIDPN vidpn, const DXGK_VIDPN_INTERFACE& functions, const Path& wanted) const {
    D3DKMDT_HVIDPNTOPOLOGY topology = nullptr;
    const DXGK_VIDPNTOPOLOGY_INTERFACE* paths = nullptr;
    ASSERT_EQ(functions.pfnGetTopology(vidpn, &topology, &paths), STATUS_SUCCESS);
    D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
    ASSERT_EQ(paths->pfnCreateNewPathInfo(topology, &path), STATUS_SUCCESS);
    path->VidPnSourceId = wanted.source;
    path->VidPnTargetId = wanted.target;
    path->ImportanceOrdinal = D3DKMDT_VPPI_PRIMARY;
    path->ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
    path->ContentTransformation.Rotation = rotation_;
    ASSERT_EQ(paths->pfnAddPath(topology, path), STATUS_SUCCESS);
    if (!pins_) return;
    D3DKMDT_HVIDPNSOURCEMODESET source_set = nullptr;
    const DXGK_VIDPNSOURCEMODESET_INTERFACE* sources = nullptr;
    ASSERT_EQ(functions.pfnCreateNewSourceModeSet(vidpn, wanted.source, &source_set, &sources), STATUS_SUCCESS);
    D3DKMDT_VIDPN_SOURCE_MODE* source = nullptr;
    ASSERT_EQ(sources->pfnCreateNewModeInfo(source_set, &source), STATUS_SUCCESS);
    source->Type = D3DKMDT_RMT_GRAPHICS;
    source->Format.Graphics.PrimSurfSize = source->Format.Graphics.VisibleRegionSize = {640, 480};
    source->Format.Graphics.PixelFormat = D3DDDIFMT_A8R8G8B8;
    source->Format.Graphics.ColorBasis = D3DKMDT_CB_SCRGB;
    source->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
    ASSERT_EQ(sources->pfnAddMode(source_set, source), STATUS_SUCCESS);
    ASSERT_EQ(sources->pfnPinMode(source_set, source->Id), STATUS_SUCCESS);
    ASSERT_EQ(functions.pfnAssignSourceModeSet(vidpn, wanted.source, source_set), STATUS_SUCCESS);
    D3DKMDT_HVIDPNTARGETMODESET target_set = nullptr;
    const DXGK_VIDPNTARGETMODESET_INTERFACE* targets = nullptr;
    ASSERT_EQ(functions.pfnCreateNewTargetModeSet(vidpn, wanted.target, &target_set, &targets), STATUS_SUCCESS);
    D3DKMDT_VIDPN_TARGET_MODE* target = nullptr;
    ASSERT_EQ(targets->pfnCreateNewModeInfo(target_set, &target), STATUS_SUCCESS);
    target->VideoSignalInfo.VideoStandard = D3DKMDT_VSS_OTHER;
    target->VideoSignalInfo.ActiveSize = target->VideoSignalInfo.TotalSize = {640, 480};
    target->VideoSignalInfo.VSyncFreq = {60, 1};
    target->VideoSignalInfo.HSyncFreq = {60 * 480, 1};
    target->VideoSignalInfo.PixelRate = SIZE_T{60} * 640 * 480;
    target->VideoSignalInfo.AdditionalSignalInfo.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
    ASSERT_EQ(targets->pfnAddMode(target_set, target), STATUS_SUCCESS);
    ASSERT_EQ(targets->pfnPinMode(target_set, target->Id), STATUS_SUCCESS);
    ASSERT_EQ(functions.pfnAssignTargetModeSet(vidpn, wanted.target, target_set), STATUS_SUCCESS);
  }

  // The driver's own list of modes for source 0.
  NTSTATUS OfferSources(D3DKMDT_HVIDPN vidpn) {
    const DXGK_VIDPN_INTERFACE* functions = nullptr;
    EXPECT_EQ(miniport_.kernel().DxgkCbQueryVidPnInterface(vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions), STATUS_SUCCESS);
    D3DKMDT_HVIDPNSOURCEMODESET set = nullptr;
    const DXGK_VIDPNSOURCEMODESET_INTERFACE* sources = nullptr;
    EXPECT_EQ(functions->pfnCreateNewSourceModeSet(vidpn, 0, &set, &sources), STATUS_SUCCESS);
    for (const D3DKMDT_2DREGION size : {D3DKMDT_2DREGION{640, 480}, {1024, 768}, {800, 600}}) {
      D3DKMDT_VIDPN_SOURCE_MODE* mode = nullptr;
      EXPECT_EQ(sources->pfnCreateNewModeInfo(set, &mode), STATUS_SUCCESS);
      mode->Type = D3DKMDT_RMT_GRAPHICS;
      mode->Format.Graphics.PrimSurfSize = mode->Format.Graphics.VisibleRegionSize = size;
      mode->Format.Graphics.Stride = size.cx * 4;
      mode->Format.Graphics.PixelFormat = D3DDDIFMT_X8R8G8B8;
      mode->Format.Graphics.ColorBasis = D3DKMDT_CB_SCRGB;
      mode->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
      EXPECT_EQ(sources->pfnAddMode(set, mode), STATUS_SUCCESS);
    }
    return functions->pfnAssignSourceModeSet(vidpn, 0, set);
  }

  static inline ModePaths* test_ = nullptr;
  D3DKMT_HANDLE primary_ = 0;
  std::atomic<std::uint64_t> shown_{0};
  Paths committed_, asked_, updated_, recommended_;
  D3DDDI_GAMMARAMP_TYPE type_ = D3DDDI_GAMMARAMP_UNINITIALIZED;
  USHORT green_ = 0;
  NTSTATUS update_status_ = STATUS_SUCCESS;
  NTSTATUS recommend_status_ = STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
  std::vector<UINT> wanted_targets_;
  std::string private_data_;
  D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation_ = D3DKMDT_VPPR_IDENTITY;
  bool pins_ = true, supported_ = true;
  bool sets_reserved_ = false;
};

TEST_F(ModePaths, GammaRamp_ReachesThePathOfTheSource) {
  Show();
  D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp{};
  ramp.Green[7] = 4321;
  ASSERT_EQ(SetGamma(D3DDDI_GAMMARAMP_RGB256x3x16, &ramp, sizeof(ramp)), STATUS_SUCCESS);
  EXPECT_EQ(green_, 4321);
  ASSERT_EQ(SetGamma(D3DDDI_GAMMARAMP_DEFAULT, nullptr, 0), STATUS_SUCCESS);
  EXPECT_EQ(type_, D3DDDI_GAMMARAMP_DEFAULT);
  EXPECT_EQ(updated_, (Paths{{0, 0}, {0, 0}}));
  update_status_ = STATUS_GRAPHICS_INVALID_GAMMA_RAMP;
  EXPECT_EQ(SetGamma(D3DDDI_GAMMARAMP_RGB256x3x16, &ramp, sizeof(ramp)), STATUS_GRAPHICS_INVALID_GAMMA_RAMP);
}

TEST_F(ModePaths, GammaRampThatCannotBe_IsRefused_AndTheDriverIsNotAsked) {
  miniport_.caps.GammaRampCaps.Gamma_Rgb256x3x16 = 0;
  Show();
  D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp{};
  EXPECT_EQ(SetGamma(D3DDDI_GAMMARAMP_RGB256x3x16, &ramp, sizeof(ramp)), STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED);
  EXPECT_EQ(SetGamma(D3DDDI_GAMMARAMP_RGB256x3x16, &ramp, sizeof(ramp) - 1), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(SetGamma(D3DDDI_GAMMARAMP_RGB256x3x16, nullptr, sizeof(ramp)), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(SetGamma(D3DDDI_GAMMARAMP_DEFAULT, nullptr, 1), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(SetGamma(D3DDDI_GAMMARAMP_UNINITIALIZED, nullptr, 0), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(SetGamma(D3DDDI_GAMMARAMP_DXGI_1, nullptr, 0), STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED);
  EXPECT_EQ(SetGamma(D3DDDI_GAMMARAMP_DEFAULT, nullptr, 0, 1), STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY);
  EXPECT_EQ(SetGamma(D3DDDI_GAMMARAMP_DEFAULT, nullptr, 0, 2), STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(updated_.empty());
}

TEST_F(ModePaths, ClosestMode_IsTheDriversOffer_AndNothingIsSet) {
  miniport_.on_enum_vidpn_cofunc_modality = [this](const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
    return args->EnumPivotType == D3DKMDT_EPT_NOPIVOT ? OfferSources(args->hConstrainingVidPn) : STATUS_SUCCESS;
  };
  Open();
  const auto sizes = [this](std::uint32_t width, std::uint32_t height) {
    const auto mode = kernel_->ClosestMode(luid_, 0, width, height);
    EXPECT_TRUE(mode.ok()) << mode.error().message;
    EXPECT_EQ(mode->format, D3DDDIFMT_X8R8G8B8);
    return Path{mode->width, mode->height};
  };
  EXPECT_EQ(sizes(800, 600), (Path{800, 600}));
  EXPECT_EQ(sizes(700, 500), (Path{800, 600}));
  EXPECT_EQ(sizes(4000, 100), (Path{1024, 768}));
  EXPECT_TRUE(committed_.empty());
  EXPECT_EQ(kernel_->ClosestMode(luid_, 7, 800, 600).error().kind, ErrorKind::kNotFound);
  supported_ = false;
  EXPECT_EQ(kernel_->ClosestMode(luid_, 0, 800, 600).error().kind, ErrorKind::kUnsupported);
}

TEST_F(ModePaths, HwCapability_IsAskedForTheActivePath) {
  Show();
  EXPECT_EQ(asked_, (Paths{{0, 0}}));
  EXPECT_EQ(Violation(), "");
}

TEST_F(ModePaths, HwCapabilityWithReservedBits_IsNamed) {
  sets_reserved_ = true;
  EXPECT_EQ(SetMode(), STATUS_DEVICE_REMOVED);
  EXPECT_NE(Violation().find(rules::kVidPnHwCapability), std::string::npos) << Violation();
}

TEST_F(ModePaths, RecommendedTarget_ShowsTheSource) {
  Show();
  recommended_ = {{0, 1}};
  char data[] = "left";
  ASSERT_EQ(Invalidate(data, sizeof(data) - 1), STATUS_SUCCESS);
  EXPECT_EQ(private_data_, "left");
  EXPECT_EQ(wanted_targets_, (std::vector<UINT>{0, 1}));
  EXPECT_EQ(committed_, (Paths{{0, 1}}));
  D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp{};
  ASSERT_EQ(SetGamma(D3DDDI_GAMMARAMP_RGB256x3x16, &ramp, sizeof(ramp)), STATUS_SUCCESS);
  EXPECT_EQ(updated_, (Paths{{0, 1}}));
  const std::size_t commits = miniport_.count("DxgkDdiCommitVidPn");
  ASSERT_EQ(Invalidate(), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiCommitVidPn"), commits) << "It is active already.";
}

TEST_F(ModePaths, RecommendedClone_IsCommittedWithBothTargets) {
  Show();
  recommended_ = {{0, 1}, {0, 0}};
  pins_ = true;
  ASSERT_EQ(Invalidate(), STATUS_SUCCESS);
  EXPECT_EQ(committed_, (Paths{{0, 1}, {0, 0}}));
}

TEST_F(ModePaths, RecommendationWithoutTheShownSource_IsNotTaken) {
  Show();
  recommended_ = {{1, 1}};
  committed_.clear();
  EXPECT_EQ(Invalidate(), STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED);
  EXPECT_TRUE(committed_.empty());
  EXPECT_EQ(Violation(), "");
}

TEST_F(ModePaths, ShownSourceWithoutAMonitor_NeedsNoPath) {
  miniport_.child_caps.HpdAwareness = HpdAwarenessInterruptible;
  std::atomic<bool> pulled{false};
  miniport_.on_query_child_status = [&](DXGK_CHILD_STATUS* status) {
    status->HotPlug.Connected = pulled && status->ChildUid == 0 ? FALSE : TRUE;
    return STATUS_SUCCESS;
  };
  Show();
  pulled = true;
  DXGK_CHILD_STATUS status{};
  status.Type = StatusConnection;
  EXPECT_EQ(miniport_.kernel().DxgkCbIndicateChildStatus(miniport_.kernel().DeviceHandle, &status), STATUS_SUCCESS);
  while (miniport_.count("DxgkDdiCommitVidPn") < 2) SleepFor(MonotonicClock(), 1'000'000);
  recommended_ = {{1, 1}};
  EXPECT_EQ(Invalidate(), STATUS_SUCCESS);
  EXPECT_EQ(wanted_targets_, (std::vector<UINT>{1}));
}

TEST_F(ModePaths, NoRecommendation_ChangesNothing) {
  Show();
  EXPECT_EQ(Invalidate(), STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN);
  EXPECT_EQ(Invalidate(nullptr, 1), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(committed_, (Paths{{0, 0}}));
  EXPECT_EQ(Violation(), "");
}

struct Fault {
  const char* name;
  std::function<void(Paths& paths, bool& pins, bool& supported, D3DKMDT_VIDPN_PRESENT_PATH_ROTATION& rotation)> make;
  const char* named;
};
class RecommendedFault : public ModePaths, public ::testing::WithParamInterface<Fault> {};

TEST_P(RecommendedFault, IsNamed) {
  Show();
  recommended_ = {{0, 1}};
  GetParam().make(recommended_, pins_, supported_, rotation_);
  recommend_status_ = STATUS_SUCCESS;
  EXPECT_EQ(Invalidate(), STATUS_DEVICE_REMOVED);
  EXPECT_NE(Violation().find(rules::kVidPnRecommended), std::string::npos) << Violation();
  EXPECT_NE(Violation().find(GetParam().named), std::string::npos) << Violation();
}

INSTANTIATE_TEST_SUITE_P(
    All, RecommendedFault,
    ::testing::Values(
        Fault{"NoPath", [](auto& paths, auto&, auto&, auto&) { paths.clear(); }, "it has no path"},
        Fault{"NoSuchSource", [](auto& paths, auto&, auto&, auto&) { paths[0].source = 7; }, "source 7 does not exist"},
        Fault{"NoSuchTarget", [](auto& paths, auto&, auto&, auto&) { paths[0].target = 9; }, "target 9 does not exist"},
        Fault{"TargetTwice",
              [](auto& paths, auto&, auto&, auto&) {
                paths.push_back({1, 1});
              },
              "target 1 has two sources"},
        Fault{"NotPinned", [](auto&, auto& pins, auto&, auto&) { pins = false; }, "source 0 has no pinned mode"},
        Fault{"NotTransformed", [](auto&, auto&, auto&, auto& rotation) { rotation = D3DKMDT_VPPR_UNPINNED; }, "is not pinned"},
        Fault{"NotSupported", [](auto&, auto&, auto& supported, auto&) { supported = false; }, "does not support it"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tandem::kernel
