#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "color/format.h"
#include "drivers/processor/kmd/command_executor.h"
#include "drivers/processor/kmd/command_stream.h"
#include "drivers/processor/kmd/engine.h"
#include "drivers/processor/kmd/gpu_memory.h"
#include "drivers/processor/user_commands.h"
#include "drivers/soft/testing/fake_kernel.h"

namespace tandem::soft {
namespace {

using namespace processor;

using testing::FakeKernel;
using testing::Pages;

constexpr std::uint64_t kLocalBytes = 1 << 20;

// Memory of the GPU while its engine writes there: no lock goes with it, and the thread sanitizer is not to look.
__attribute__((no_sanitize("thread"))) std::uint32_t Peek(const std::byte* pixel) {
  return *reinterpret_cast<const volatile std::uint32_t*>(pixel);
}

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() : kernel_(description_) {}

  template <class Command>
  DXGK_INTERRUPT_TYPE Run(const Command& command, bool paging) {
    return kernel_.Submit(0, &command, sizeof(command), paging);
  }
  static CopyRectCommand GoodCopy() {
    CopyRectCommand copy;
    copy.source_address = kLocalBase;
    copy.destination_address = kLocalBase + kLocalBytes / 2;
    copy.source_pitch = copy.destination_pitch = 256;
    copy.row_bytes = 256;
    copy.rows = 16;
    return copy;
  }
  static FillRectCommand GoodFill() {
    FillRectCommand fill;
    fill.address = kLocalBase;
    fill.pitch = 256;
    fill.pixel_bytes = 4;
    fill.width = 64;
    fill.rows = 16;
    return fill;
  }

  DeviceDescription description_{3, kLocalBytes, 1 << 20, nullptr};
  FakeKernel kernel_;
};

constexpr auto kDone = DXGK_INTERRUPT_DMA_COMPLETED;
constexpr auto kFault = DXGK_INTERRUPT_DMA_PAGE_FAULTED;

TEST_F(EngineTest, Copy_EachBrokenField_Faults) {
  const auto run = [this](auto change) {
    CopyRectCommand copy = GoodCopy();
    change(copy);
    return Run(copy, false);
  };
  EXPECT_EQ(run([](CopyRectCommand&) {}), kDone);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.source_address = 0; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.destination_address = 0; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.source_address = kLocalBase - 1; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.source_address = kLocalBase + kLocalBytes - 256; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.source_address = kLocalBase + kLocalBytes; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.destination_address = ~0ULL - 100; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.destination_address = kApertureBase; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.rows = 0; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.rows = ~0U; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.row_bytes = 0; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.row_bytes = 257; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.source_pitch = 128; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.source_pitch = ~0U; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.header.size = 48; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.header.size = 0; }), kFault);
  EXPECT_EQ(run([](CopyRectCommand& c) { c.header.opcode = static_cast<Opcode>(0xFFFFFFFF); }), kFault);
}

TEST_F(EngineTest, Fill_EachBrokenField_Faults) {
  const auto run = [this](auto change) {
    FillRectCommand fill = GoodFill();
    change(fill);
    return Run(fill, false);
  };
  EXPECT_EQ(run([](FillRectCommand&) {}), kDone);
  EXPECT_EQ(run([](FillRectCommand& f) { f.pixel_bytes = 3; }), kFault);
  EXPECT_EQ(run([](FillRectCommand& f) { f.pixel_bytes = 0; }), kFault);
  EXPECT_EQ(run([](FillRectCommand& f) { f.width = 65; }), kFault);
  EXPECT_EQ(run([](FillRectCommand& f) { f.width = 0; }), kFault);
  EXPECT_EQ(run([](FillRectCommand& f) { f.rows = ~0U; }), kFault);
  EXPECT_EQ(run([](FillRectCommand& f) { f.address = kLocalBase + kLocalBytes - 4; }), kFault);
}

TEST_F(EngineTest, PagingCommands_InAUsersBuffer_Fault) {
  std::vector<std::byte> host(4096);
  TransferCommand transfer;
  transfer.source = reinterpret_cast<std::uintptr_t>(host.data());
  transfer.source_is_host = 1;
  transfer.destination = kLocalBase;
  transfer.bytes = host.size();
  EXPECT_EQ(Run(transfer, false), kFault);
  EXPECT_EQ(Run(transfer, true), kDone);
  MapApertureCommand map;
  map.page_count = 1;
  map.host_address = 4096;
  EXPECT_EQ(Run(map, false), kFault);
}

TEST_F(EngineTest, MapAperture_OutsideOrMisaligned_Faults) {
  auto pages = *MemoryMap::CreateAnonymous(8192);
  const auto run = [&](auto change) {
    MapApertureCommand map;
    map.page_count = 2;
    map.host_address = reinterpret_cast<std::uintptr_t>(pages.data());
    change(map);
    return Run(map, true);
  };
  EXPECT_EQ(run([](MapApertureCommand&) {}), kDone);
  EXPECT_EQ(run([](MapApertureCommand& m) { m.first_page = 255; }), kFault);
  EXPECT_EQ(run([](MapApertureCommand& m) { m.first_page = ~0ULL; }), kFault);
  EXPECT_EQ(run([](MapApertureCommand& m) { m.page_count = 0; }), kFault);
  EXPECT_EQ(run([](MapApertureCommand& m) { m.page_count = ~0ULL; }), kFault);
  EXPECT_EQ(run([](MapApertureCommand& m) { m.host_address += 8; }), kFault);
  EXPECT_EQ(run([](MapApertureCommand& m) { m.host_address = 0; }), kFault);
}

TEST_F(EngineTest, Unmap_MiddleOfAMapping_LeavesBothEnds) {
  auto pages = *MemoryMap::CreateAnonymous(3 * 4096);
  MapApertureCommand map;
  map.page_count = 3;
  map.host_address = reinterpret_cast<std::uintptr_t>(pages.data());
  ASSERT_EQ(Run(map, true), kDone);
  UnmapApertureCommand unmap;
  unmap.first_page = 1;
  unmap.page_count = 1;
  ASSERT_EQ(Run(unmap, true), kDone);
  const auto fill_page = [this](std::uint64_t page) {
    FillBytesCommand fill;
    fill.address = kApertureBase + page * 4096;
    fill.bytes = 4096;
    fill.pattern = 0x01010101 * (page + 1);
    return Run(fill, true);
  };
  EXPECT_EQ(fill_page(0), kDone);
  EXPECT_EQ(fill_page(1), kFault);
  EXPECT_EQ(fill_page(2), kDone);
  EXPECT_EQ(pages.data()[4095], std::byte{1});
  EXPECT_EQ(pages.data()[4096], std::byte{0});
  EXPECT_EQ(pages.data()[8192], std::byte{3});
}

TEST_F(EngineTest, Copy_OverlappingRows_BehavesAsIfReadFirst) {
  const auto surface = kernel_.Allocate(*DescribeSurface(64, 64, color::Format::kB8G8R8A8Unorm, 0, 0), Pages::kAnonymous);
  const auto pixel = [&](std::uint32_t y) { return reinterpret_cast<std::uint32_t*>(surface.cpu + std::size_t{y} * 256); };
  for (const int shift : {-3, 3}) {
    for (std::uint32_t y = 0; y < 64; ++y) *pixel(y) = y;
    CopyRectCommand copy = GoodCopy();
    copy.source_address = surface.address + 10 * 256;
    copy.destination_address = surface.address + static_cast<std::uint64_t>(10 + shift) * 256;
    ASSERT_EQ(Run(copy, false), kDone);
    for (std::uint32_t y = 0; y < 16; ++y) EXPECT_EQ(*pixel(static_cast<std::uint32_t>(10 + shift) + y), 10 + y) << shift;
  }
}

TEST_F(EngineTest, Stream_CutOff_Faults) {
  const CopyRectCommand copy = GoodCopy();
  for (std::uint32_t bytes = 1; bytes < sizeof(copy); ++bytes) EXPECT_EQ(kernel_.Submit(0, &copy, bytes, false), kFault) << bytes;
  EXPECT_EQ(kernel_.Submit(0, &copy, 0, false), kDone);
}

TEST_F(EngineTest, Fault_IsReportedWithItsAddress) {
  FillRectCommand fill = GoodFill();
  fill.address = kApertureBase + 4096;
  ASSERT_EQ(Run(fill, false), kFault);
  const auto data = kernel_.interrupts().back();
  EXPECT_EQ(data.DmaPageFaulted.FaultedVirtualAddress, kApertureBase + 4096);
  EXPECT_EQ(data.DmaPageFaulted.PageFaultFlags, DXGK_PAGE_FAULT_WRITE);
  EXPECT_EQ(data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode, DXGK_GENERAL_ERROR_PAGE_FAULT);
  EXPECT_EQ(Run(GoodFill(), false), kDone);
}

TEST_F(EngineTest, Reset_AbortsTheRunningBuffer_DropsWhatWaits) {
  const auto surface = kernel_.Allocate(*DescribeSurface(64, 64, color::Format::kB8G8R8A8Unorm, 0, 0), Pages::kAnonymous);
  struct {
    FillRectCommand started;
    DelayCommand hang;
  } buffer;
  buffer.started = GoodFill();
  buffer.started.address = surface.address;
  buffer.started.value = 7;
  buffer.hang.duration_ns = kMaxDelayNs;
  buffer.hang.hangs = 1;
  const FillRectCommand fill = GoodFill();
  const std::uint32_t hung = kernel_.SubmitWithoutWaiting(0, &buffer, sizeof(buffer), false);
  while (Peek(surface.cpu + 15 * 256 + 63 * 4) != 7) std::this_thread::yield();
  kernel_.SubmitWithoutWaiting(0, &fill, sizeof(fill), false);
  DXGKARG_QUERYENGINESTATUS status{};
  ASSERT_EQ(kernel_.ddi().DxgkDdiQueryEngineStatus(kernel_.adapter(), &status), STATUS_SUCCESS);
  EXPECT_EQ(status.EngineStatus.Responsive, 0U);
  DXGKARG_RESETENGINE reset{};
  ASSERT_EQ(kernel_.ddi().DxgkDdiResetEngine(kernel_.adapter(), &reset), STATUS_SUCCESS);
  EXPECT_EQ(reset.LastAbortedFenceId, hung);
  EXPECT_TRUE(kernel_.interrupts().empty());  // it did not wait for the end of the delay
  EXPECT_EQ(Run(fill, false), kDone);
}

// The delay in the middle holds long enough for anybody to preempt it; what is before it was done, what is behind was not.
TEST_F(EngineTest, Preempt_InsideADelay_StopsThere_AndGoesOnWhenSubmittedAgain) {
  const auto surface = kernel_.Allocate(*DescribeSurface(64, 64, color::Format::kB8G8R8A8Unorm, 0, 0), Pages::kAnonymous);
  const auto pixel = [&](std::uint32_t row) { return Peek(surface.cpu + std::size_t{row} * 256); };
  struct {
    FillRectCommand first;
    DelayCommand delay;
    FillRectCommand second;
  } buffer;
  buffer.first = buffer.second = GoodFill();
  buffer.first.rows = buffer.second.rows = 1;
  buffer.first.address = surface.address;
  buffer.second.address = surface.address + 256;
  buffer.first.value = buffer.second.value = 7;
  buffer.delay.duration_ns = kMaxDelayNs;
  BufferData data;
  Progress& progress = data.progress;
  kernel_.SubmitWithoutWaiting(0, &buffer, sizeof(buffer), false, &data, sizeof(data));
  while (pixel(0) != 7) std::this_thread::yield();
  DXGKARG_PREEMPTCOMMAND preempt{};
  preempt.PreemptionFenceId = 77;
  ASSERT_EQ(kernel_.ddi().DxgkDdiPreemptCommand(kernel_.adapter(), &preempt), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_.AwaitInterrupt([](const DXGKARGCB_NOTIFY_INTERRUPT_DATA& d) {
    return d.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && d.DmaPreempted.PreemptionFenceId == 77;
  }));
  EXPECT_EQ(kernel_.interrupts().back().DmaPreempted.LastCompletedFenceId, 0U);
  EXPECT_EQ(pixel(1), 0U);
  EXPECT_EQ(progress.bytes, sizeof(FillRectCommand));
  EXPECT_LT(progress.delay_ns, kMaxDelayNs);
  // Another buffer runs meanwhile; then this one goes on where it was, and not from its beginning.
  EXPECT_EQ(Run(GoodFill(), false), kDone);
  constexpr std::uint32_t kOther = 1;
  std::memcpy(surface.cpu, &kOther, sizeof(kOther));
  progress.delay_ns = kMaxDelayNs - 1000;
  EXPECT_EQ(kernel_.AwaitFence(0, kernel_.SubmitAgain(0, &buffer, sizeof(buffer), &data, sizeof(data))), kDone);
  EXPECT_EQ(pixel(0), 1U);
  EXPECT_EQ(pixel(1), 7U);
}

TEST_F(EngineTest, Preempt_NothingRuns_IsAnswered) {
  EXPECT_EQ(Run(GoodFill(), false), kDone);
  DXGKARG_PREEMPTCOMMAND preempt{};
  preempt.PreemptionFenceId = 5;
  ASSERT_EQ(kernel_.ddi().DxgkDdiPreemptCommand(kernel_.adapter(), &preempt), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_.AwaitInterrupt(
      [](const DXGKARGCB_NOTIFY_INTERRUPT_DATA& d) { return d.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED; }));
  EXPECT_EQ(kernel_.interrupts().back().DmaPreempted.LastCompletedFenceId, 1U);
  EXPECT_EQ(Run(GoodFill(), false), kDone);
}

TEST_F(EngineTest, RandomStreams_NeverCrash) {
  std::uint64_t state = 0x9E3779B97F4A7C15;
  const auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  for (int round = 0; round < 2000; ++round) {
    std::uint64_t words[10];
    for (auto& word : words) word = next() % 5 == 0 ? next() : kLocalBase + next() % (2 * kLocalBytes);
    const CommandHeader header{static_cast<Opcode>(1 + next() % 2), 40};
    std::memcpy(&words[0], &header, sizeof(header));
    const auto result = kernel_.Submit(0, words, sizeof(words), false);
    ASSERT_TRUE(result == kDone || result == kFault);
    kernel_.ClearInterrupts();
  }
}

}  // namespace
}  // namespace tandem::soft
