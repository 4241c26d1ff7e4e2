// The contexts that an MMIO flip names: those that presented it, and none that is gone.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

// A driver whose contexts are objects of their own, and which reads them when it is told to flip.
class FlipContexts : public KernelFixture {
 protected:
  struct DriverContext {
    std::atomic<bool> alive{true};
    std::atomic<int> flips{0};
  };
  struct Told {
    UINT count;
    const DriverContext* first;
    bool mode_change;
  };

  FlipContexts() {
    miniport_.on_create_context = [this](DXGKARG_CREATECONTEXT* args) {
      args->hContext = &contexts_.emplace_back();
      return STATUS_SUCCESS;
    };
    miniport_.table.DxgkDdiDestroyContext = [](HANDLE context) -> NTSTATUS {
      static_cast<DriverContext*>(context)->alive = false;
      return STATUS_SUCCESS;
    };
    miniport_.table.DxgkDdiPresent = [](HANDLE, DXGKARG_PRESENT*) -> NTSTATUS { return STATUS_SUCCESS; };
    miniport_.on_set_vidpn_source_address = [this](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      auto* const first = args->ContextCount != 0 ? static_cast<DriverContext*>(args->Context[0]) : nullptr;
      told_.push_back({args->ContextCount, first, args->Flags.ModeChange != 0});
      shown_ = static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart);
      for (UINT i = 0; i < args->ContextCount; ++i) {
        auto* const context = static_cast<DriverContext*>(args->Context[i]);
        if (context == nullptr) {
          ADD_FAILURE() << "Context[" << i << "] of " << args->ContextCount << " is NULL.";
          continue;
        }
        EXPECT_TRUE(context->alive) << "Context[" << i << "] was destroyed.";
        ++context->flips;
      }
      return STATUS_SUCCESS;
    };
  }
  ~FlipContexts() override { kernel_.reset(); }

  void OpenWithBuffers() {
    Open();
    for (D3DKMT_HANDLE& buffer : buffers_) ASSERT_EQ(CreateAllocation(buffer), STATUS_SUCCESS);
  }
  NTSTATUS Flip(D3DKMT_HANDLE context, std::size_t buffer, D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE) {
    D3DKMT_PRESENT present{};
    present.hContext = context;
    present.hSource = buffers_[buffer];
    present.FlipInterval = interval;
    present.Flags.Flip = 1;
    return D3DKMTPresent(&present);
  }
  std::vector<Told> told() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return told_;
  }
  // Vertical blanks until the display was told so often.
  void BlankUntilTold(std::size_t count) {
    for (int i = 0; i < 20'000 && told().size() < count; ++i) {
      miniport_.Vsync(0, shown_);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_GE(told().size(), count);
  }

  std::deque<DriverContext> contexts_;
  std::array<D3DKMT_HANDLE, 3> buffers_{};
  std::mutex mutex_;
  std::vector<Told> told_;
  std::atomic<std::uint64_t> shown_{0};
};

TEST_F(FlipContexts, EachFlip_NamesTheContextThatPresentedIt_AModeNamesNone) {
  OpenWithBuffers();
  const D3DKMT_HANDLE first = context_;
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  ASSERT_EQ(Flip(first, 0), STATUS_SUCCESS);
  ASSERT_EQ(Flip(context_, 1), STATUS_SUCCESS);
  ASSERT_EQ(Flip(first, 2), STATUS_SUCCESS);
  ASSERT_NO_FATAL_FAILURE(BlankUntilTold(3));
  const auto told = this->told();
  EXPECT_TRUE(told[0].mode_change);
  EXPECT_EQ(told[0].count, 0u);
  EXPECT_EQ(told[1].count, 1u);
  EXPECT_EQ(told[1].first, &contexts_[1]);
  EXPECT_EQ(told[2].count, 1u);
  EXPECT_EQ(told[2].first, &contexts_[0]);
  ASSERT_EQ(Flip(context_, 0, D3DDDI_FLIPINTERVAL_IMMEDIATE), STATUS_SUCCESS);
  EXPECT_EQ(this->told().back().first, &contexts_[1]);
}

TEST_F(FlipContexts, ContextGoesBeforeItsFlipIsProgrammed_TheFlipNamesNone) {
  OpenWithBuffers();
  ASSERT_EQ(Flip(context_, 0), STATUS_SUCCESS);
  ASSERT_EQ(Flip(context_, 1), STATUS_SUCCESS);
  ASSERT_EQ(Flip(context_, 2), STATUS_SUCCESS);
  const D3DKMT_DESTROYCONTEXT destroy{context_};
  ASSERT_EQ(D3DKMTDestroyContext(&destroy), STATUS_SUCCESS);
  ASSERT_FALSE(contexts_[0].alive);
  ASSERT_NO_FATAL_FAILURE(BlankUntilTold(3));
  EXPECT_EQ(told()[1].count, 0u);
  EXPECT_EQ(told()[2].count, 0u);
  EXPECT_EQ(contexts_[0].flips, 0);
}

}  // namespace
}  // namespace tandem::kernel
