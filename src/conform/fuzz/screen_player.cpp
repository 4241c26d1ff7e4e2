#include "conform/fuzz/screen_player.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/sleep.h"
#include "conform/fuzz/guarded_bytes.h"
#include "conform/fuzz/odd_bus.h"
#include "conform/fuzz/screen_values.h"

namespace tandem::conform {
namespace {

constexpr std::uint64_t kLongestPauseMs = 20;
// A hang is shortened run by run.
constexpr std::int64_t kPatienceOfRunsNs = 2'000'000'000;
constexpr std::uint64_t kMostRects = 64;
constexpr std::uint32_t kPixelBytes = 4;

NTSTATUS StatusOf(const Result<void>& result) { return result.ok() ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL; }

class ScreenPlayer final : public CallPlayer {
 public:
  explicit ScreenPlayer(kernel::DeviceBus& bus) : bus_(bus) {}

  Result<void> Start(const DriverUnderTest& driver, const kernel::DisplayOnlyDevice& device) {
    kernel::TdrSettings tdr;
    tdr.ddi_delay_ns = kPatienceOfRunsNs;
    auto adapter =
        kernel::StartDisplayOnlyAdapter(driver.entry, driver.name, {device.name, device.extension, &bus_}, tdr, MonotonicClock());
    if (!adapter.ok()) return std::move(adapter).error();
    adapter_ = *std::move(adapter);
    return {};
  }

  NTSTATUS Play(const CallStep& step) override {
    const auto& numbers = step.numbers;
    switch (step.call) {
      case Call::kMode: return SetMode(static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1]));
      case Call::kPresent: return Present(numbers);
      case Call::kInterrupt:
        return bus_.RaiseInterrupt(static_cast<std::uint32_t>(numbers[0])) ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
      case Call::kRegister: bus_.SpoilRegister(static_cast<std::uint32_t>(numbers[0]), numbers[1]); return STATUS_SUCCESS;
      case Call::kEscape: {
        const GuardedBytes data(step.data);
        D3DDDI_ESCAPEFLAGS flags{};
        flags.Value = static_cast<UINT>(numbers[1]);
        return adapter_->Escape(flags, data.bytes());
      }
      case Call::kChildStatus: {
        DXGK_CHILD_STATUS status{};
        status.ChildUid = static_cast<ULONG>(numbers[0]);
        status.Type = static_cast<DXGK_CHILD_STATUS_TYPE>(numbers[1]);
        return adapter_->QueryChildStatus(status);
      }
      case Call::kVisible: return StatusOf(adapter_->SetVisible(numbers[1] != 0));
      case Call::kPause:
        SleepFor(MonotonicClock(), static_cast<std::int64_t>(std::min(numbers[0], kLongestPauseMs)) * 1'000'000);
        return STATUS_SUCCESS;
      case Call::kGamma: return adapter_->SetGammaRamp(GuardedRamp(numbers).Get());
      case Call::kRecommend: {
        kernel::DisplayOnlyMode recommended;
        return adapter_->RecommendMode(recommended);
      }
      case Call::kPointerShape: return StatusOf(adapter_->SetPointerShape(GuardedShape(numbers).Get()));
      case Call::kPointerMove: return StatusOf(adapter_->SetPointerPosition(PositionOf(numbers)));
      default: return STATUS_NOT_SUPPORTED;
    }
  }

  std::vector<std::string> Broken() override {
    const std::string broken = adapter_->violation();
    return broken.empty() ? std::vector<std::string>() : std::vector{broken};
  }

  std::vector<std::string> End() override {
    if (adapter_->Stop()) return {};
    return {"DdiReturns: The driver does not return from a call while its device is stopped and removed."};
  }

 private:
  NTSTATUS SetMode(std::uint32_t width, std::uint32_t height) {
    const auto mode = adapter_->SetMode(width, height);
    if (!mode.ok()) return STATUS_UNSUCCESSFUL;
    mode_ = *mode;
    picture_.reset();
    return STATUS_SUCCESS;
  }

  NTSTATUS Present(const std::array<std::uint64_t, kMostFields>& numbers) {
    const auto coordinate = [&](std::size_t i) { return static_cast<LONG>(static_cast<std::uint32_t>(numbers[i])); };
    std::vector<RECT> rects(std::min(numbers[4], kMostRects), {coordinate(0), coordinate(1), coordinate(2), coordinate(3)});
    for (std::size_t i = 0; i < rects.size(); ++i) {  // each one smaller than the one before
      const LONG inset = static_cast<LONG>(i);
      rects[i].right = std::max(rects[i].right - inset, rects[i].left + 1);
      rects[i].bottom = std::max(rects[i].bottom - inset, rects[i].top + 1);
    }
    if (picture_ == nullptr) {
      picture_ = std::make_unique<GuardedBytes>(std::size_t{mode_.width} * mode_.height * kPixelBytes);
    }
    std::ranges::fill(picture_->bytes().first(std::min<std::size_t>(picture_->bytes().size(), kPixelBytes)),
                      static_cast<std::byte>(numbers[5]));
    return StatusOf(adapter_->Present(picture_->bytes().data(), mode_.width * kPixelBytes, rects));
  }

  OddBus bus_;
  std::unique_ptr<GuardedBytes> picture_;  // of the mode; null before the first present
  kernel::DisplayOnlyMode mode_;
  std::unique_ptr<kernel::DisplayOnlyAdapter> adapter_;
};

}  // namespace

Result<std::unique_ptr<CallPlayer>> MakeScreenPlayer(const DriverUnderTest& driver, const kernel::DisplayOnlyDevice& device) {
  auto player = std::make_unique<ScreenPlayer>(*device.bus);
  if (auto started = player->Start(driver, device); !started.ok()) return std::move(started).error();
  return std::unique_ptr<CallPlayer>(std::move(player));
}

}  // namespace tandem::conform
