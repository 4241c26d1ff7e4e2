// Planes that user mode presents together, and a driver that writes down which of them reach it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "kernel/submit/plane_set.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {

class PlanePresent : public KernelFixture {
 protected:
  struct Programmed {
    UINT layer = 0;
    bool enabled = false;
    std::uint64_t present_id = 0;
    std::uint64_t address = 0;  // enabled planes only
    LONG right = 0;             // the destination's
  };

  PlanePresent() {
    miniport_.on_dpc = [this] {
      ++dpcs_;
      dpcs_.notify_all();
    };
    miniport_.caps.SupportMultiPlaneOverlay = TRUE;
    miniport_.caps.MaxOverlayPlanes = 4;
    miniport_.on_set_planes = [this](DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      programmed_.clear();
      for (UINT i = 0; i < args->PlaneCount; ++i) {
        const auto& plane = *args->ppPlanes[i];
        EXPECT_EQ(plane.InputFlags.FlipOnNextVSync, 1u);
        Programmed& programmed = programmed_.emplace_back();
        programmed.layer = plane.LayerIndex;
        programmed.enabled = plane.InputFlags.Enabled != 0;
        programmed.present_id = plane.PresentId;
        EXPECT_EQ(plane.ContextCount, programmed.enabled ? 1u : 0u);
        if (!programmed.enabled) continue;
        EXPECT_NE(plane.ppContextData[0]->hAllocation, nullptr);
        EXPECT_EQ(plane.ppContextData[0]->hContext, &miniport_);
        programmed.address = static_cast<std::uint64_t>(plane.ppContextData[0]->SegmentAddress.QuadPart);
        programmed.right = plane.PlaneAttributes.DstRect.right;
      }
      return STATUS_SUCCESS;
    };
  }
  ~PlanePresent() override { kernel_.reset(); }

  void OpenWithPlanes() {
    Open();
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      D3DDDI_ALLOCATIONINFO2 info{};
      info.Flags.Primary = 1;
      D3DKMT_CREATEALLOCATION create = Allocation(info);
      ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
      surfaces_[i] = info.hAllocation;
      attributes_[i].SrcRect = attributes_[i].DstRect = attributes_[i].ClipRect = {0, 0, 64 - static_cast<LONG>(i), 32};
      attributes_[i].Rotation = D3DDDI_ROTATION_IDENTITY;
      planes_[i].LayerIndex = static_cast<UINT>(i);
      planes_[i].InputFlags.Enabled = 1;
      planes_[i].FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
      planes_[i].AllocationCount = 1;
      planes_[i].pAllocationList = &surfaces_[i];
      planes_[i].pPlaneAttributes = &attributes_[i];
      pointers_[i] = &planes_[i];
    }
    present_.hAdapter = adapter_;
    present_.ContextCount = 1;
    present_.pContextList = &context_;
    present_.PresentPlaneCount = 2;
    present_.ppPresentPlanes = pointers_.data();
  }
  // The lowest plane is what a vertical blank without planes tells of.
  [[nodiscard]] std::uint64_t Lowest() { return programmed().back().address; }
  // Returns when the DPC thread has delivered what the driver reported so far.
  void Settle() {
    for (int i = 0; i < 2; ++i) {
      const int before = dpcs_.load();
      miniport_.Vsync(0, 0);
      dpcs_.wait(before);
    }
  }
  NTSTATUS Present() { return D3DKMTPresentMultiPlaneOverlay3(&present_); }
  std::vector<Programmed> programmed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return programmed_;
  }
  [[nodiscard]] int Count(const char* ddi) const { return static_cast<int>(miniport_.count(ddi)); }
  [[nodiscard]] int Flips() const { return Count("DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3"); }

  std::array<D3DKMT_HANDLE, 3> surfaces_{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3, 3> attributes_{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY3, 3> planes_{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY3*, 9> pointers_{};
  D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 present_{};
  std::atomic<int> dpcs_{0};
  std::mutex mutex_;
  std::vector<Programmed> programmed_;
};

}  // namespace tandem::kernel
