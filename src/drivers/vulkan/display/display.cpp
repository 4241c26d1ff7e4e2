#include "drivers/vulkan/display/display.h"

#include <utility>
#include <vector>

#include "drivers/vulkan/display/head.h"
#include "drivers/vulkan/display/wsi_sockets.h"

namespace tandem::vulkan {
namespace {

class Heads final : public Display, public Head::Owner {
 public:
  Heads(Display::Owner& owner, std::shared_ptr<WsiSockets> sockets) : owner_(owner), sockets_(std::move(sockets)) {}

  Result<void> Start(Gpu& gpu) {
    for (std::uint32_t source = 0; source < sockets_->count(); ++source) {
      auto head = Head::Create(source, gpu, *sockets_, *this, MonotonicClock());
      if (!head.ok()) return std::move(head).error();
      heads_.push_back(*std::move(head));
    }
    return {};
  }

  [[nodiscard]] std::uint32_t source_count() const override { return static_cast<std::uint32_t>(heads_.size()); }

  void Copy(const CopyCommand& command) override {
    const std::uint32_t source = command.destination->data().vidpn_source;
    if (source < heads_.size()) heads_[source]->Copy(command);
  }
  void SetAddress(std::uint32_t source, const Allocation* primary, std::uint64_t address, bool immediate) override {
    heads_[source]->SetAddress(primary, address, immediate);
  }
  void SetVisible(std::uint32_t source, bool visible) override { heads_[source]->SetVisible(visible); }
  void EnableInterrupts(bool enable) override {
    for (const auto& head : heads_) head->EnableInterrupt(enable);
  }
  [[nodiscard]] Beam BeamOf(std::uint32_t source) override {
    const Head::Beam beam = heads_[source]->BeamPosition();
    return {beam.line, beam.in_vertical_blank};
  }
  void Forget(const Allocation& allocation) override {
    for (const auto& head : heads_) head->Forget(allocation);
  }

  void VerticalBlank(std::uint32_t source, std::uint64_t address) override { owner_.VerticalBlank(source, address); }

 private:
  Display::Owner& owner_;
  const std::shared_ptr<WsiSockets> sockets_;
  std::vector<std::unique_ptr<Head>> heads_;
};

}  // namespace

Result<std::unique_ptr<Display>> Display::Create(Gpu& gpu, Owner& owner, std::shared_ptr<WsiConnector> connector) {
  if (!gpu.can_present()) {
    return Fail(ErrorKind::kUnsupported, "The Vulkan device {} cannot present to window systems: it lacks VK_KHR_swapchain.",
                gpu.name());
  }
  // CreateWsiConnector makes no other kind.
  auto heads = std::make_unique<Heads>(owner, std::static_pointer_cast<WsiSockets>(std::move(connector)));
  if (auto started = heads->Start(gpu); !started.ok()) return started.error();
  return std::unique_ptr<Display>(std::move(heads));
}

}  // namespace tandem::vulkan
