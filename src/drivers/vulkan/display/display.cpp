#include "drivers/vulkan/display/display.h"

#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "drivers/vulkan/display/head.h"
#include "drivers/vulkan/display/wsi_connectors.h"

namespace tandem::vulkan {
namespace {

class Heads final : public Display {
 public:
  Heads(Display::Owner& owner, std::shared_ptr<WsiConnectorsImpl> connectors)
      : owner_(owner), connectors_(std::move(connectors)) {}

  Result<void> Start(Gpu& gpu) {
    for (std::uint32_t target = 0; target < connectors_->count(); ++target) {
      auto head = Head::Create(target, gpu, *connectors_, owner_, MonotonicClock());
      if (!head.ok()) return std::move(head).error();
      heads_.push_back(*std::move(head));
      targets_[target].store(1u << target, std::memory_order_release);
      primary_targets_[target].store(target, std::memory_order_release);
    }
    return {};
  }

  [[nodiscard]] std::uint32_t source_count() const override { return static_cast<std::uint32_t>(heads_.size()); }

  void Copy(const CopyCommand& command, PassMeter* meter) override {
    ForEachHead(command.destination->data().vidpn_source, [&](Head& head) { head.Copy(command, meter); });
  }
  [[nodiscard]] bool Turns(std::uint32_t source) override {
    bool turns = false;
    ForEachHead(source, [&](Head& head) { turns = turns || head.turns(); });
    return turns;
  }
  [[nodiscard]] bool Keeps(const Allocation& primary) override {
    bool keeps = false;
    ForEachHead(primary.data().vidpn_source, [&](Head& head) { keeps = head.Keeps(primary) || keeps; });
    return keeps;
  }
  void ShowAgain(const Allocation& primary) override {
    ForEachHead(primary.data().vidpn_source, [&](Head& head) { head.ShowAgain(primary); });
  }
  void SetAddress(std::uint32_t source, const Allocation* primary, std::uint64_t address, bool immediate) override {
    const std::uint32_t first = primary_targets_[source].load(std::memory_order_acquire);
    ForEachHead(source, [&](Head& head) { head.SetAddress(primary, address, immediate || &head != heads_[first].get()); });
  }
  void SetVisible(std::uint32_t source, bool visible) override {
    ForEachHead(source, [&](Head& head) { head.SetVisible(visible); });
  }
  void EnableInterrupts(bool enable) override {
    for (const auto& head : heads_) head->EnableInterrupt(enable);
  }
  [[nodiscard]] Beam BeamOf(std::uint32_t target) override {
    const Head::Beam beam = heads_[target]->BeamPosition();
    return {beam.line, beam.in_vertical_blank};
  }
  void Forget(const Allocation& allocation) override {
    for (const auto& head : heads_) head->Forget(allocation);
  }

  void Connect(std::uint32_t source, std::span<const drivers::PathTarget> targets) override {
    std::uint32_t mask = 0;
    for (const drivers::PathTarget& target : targets) {
      mask |= 1u << target.id;
      heads_[target.id]->SetOffset(target.offset);
    }
    for (auto& other : targets_) other.fetch_and(~mask, std::memory_order_acq_rel);
    primary_targets_[source].store(targets.front().id, std::memory_order_release);
    targets_[source].store(mask, std::memory_order_release);
  }

  void Turn(const drivers::PathTarget& target) override { heads_[target.id]->SetOffset(target.offset); }

 private:
  // Calls `use` for each head that shows the source. Any IRQL.
  template <class Use>
  void ForEachHead(std::uint32_t source, Use&& use) {
    if (source >= heads_.size()) return;
    const std::uint32_t mask = targets_[source].load(std::memory_order_acquire);
    for (std::uint32_t target = 0; target < heads_.size(); ++target) {
      if ((mask >> target & 1) != 0) use(*heads_[target]);
    }
  }

  Display::Owner& owner_;
  const std::shared_ptr<WsiConnectorsImpl> connectors_;
  std::vector<std::unique_ptr<Head>> heads_;
  std::array<std::atomic<std::uint32_t>, kMaxVidPnSources> targets_{};  // by source; bit N: target N
  std::array<std::atomic<std::uint32_t>, kMaxVidPnSources> primary_targets_{};
};

}  // namespace

Result<std::unique_ptr<Display>> Display::Create(Gpu& gpu, Owner& owner, std::shared_ptr<WsiConnectors> connectors) {
  if (!gpu.can_present()) {
    return Fail(ErrorKind::kUnsupported, "The Vulkan device {} cannot present to window systems: it lacks VK_KHR_swapchain.",
                gpu.name());
  }
  // CreateWsiConnectors makes all of them, and of this class.
  auto heads = std::make_unique<Heads>(owner, std::static_pointer_cast<WsiConnectorsImpl>(std::move(connectors)));
  if (auto started = heads->Start(gpu); !started.ok()) return started.error();
  return std::unique_ptr<Display>(std::move(heads));
}

}  // namespace tandem::vulkan
