#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/thread.h"
#include "config/adapter_info.h"
#include "config/card_selector.h"
#include "config/settings.h"
#include "drivers/kms/card_memory.h"
#include "drivers/kms/kms_device.h"
#include "drivers/processor/user_mode.h"
#include "outputs/output.h"
#include "swapchain/runtime_device.h"
#include "swapchain/swap_chain.h"
#include "system/application_window.h"
#include "system/display.h"
#include "system/output_factory.h"

namespace tandem::system {
namespace {

// A running card and the screens that surfaces hold.
struct RunningCard {
  kms::DeviceDescription description;
  std::unique_ptr<swapchain::RuntimeDevice> device;
  std::array<bool, kMaxVidPnSources> taken{};
};

class KmsDisplay;

class KmsSurface final : public DisplaySurface {
 public:
  KmsSurface(KmsDisplay& owner, const kms::Screens& screens, swapchain::RuntimeDevice& display, std::uint32_t screen)
      : owner_(owner), screens_(screens), display_(display), screen_(screen) {}
  ~KmsSurface() override;

  [[nodiscard]] std::uint32_t vidpn_source() const override { return screen_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return State().status; }
  [[nodiscard]] outputs::OutputStatus AskStatus() const override { return State().status; }
  [[nodiscard]] swapchain::ShownDepth shown_depth() const override { return swapchain::ShownDepth::kEightBits; }
  [[nodiscard]] std::string WhyNotDithered(DXGI_FORMAT /*frames*/) const override { return {}; }
  [[nodiscard]] swapchain::RuntimeDevice& display() override { return display_; }
  [[nodiscard]] std::int64_t refresh_period_ns() const override { return std::max<std::int64_t>(State().refresh_period_ns, 1); }
  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::uint64_t output_written_bytes() const override { return State().written_bytes; }
  [[nodiscard]] DisplayReport display_report() const override {
    const kms::ScreenState state = State();
    return {true, state.direct_frames + state.composed_frames, 0, 0};
  }

 private:
  [[nodiscard]] kms::ScreenState State() const { return screens_.StateOf(screen_); }

  KmsDisplay& owner_;
  const kms::Screens& screens_;
  swapchain::RuntimeDevice& display_;
  const std::uint32_t screen_;
};

// One card for the process: a second file of it would not become its master.
class KmsDisplay final : public Display {
 public:
  KmsDisplay(Graphics& graphics, const config::AdapterInfo& adapter, const config::Settings& settings)
      : graphics_(graphics), adapter_(adapter), name_(config::NameOfCard(settings.display, adapter)), dithers_(settings.dither) {}
  ~KmsDisplay() override {
    const MutexLock lock(mutex_);
    if (card_ != nullptr) Stop();
  }

  Result<std::unique_ptr<DisplayWindow>> Open(const SurfaceTarget& target) override;
  [[nodiscard]] bool CanShowOn(SurfaceTarget::Kind /*kind*/) const override { return true; }
  [[nodiscard]] ImportAbilities imports() const override {
    ImportAbilities imports;
    imports.anonymous = false;
    const MutexLock lock(mutex_);
    imports.pages = Pages();
    imports.reason = imports.pages.anonymous.reason;
    return imports;
  }
  [[nodiscard]] std::shared_ptr<DmaBufSource> ExportMemory() override {
    const MutexLock lock(mutex_);
    exports_ = Pages().own_dma_buf.works;
    return exports_ ? memory_ : nullptr;
  }

  Result<std::unique_ptr<DisplaySurface>> TakeScreen() {
    const MutexLock lock(mutex_);
    const bool held = card_ != nullptr && std::ranges::find(card_->taken, true) != card_->taken.end();
    if (card_ != nullptr && !held && swapchain::IsLost(card_->device->kernel_device())) Stop();
    if (card_ == nullptr) {
      auto started = Start();
      if (!started.ok()) return std::move(started).error().Context("Starting the display adapter");
      card_ = *std::move(started);
    }
    const std::uint32_t count = card_->description.screens->count();
    for (std::uint32_t screen = 0; screen < count; ++screen) {
      if (std::exchange(card_->taken[screen], true)) continue;
      return std::unique_ptr<DisplaySurface>(
          std::make_unique<KmsSurface>(*this, *card_->description.screens, *card_->device, screen));
    }
    return Fail(ErrorKind::kLimit, "All {} displays of {} show another surface: end it, or plug another display in.", count,
                adapter_.name);
  }
  void GiveBack(std::uint32_t screen) {
    const MutexLock lock(mutex_);
    card_->taken[screen] = false;
  }
  [[nodiscard]] const std::string& name() const { return adapter_.name; }

 private:
  // Asked at the first call, before the card starts: processes that show nothing leave its master alone.
  const PageAbilities& Pages() const TANDEM_REQUIRES(mutex_) {
    if (pages_) return *pages_;
    pages_ = ProcessorAbilities();
    pages_->anonymous = {false, "Planes read dma-bufs, which anonymous pages do not become.", 0, 0};
    auto memory = kms::CardMemory::Open(name_);
    if (!memory.ok()) {
      pages_->own_dma_buf.reason = memory.error().message;
      return *pages_;
    }
    memory_ = *std::move(memory);
    const Result<void> own = memory_->TakesOwn();
    pages_->own_dma_buf = {own.ok(), own.ok() ? "Planes read the card's own buffers." : own.error().message, 0, 0};
    if (const Result<void> foreign = memory_->TakesForeign(); !foreign.ok() && own.ok()) {
      pages_->memfd = pages_->foreign_dma_buf = {false, foreign.error().message, 0, 0};
    }
    return *pages_;
  }

  Result<std::unique_ptr<RunningCard>> Start() TANDEM_REQUIRES(mutex_) {
    auto card = std::make_unique<RunningCard>();
    card->description.card = name_;
    card->description.screens = kms::CreateScreens();
    card->description.dithers = dithers_;
    if (exports_) card->description.memory = memory_;
    auto luid = graphics_.AddKmsAdapter(card->description, adapter_);
    if (!luid.ok()) return std::move(luid).error();
    auto device = swapchain::RuntimeDevice::Create({*luid, &processor::ProcessorOpenAdapter10_2, adapter_.name, {}, 0});
    if (!device.ok()) {
      graphics_.RemoveAdapter(*luid);
      return std::move(device).error();
    }
    card->device = *std::move(device);
    graphics_.StartDisplayTrial(*luid);
    return card;
  }
  void Stop() TANDEM_REQUIRES(mutex_) {
    const LUID luid = card_->device->binding().luid;
    card_->device.reset();
    graphics_.RemoveAdapter(luid);
    card_.reset();
  }

  Graphics& graphics_;
  const config::AdapterInfo& adapter_;
  const std::string name_;
  const bool dithers_;
  mutable Mutex mutex_;
  mutable std::optional<PageAbilities> pages_ TANDEM_GUARDED_BY(mutex_);
  mutable std::shared_ptr<kms::CardMemory> memory_ TANDEM_GUARDED_BY(mutex_);  // null: the user may not open the card
  bool exports_ TANDEM_GUARDED_BY(mutex_) = false;  // before the card starts; afterwards it stays as it is
  std::unique_ptr<RunningCard> card_ TANDEM_GUARDED_BY(mutex_);
};

KmsSurface::~KmsSurface() { owner_.GiveBack(screen_); }

std::string KmsSurface::description() const {
  const kms::ScreenState state = State();
  std::string text = owner_.name() + ", " + state.connector;
  if (!state.connected) text += "; nothing is connected to it";
  if (!state.why_composed.empty()) text += "; frames are copied for it: " + state.why_composed;
  return text;
}

class KmsWindow final : public DisplayWindow {
 public:
  KmsWindow(KmsDisplay& display, ApplicationWindow window) : display_(display), window_(std::move(window)) {}

  [[nodiscard]] outputs::OutputStatus AskStatus() const override { return window_.Ask(); }
  [[nodiscard]] std::vector<DXGI_FORMAT> formats() const override { return ShowableFormats(MoreBits::kNotOffered); }
  [[nodiscard]] std::vector<swapchain::PresentMode> present_modes() const override {
    return {swapchain::PresentMode::kFifo, swapchain::PresentMode::kMailbox, swapchain::PresentMode::kImmediate,
            swapchain::PresentMode::kFifoRelaxed, swapchain::PresentMode::kFifoLatestReady};
  }
  Result<std::unique_ptr<DisplaySurface>> TakeOutput() override { return display_.TakeScreen(); }

 private:
  KmsDisplay& display_;
  const ApplicationWindow window_;
};

Result<std::unique_ptr<DisplayWindow>> KmsDisplay::Open(const SurfaceTarget& target) {
  auto window = ApplicationWindow::Find(target);
  if (!window.ok()) return std::move(window).error();
  return std::unique_ptr<DisplayWindow>(std::make_unique<KmsWindow>(*this, *std::move(window)));
}

}  // namespace

std::unique_ptr<Display> MakeKmsDisplay(Graphics& graphics, const config::AdapterInfo& adapter,
                                        const config::Settings& settings) {
  return std::make_unique<KmsDisplay>(graphics, adapter, settings);
}

}  // namespace tandem::system
