// D3DKMTSetDisplayMode: the VidPn that a driver reads, the rotations that it reports, and what is left when it refuses.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "base/thread.h"
#include "kernel/adapter/rules.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class Modes : public KernelFixture {
 protected:
  void SetUp() override {
    miniport_.on_commit_vidpn = [this](const DXGKARG_COMMITVIDPN* args) {
      commit_ = *args;
      return WithTopology(args->hFunctionalVidPn, [&](auto topology, const auto& functions) {
        const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
        EXPECT_EQ(functions.pfnAcquirePathInfo(topology, 0, 0, &path), STATUS_SUCCESS);
        rotation_ = path->ContentTransformation.Rotation;
        if (release_) {
          EXPECT_EQ(functions.pfnReleasePathInfo(topology, path), STATUS_SUCCESS);
        }
        return commit_status_;
      });
    };
    miniport_.on_enum_vidpn_cofunc_modality = [this](const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
      return WithTopology(args->hConstrainingVidPn, [&](auto topology, const auto& functions) {
        const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
        EXPECT_EQ(functions.pfnAcquireFirstPathInfo(topology, &path), STATUS_SUCCESS);
        D3DKMDT_VIDPN_PRESENT_PATH supported = *path;
        supported.ContentTransformation.RotationSupport.Value = rotations_;
        EXPECT_EQ(functions.pfnUpdatePathSupportInfo(topology, &supported),
                  (rotations_ & 0x10) != 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
        const D3DKMDT_VIDPN_PRESENT_PATH* next = nullptr;
        EXPECT_EQ(functions.pfnAcquireNextPathInfo(topology, path, &next), STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET);
        return functions.pfnReleasePathInfo(topology, path);
      });
    };
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      shown_ = static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart);
      return STATUS_SUCCESS;
    };
    Open();
    ASSERT_EQ(CreatePrimary(primary_), STATUS_SUCCESS);
    ASSERT_EQ(CreateAllocation(source_), STATUS_SUCCESS);
  }
  NTSTATUS FlipTo(D3DKMT_HANDLE surface) {
    D3DKMT_PRESENT flip{};
    flip.hContext = context_;
    flip.hSource = surface;
    flip.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
    flip.Flags.Flip = 1;
    return D3DKMTPresent(&flip);
  }
  // The vertical blank that reports what was programmed last.
  void Blank() { miniport_.Vsync(0, shown_); }
  NTSTATUS SetMode(D3DDDI_ROTATION rotation) {
    return SetModeWith([=](auto& mode) { mode.DisplayOrientation = rotation; });
  }
  NTSTATUS SetModeWith(const std::function<void(D3DKMT_SETDISPLAYMODE&)>& change) {
    D3DKMT_SETDISPLAYMODE mode{};
    mode.hDevice = device_;
    mode.hPrimaryAllocation = primary_;
    mode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
    mode.DisplayOrientation = D3DDDI_ROTATION_IDENTITY;
    change(mode);
    return D3DKMTSetDisplayMode(&mode);
  }
  D3DKMT_HANDLE primary_ = 0, source_ = 0;
  std::atomic<std::uint64_t> shown_{0};
  DXGKARG_COMMITVIDPN commit_{};
  D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation_ = D3DKMDT_VPPR_UNINITIALIZED;
  NTSTATUS commit_status_ = STATUS_SUCCESS;
  UINT rotations_ = 0x1F;
  bool release_ = true;
};

TEST_F(Modes, EachRotation_IsCommittedWithThePrimary_AndTheSourceIsSwitchedOn) {
  for (const D3DDDI_ROTATION rotation :
       {D3DDDI_ROTATION_IDENTITY, D3DDDI_ROTATION_90, D3DDDI_ROTATION_180, D3DDDI_ROTATION_270}) {
    ASSERT_EQ(SetMode(rotation), STATUS_SUCCESS);
    Blank();
    EXPECT_EQ(static_cast<int>(rotation_), static_cast<int>(rotation));
    EXPECT_NE(commit_.hPrimaryAllocation, nullptr);
    EXPECT_EQ(commit_.AffectedVidPnSourceId, 0u);
  }
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceAddress"), 4u);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceVisibility"), 7u) << "Each mode but the first finds a visible source.";
}

TEST_F(Modes, PrimaryPathWithoutOffset0_IsNamed) {
  rotations_ = 0xF;
  EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_DEVICE_REMOVED);
  EXPECT_NE(kernel_->Violation(luid_)->find(rules::kOffsetOfPrimary), std::string::npos);
}

TEST_F(Modes, CurrentDisplayMode_IsWhatWasCommittedLast) {
  D3DKMT_CURRENTDISPLAYMODE current{};
  D3DKMT_QUERYADAPTERINFO query{adapter_, KMTQAITYPE_CURRENTDISPLAYMODE, &current, sizeof(current)};
  ASSERT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_SUCCESS);
  EXPECT_EQ(current.DisplayMode.DisplayOrientation, D3DDDI_ROTATION_IDENTITY);
  EXPECT_EQ(current.DisplayMode.Width, 0u);
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_270), STATUS_SUCCESS);
  ASSERT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_SUCCESS);
  EXPECT_EQ(current.DisplayMode.DisplayOrientation, D3DDDI_ROTATION_270);
  EXPECT_EQ(current.DisplayMode.Width, 64u);
  EXPECT_EQ(current.DisplayMode.Height, 32u);
  rotations_ = 0x11;
  ASSERT_NE(SetMode(D3DDDI_ROTATION_90), STATUS_SUCCESS);
  ASSERT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_SUCCESS);
  EXPECT_EQ(current.DisplayMode.DisplayOrientation, D3DDDI_ROTATION_270);
  current.VidPnSourceId = 64;
  EXPECT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_INVALID_PARAMETER);
  query.PrivateDriverDataSize = sizeof(current) - 1;
  EXPECT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_INVALID_PARAMETER);
}

TEST_F(Modes, QuarterTurn_CopiesWithRotate_SeeWidthAndHeightExchanged) {
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_90), STATUS_SUCCESS);
  RECT destination{};
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    destination = args->DstRect;
    return WritePresent(*args);
  };
  D3DKMT_PRESENT present = Copy(source_, primary_);
  ASSERT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
  EXPECT_EQ(destination.right, 64);
  present.Flags.Rotate = 1;
  ASSERT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
  EXPECT_EQ(destination.right, 32);
  EXPECT_EQ(destination.bottom, 64);
}

TEST_F(Modes, RotationThatTheDriverDoesNotReport_IsRefused_AndTheModeStays) {
  rotations_ = 0x11;
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS);
  EXPECT_EQ(SetMode(D3DDDI_ROTATION_90), STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED);
  EXPECT_EQ(miniport_.count("DxgkDdiCommitVidPn"), 1u);
}

TEST_F(Modes, DriverRefuses_ItsStatusIsTheAnswer) {
  commit_status_ = STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceAddress"), 0u);
  commit_status_ = STATUS_SUCCESS;
  miniport_.on_is_supported_vidpn = [](DXGKARG_ISSUPPORTEDVIDPN* args) {
    args->IsVidPnSupported = FALSE;
    return STATUS_SUCCESS;
  };
  EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED);
}

TEST_F(Modes, PathThatIsNotReleased_StopsTheAdapter) {
  release_ = false;
  EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_DEVICE_REMOVED);
  EXPECT_NE(kernel_->Violation(luid_)->find("VidPn.WhatIsAcquiredIsReleased"), std::string::npos);
}

TEST_F(Modes, VidPnOutsideItsDdi_IsNotKnown) {
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS);
  const D3DKMDT_HVIDPN old = commit_.hFunctionalVidPn;
  const DXGK_VIDPN_INTERFACE* functions = nullptr;
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    EXPECT_EQ(miniport_.kernel().DxgkCbQueryVidPnInterface(old, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions),
              STATUS_GRAPHICS_INVALID_VIDPN);
    return WritePresent(*args);
  };
  D3DKMT_PRESENT present = Copy(source_, primary_);
  EXPECT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
}

TEST_F(Modes, Palette_ReachesTheDriver_AsFarAsItGoes) {
  static DXGKARG_SETPALETTE set;
  static std::vector<D3DKMDT_PALETTEDATA> entries;
  const std::array<D3DKMDT_PALETTEDATA, 2> colors{{{1, 2, 3, 0}, {4, 5, 6, 0}}};
  EXPECT_EQ(kernel_->SetPalette(luid_, 0, 254, colors).error().kind, ErrorKind::kUnsupported) << "The driver has none.";
  miniport_.table.DxgkDdiSetPalette = [](HANDLE, const DXGKARG_SETPALETTE* args) -> NTSTATUS {
    set = *args;
    entries.assign(args->pLookupTable, args->pLookupTable + args->NumEntries);
    EXPECT_EQ(CurrentIrql(), PASSIVE_LEVEL);
    return STATUS_SUCCESS;
  };
  kernel_.reset();
  Open();
  EXPECT_TRUE(kernel_->SetPalette(luid_, 0, 254, colors).ok());
  EXPECT_EQ(set.FirstEntry, 254u);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].Green, 5);
  EXPECT_EQ(kernel_->SetPalette(luid_, 0, 255, colors).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(kernel_->SetPalette(luid_, 0, 0, {}).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(kernel_->SetPalette(luid_, 1, 0, colors).error().kind, ErrorKind::kNotFound);
}

class Clones : public Modes {
 protected:
  struct Path {
    UINT target;
    D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation;
    D3DKMDT_VIDPN_PRESENT_PATH_IMPORTANCE importance;
    bool operator==(const Path&) const = default;
  };

  void SetUp() override {
    miniport_.sources = miniport_.children = 2;
    Modes::SetUp();
    miniport_.on_commit_vidpn = [this](const DXGKARG_COMMITVIDPN* args) {
      return WithTopology(args->hFunctionalVidPn, [this](auto topology, const auto& functions) {
        paths_ = PathsOf(topology, functions);
        return STATUS_SUCCESS;
      });
    };
    miniport_.on_enum_vidpn_cofunc_modality = [this](const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
      return WithTopology(args->hConstrainingVidPn, [this](auto topology, const auto& functions) {
        for (UINT target = 0; target < 2; ++target) {
          const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
          if (functions.pfnAcquirePathInfo(topology, 0, target, &path) != STATUS_SUCCESS) continue;
          D3DKMDT_VIDPN_PRESENT_PATH supported = *path;
          supported.ContentTransformation.RotationSupport.Value = rotations_;
          EXPECT_EQ(functions.pfnUpdatePathSupportInfo(topology, &supported), STATUS_SUCCESS);
          EXPECT_EQ(functions.pfnReleasePathInfo(topology, path), STATUS_SUCCESS);
        }
        return STATUS_SUCCESS;
      });
    };
  }
  static std::vector<Path> PathsOf(D3DKMDT_HVIDPNTOPOLOGY topology, const DXGK_VIDPNTOPOLOGY_INTERFACE& functions) {
    std::vector<Path> paths;
    const D3DKMDT_VIDPN_PRESENT_PATH* path = nullptr;
    EXPECT_EQ(functions.pfnAcquireFirstPathInfo(topology, &path), STATUS_SUCCESS);
    while (path != nullptr) {
      paths.push_back({path->VidPnTargetId, path->ContentTransformation.Rotation, path->ImportanceOrdinal});
      const D3DKMDT_VIDPN_PRESENT_PATH* next = nullptr;
      static_cast<void>(functions.pfnAcquireNextPathInfo(topology, path, &next));
      EXPECT_EQ(functions.pfnReleasePathInfo(topology, path), STATUS_SUCCESS);
      path = next;
    }
    return paths;
  }
  Result<void> SetTargets(std::uint32_t source, const std::vector<SourceTarget>& targets) {
    return kernel_->SetTargets(luid_, source, targets);
  }
  std::vector<Path> paths_;
};

TEST_F(Clones, TwoTargets_AreCommittedAsPathsOfOneSource_EachWithItsOffset) {
  rotations_ = 0xFF;
  ASSERT_TRUE(SetTargets(0, {{1, D3DDDI_ROTATION_IDENTITY}, {0, D3DDDI_ROTATION_90}}).ok());
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_180), STATUS_SUCCESS);
  const std::vector<Path> due{{1, D3DKMDT_VPPR_ROTATE180, D3DKMDT_VPPI_PRIMARY},
                              {0, D3DKMDT_VPPR_ROTATE180_OFFSET90, D3DKMDT_VPPI_SECONDARY}};
  EXPECT_EQ(paths_, due);
}

TEST_F(Clones, OffsetThatTheDriverDoesNotReport_IsRefused) {
  rotations_ = 0x1F;
  ASSERT_TRUE(SetTargets(0, {{0, D3DDDI_ROTATION_IDENTITY}, {1, D3DDDI_ROTATION_90}}).ok());
  EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED);
  EXPECT_EQ(miniport_.count("DxgkDdiCommitVidPn"), 0u);
}

TEST_F(Clones, SourceThatLostItsTarget_HasNoModeUntilItHasOneAgain) {
  ASSERT_TRUE(SetTargets(1, {{1, D3DDDI_ROTATION_IDENTITY}, {0, D3DDDI_ROTATION_IDENTITY}}).ok());
  EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY);
  D3DKMT_GETSCANLINE line{};
  line.hAdapter = adapter_;
  EXPECT_EQ(D3DKMTGetScanLine(&line), STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY);
  ASSERT_TRUE(SetTargets(0, {{0, D3DDDI_ROTATION_IDENTITY}}).ok());
  EXPECT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS);
}

TEST_F(Clones, ScanLine_IsAskedOfThePrimaryTarget) {
  static UINT asked = 99;
  miniport_.table.DxgkDdiGetScanLine = [](HANDLE, DXGKARG_GETSCANLINE* args) -> NTSTATUS {
    asked = args->VidPnTargetId;
    return STATUS_SUCCESS;
  };
  kernel_.reset();
  Open();
  ASSERT_TRUE(SetTargets(0, {{1, D3DDDI_ROTATION_IDENTITY}, {0, D3DDDI_ROTATION_IDENTITY}}).ok());
  D3DKMT_GETSCANLINE line{};
  line.hAdapter = adapter_;
  EXPECT_EQ(D3DKMTGetScanLine(&line), STATUS_SUCCESS);
  EXPECT_EQ(asked, 1u);
}

TEST_F(Clones, OneFieldBroken_IsRefused) {
  const SourceTarget first{0, D3DDDI_ROTATION_IDENTITY};
  EXPECT_EQ(SetTargets(2, {first}).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(SetTargets(0, {}).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(SetTargets(0, {first, first}).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(SetTargets(0, {{2, D3DDDI_ROTATION_IDENTITY}}).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(SetTargets(0, {{0, static_cast<D3DDDI_ROTATION>(0)}}).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(SetTargets(0, {{0, static_cast<D3DDDI_ROTATION>(5)}}).error().kind, ErrorKind::kInvalidArgument);
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS);
  EXPECT_EQ(SetTargets(0, {first}).error().kind, ErrorKind::kInvalidArgument) << "The source shows its primary.";
  EXPECT_EQ(SetTargets(1, {first}).error().kind, ErrorKind::kInvalidArgument) << "Source 0 shows something on target 0.";
}

TEST_F(Modes, OneFieldBroken_IsRefused) {
  EXPECT_EQ(SetModeWith([](auto& m) { m.hDevice = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(SetModeWith([](auto& m) { m.hPrimaryAllocation = 0; }), STATUS_GRAPHICS_INVALID_ALLOCATION_HANDLE);
  EXPECT_EQ(SetModeWith([this](auto& m) { m.hPrimaryAllocation = source_; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(SetModeWith([](auto& m) { m.DisplayOrientation = static_cast<D3DDDI_ROTATION>(0); }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(SetModeWith([](auto& m) { m.DisplayOrientation = static_cast<D3DDDI_ROTATION>(5); }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(SetModeWith([](auto& m) { m.ScanLineOrdering = D3DDDI_VSSLO_INTERLACED_UPPERFIELDFIRST; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(miniport_.count("DxgkDdiCommitVidPn"), 0u);
}

TEST_F(Modes, PrimaryGoes_TheSourceIsDarkAndItsRotationForgotten) {
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_180), STATUS_SUCCESS);
  ASSERT_EQ(DestroyAllocation(primary_), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceVisibility"), 2u);
  ASSERT_EQ(FlipTo(source_), STATUS_SUCCESS);
  EXPECT_EQ(rotation_, D3DKMDT_VPPR_IDENTITY);
}

TEST_F(Modes, SurfaceThatAModeReplaced_Goes_AndTheModeStaysOnTheScreen) {
  ASSERT_EQ(FlipTo(source_), STATUS_SUCCESS);
  Blank();
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS);
  Blank();
  ASSERT_EQ(DestroyAllocation(source_), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceVisibility"), 3u) << "The source is on, dark for the mode, and on again.";
}

TEST_F(Modes, PrimaryOfTheModeBefore_GoesAtOnce_ForTheSourceWasDark) {
  D3DKMT_HANDLE next = 0;
  ASSERT_EQ(CreatePrimary(next), STATUS_SUCCESS);
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS);
  Blank();
  ASSERT_EQ(SetModeWith([&](auto& mode) { mode.hPrimaryAllocation = next; }), STATUS_SUCCESS);
  EXPECT_EQ(DestroyAllocation(primary_), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceVisibility"), 3u);
}

TEST_F(Modes, VisibleSource_IsDarkFromBeforeTheCommitUntilTheAddressIsSet) {
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS);
  miniport_.ForgetCalls();
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_90), STATUS_SUCCESS);
  std::vector<std::string> order;
  for (const std::string& name : miniport_.names()) {
    if (name == "DxgkDdiSetVidPnSourceVisibility" || name == "DxgkDdiCommitVidPn" || name == "DxgkDdiSetVidPnSourceAddress")
      order.push_back(name.substr(7));
  }
  const std::vector<std::string> due{"SetVidPnSourceVisibility", "CommitVidPn", "SetVidPnSourceAddress",
                                     "SetVidPnSourceVisibility"};
  EXPECT_EQ(order, due);
  commit_status_ = STATUS_UNSUCCESSFUL;
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_180), STATUS_UNSUCCESSFUL);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceVisibility"), 4u) << "The mode before is shown again.";
}

}  // namespace
}  // namespace tandem::kernel
