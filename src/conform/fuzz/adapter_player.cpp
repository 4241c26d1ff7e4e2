#include "conform/fuzz/adapter_player.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/sleep.h"
#include "conform/fuzz/device_calls.h"
#include "conform/fuzz/guarded_bytes.h"
#include "conform/fuzz/odd_device.h"
#include "conform/fuzz/screen_values.h"
#include "conform/rig.h"
#include "kernel/kernel.h"
#include "outputs/output.h"

namespace tandem::conform {
namespace {

constexpr std::uint64_t kLongestPauseMs = 20;
constexpr std::int64_t kLongestPreemptionNs = 1'500'000'000;

// A flip waits for the one before.
constexpr std::int64_t kRefreshPeriodNs = 1'000'000;
// A run resets its adapter more often than a machine may.
constexpr std::uint32_t kMostTimeouts = 100'000;

RuleSetup SetupOfRuns() {
  RuleSetup setup;
  setup.trial.guards_buffers = true;
  setup.tdr.limit_count = kMostTimeouts;
  setup.refresh_period_ns = kRefreshPeriodNs;
  return setup;
}

template <class Value>
NTSTATUS StatusOf(const Result<Value>& result) {
  return result.ok() ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

class AdapterPlayer final : public CallPlayer {
 public:
  AdapterPlayer(const DriverUnderTest& driver, const DriverUnderTest& reference)
      : driver_(WithOddDevices(driver)),
        rig_({&driver_, driver.shows_outputs ? &driver_ : &reference}, SetupOfRuns(), kFirstSeed) {}

  NTSTATUS Play(const CallStep& step) override {
    const auto& n = step.numbers;
    kernel::Kernel& kernel = rig_.kernel();
    switch (step.call) {
      case Call::kInterrupt: return bus_ != nullptr && bus_->RaiseInterrupt(Word(n[0])) ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
      case Call::kRegister:
        if (bus_ == nullptr) return STATUS_NOT_SUPPORTED;
        bus_->SpoilRegister(Word(n[0]), n[1]);
        return STATUS_SUCCESS;
      case Call::kEscape: return Escape(step);
      case Call::kChildStatus: {
        DXGK_CHILD_STATUS status{};
        status.ChildUid = Word(n[0]);
        status.Type = static_cast<DXGK_CHILD_STATUS_TYPE>(Word(n[1]));
        const auto asked = kernel.QueryChildStatus(Adapter(), status);
        return asked.ok() ? *asked : STATUS_NOT_SUPPORTED;
      }
      case Call::kVisible: return StatusOf(kernel.SetVisibility(Adapter(), Word(n[0]), n[1] != 0));
      case Call::kPointerShape: return StatusOf(kernel.SetPointerShape(Adapter(), Word(n[0]), GuardedShape(n).Get()));
      case Call::kPointerMove: return StatusOf(kernel.SetPointerPosition(Adapter(), Word(n[0]), PositionOf(n)));
      case Call::kPause:
        SleepFor(MonotonicClock(), static_cast<std::int64_t>(std::min(n[0], kLongestPauseMs)) * 1'000'000);
        return STATUS_SUCCESS;
      case Call::kDevice: return OpenDevice(n[0], n[1] != 0);
      case Call::kCloseDevice: return devices_.Close(n[0]);
      case Call::kTargets: return SetTargets(n);
      case Call::kPalette: {
        const auto color = static_cast<UCHAR>(n[3]);
        const std::vector<D3DKMDT_PALETTEDATA> entries(std::min(n[2], std::uint64_t{1024}), {color, color, color, 0});
        return StatusOf(kernel.SetPalette(Adapter(), Word(n[0]), Word(n[1]), entries));
      }
      case Call::kStandard:
        return StatusOf(
            kernel.DescribeStandardSurface(rig_.render(), {static_cast<kernel::StandardSurface>(n[0] % 5), Word(n[1]), Word(n[2]),
                                                           static_cast<D3DDDIFORMAT>(Word(n[3])), Word(n[4])}));
      case Call::kPreempt: return Preempt(Word(n[0]));
      case Call::kFence: return StatusOf(kernel.QueryFence(rig_.render(), Word(n[0])));
      case Call::kFeatures: return StatusOf(kernel.AskFeatureInterfaces(rig_.render()));
      default: return devices_.Play(step);
    }
  }

  std::vector<std::string> Broken() override {
    std::vector<std::string> broken;
    const auto add = [&](Result<std::string> sentence) {
      if (sentence.ok() && !sentence->empty()) broken.push_back(*std::move(sentence));
    };
    add(rig_.kernel().Violation(rig_.render()));
    if (Adapter().LowPart != rig_.render().LowPart) add(rig_.kernel().Violation(Adapter()));
    add(rig_.kernel().Overrun(rig_.render()));
    add(unanswered_);
    return broken;
  }

  std::vector<std::string> End() override {
    devices_ = {};
    std::vector<std::string> stuck;
    for (const LUID luid : {rig_.display(), rig_.render()}) {
      const auto removed = rig_.kernel().RemoveAdapter(luid);
      if (!removed.ok() && removed.error().kind == ErrorKind::kTimeout) stuck.push_back("DdiReturns: " + removed.error().message);
    }
    return stuck;
  }

 private:
  using Numbers = std::array<std::uint64_t, kMostFields>;

  // The last device is the adapter's that shows.
  DriverUnderTest WithOddDevices(DriverUnderTest driver) {
    driver.make_device = [this, make = driver.make_device](std::shared_ptr<outputs::Output> output) {
      auto device = std::make_unique<OddDevice>(make(std::move(output)));
      bus_ = device->bus();
      return device;
    };
    return driver;
  }

  static UINT Word(std::uint64_t number) { return static_cast<UINT>(number); }

  // The driver's own adapter with outputs, else the one that it has.
  [[nodiscard]] LUID Adapter() const { return driver_.shows_outputs ? rig_.display() : rig_.render(); }

  NTSTATUS OpenDevice(std::uint64_t slot, bool display) {
    static_cast<void>(devices_.Close(slot));
    auto user = display ? std::make_unique<UserDevice>(driver_, StartedAdapter{&rig_.kernel(), Adapter()},
                                                       rig_.Description(Adapter()).copy_node)
                        : std::make_unique<UserDevice>(driver_, StartedAdapter{&rig_.kernel(), rig_.render()},
                                                       rig_.Description(rig_.render()).copy_node);
    devices_.Open(slot, std::move(user));
    return STATUS_SUCCESS;
  }

  // Without a device the escape is the adapter's.
  NTSTATUS Escape(const CallStep& step) {
    const GuardedBytes data(step.data);
    const UserDevice* const device = devices_.Find(step.numbers[0]);
    D3DKMT_OPENADAPTERFROMLUID open{Adapter(), 0};
    if (device == nullptr) RequireSuccess(D3DKMTOpenAdapterFromLuid(&open), "D3DKMTOpenAdapterFromLuid");
    D3DKMT_ESCAPE escape{};
    escape.hAdapter = device == nullptr ? open.hAdapter : device->adapter();
    escape.hDevice = device == nullptr ? 0 : device->device();
    escape.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
    escape.Flags.Value = Word(step.numbers[1]);
    escape.pPrivateDriverData = data.bytes().data();
    escape.PrivateDriverDataSize = static_cast<UINT>(data.bytes().size());
    const NTSTATUS status = D3DKMTEscape(&escape);
    if (open.hAdapter != 0) {
      const D3DKMT_CLOSEADAPTER close{open.hAdapter};
      static_cast<void>(D3DKMTCloseAdapter(&close));
    }
    return status;
  }

  NTSTATUS SetTargets(const Numbers& n) {
    const std::array<kernel::SourceTarget, 2> targets{
        {{Word(n[2]), static_cast<D3DDDI_ROTATION>(Word(n[3]))}, {Word(n[4]), static_cast<D3DDDI_ROTATION>(Word(n[5]))}}};
    return StatusOf(rig_.kernel().SetTargets(Adapter(), Word(n[0]), std::span(targets).first(std::min(n[1], std::uint64_t{2}))));
  }

  // The report may come later than the end of the work; a kernel waits two seconds for it. A reset gives preemptions up, this
  // one or those before.
  NTSTATUS Preempt(std::uint32_t node) {
    kernel::Kernel& kernel = rig_.kernel();
    const auto before = kernel.Counters(rig_.render());
    const auto asked = kernel.Preempt(rig_.render(), node);
    if (!asked.ok() || !*asked || !before.ok()) return StatusOf(asked);
    const std::int64_t end_ns = MonotonicClock().NowNs() + kLongestPreemptionNs;
    for (;;) {
      const auto counters = kernel.Counters(rig_.render());
      if (!counters.ok() || counters->preemptions_answered != before->preemptions_answered || counters->resets != before->resets)
        return STATUS_SUCCESS;
      if (MonotonicClock().NowNs() >= end_ns) break;
      SleepFor(MonotonicClock(), 100'000);
    }
    unanswered_ = fmt::format("Preemption.Answered: The preemption of node {} was not reported within {} ms.", node,
                              kLongestPreemptionNs / 1'000'000);
    return STATUS_UNSUCCESSFUL;
  }

  OddBus* bus_ = nullptr;  // null: the device has neither interrupts nor registers
  const DriverUnderTest driver_;
  Rig rig_;
  DeviceCalls devices_;     // closed before the rig
  std::string unanswered_;  // sentence of a preemption; empty: none
};

}  // namespace

std::unique_ptr<CallPlayer> MakeAdapterPlayer(const DriverUnderTest& driver, const DriverUnderTest& reference) {
  return std::make_unique<AdapterPlayer>(driver, reference);
}

}  // namespace tandem::conform
