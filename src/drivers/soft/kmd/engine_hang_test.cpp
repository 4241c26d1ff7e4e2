// Stopping an engine while a buffer hangs, by a clock of the test's.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "drivers/processor/kmd/engine.h"
#include "drivers/processor/user_commands.h"

namespace tandem::soft {
namespace {

using namespace processor;

// Its time is that of the waits for it, however long they really take.
class WaitedTime final : public Clock {
 public:
  [[nodiscard]] std::int64_t NowNs() const override {
    const std::lock_guard lock(mutex_);
    return now_ns_;
  }
  bool WaitUntil(std::unique_lock<std::mutex>& lock, Condition& condition, std::int64_t deadline_ns) override {
    {
      const std::lock_guard guard(mutex_);
      ++waits_;
    }
    waited_.notify_all();
    MonotonicClock().WaitUntil(lock, condition, MonotonicClock().NowNs() + 1'000'000);
    const std::lock_guard guard(mutex_);
    now_ns_ = deadline_ns;
    return false;
  }
  // Until as many more waits have begun.
  void AwaitWaits(std::uint64_t count) {
    std::unique_lock lock(mutex_);
    waited_.wait(lock, [this, wanted = waits_ + count] { return waits_ >= wanted; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable waited_;
  std::uint64_t waits_ = 0;
  std::int64_t now_ns_ = 1'000'000;
};

class EngineHangTest : public ::testing::Test, public CommandExecutor::Owner {
 protected:
  void SetUp() override {
    TANDEM_BUS_INTERFACE bus{};
    bus.Context = this;
    bus.RaiseInterrupt = [](PVOID context, ULONG) { static_cast<EngineHangTest*>(context)->interrupts_.Service(); };
    DXGKRNL_INTERFACE kernel{};
    kernel.DeviceHandle = this;
    kernel.DxgkCbNotifyInterrupt = [](HANDLE device, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
      auto& test = *static_cast<EngineHangTest*>(device);
      const std::lock_guard lock(test.mutex_);
      test.notified_.push_back(data->InterruptType);
    };
    kernel.DxgkCbQueueDpc = [](HANDLE) -> BOOLEAN { return TRUE; };
    interrupts_.Start(bus, kernel);
    auto memory = GpuMemory::Create(*LocalMemory::Create(1 << 20, LocalPages::kPrivate), 1 << 20);
    ASSERT_TRUE(memory.ok()) << memory.error().message;
    memory_ = *std::move(memory);
    auto engine = Engine::Create(0, *memory_, *this, interrupts_, clock_);
    ASSERT_TRUE(engine.ok()) << engine.error().message;
    engine_ = *std::move(engine);
    hang_.duration_ns = kMaxDelayNs;
    hang_.hangs = 1;
  }
  void OnMemoryForgotten(std::uint64_t) override {}
  drivers::PaletteColors PaletteOf(std::uint32_t) override { return {}; }

  void Hang(std::uint32_t fence) {
    ASSERT_TRUE(
        engine_->Submit({reinterpret_cast<const std::byte*>(&hang_), sizeof(hang_), fence, Privilege::kUser, &progress_}));
    clock_.AwaitWaits(1);
  }
  std::vector<DXGK_INTERRUPT_TYPE> notified() {
    const std::lock_guard lock(mutex_);
    return notified_;
  }

  WaitedTime clock_;
  InterruptRegisters interrupts_;
  std::unique_ptr<GpuMemory> memory_;
  DelayCommand hang_;
  Progress progress_;
  std::mutex mutex_;
  std::vector<DXGK_INTERRUPT_TYPE> notified_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineHangTest, Preempt_IsNotAnsweredUntilTheReset) {
  Hang(1);
  engine_->Preempt(9);
  clock_.AwaitWaits(2);  // it has looked
  EXPECT_TRUE(notified().empty());
  EXPECT_FALSE(engine_->idle());
  EXPECT_EQ(engine_->Reset(), 1U);
  EXPECT_TRUE(notified().empty());
  EXPECT_TRUE(engine_->idle());
  const CommandHeader nothing{Opcode::kNop, sizeof(CommandHeader)};
  ASSERT_TRUE(engine_->Submit({reinterpret_cast<const std::byte*>(&nothing), sizeof(nothing), 2, Privilege::kUser, nullptr}));
  while (notified().empty()) std::this_thread::yield();
  EXPECT_EQ(notified(), std::vector{DXGK_INTERRUPT_DMA_COMPLETED});
  EXPECT_EQ(engine_->completed_fence(), 2U);
}

TEST_F(EngineHangTest, Halt_EndsIt_AndNothingIsReported) {
  Hang(1);
  engine_->Halt();
  EXPECT_TRUE(notified().empty());
  EXPECT_EQ(engine_->completed_fence(), 0U);
}

}  // namespace
}  // namespace tandem::soft
