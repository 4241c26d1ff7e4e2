#include "system/system.h"

#include <optional>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/thread.h"
#include "config/card_selector.h"
#include "config/feature_file.h"
#include "config/selector.h"
#include "drivers/vulkan/gpu/dma_buf_export.h"
#include "drivers/vulkan/icd/enumeration.h"
#include "kernel/kernel.h"
#include "system/adapter_cache.h"
#include "system/adapter_list.h"
#include "system/backing_choice.h"
#include "system/card_adapters.h"
#include "system/device_memory.h"
#include "system/display_driver.h"
#include "system/display_layers.h"
#include "system/displays.h"
#include "system/driver_library.h"
#include "system/driver_record_file.h"
#include "system/graphics.h"
#include "system/renders.h"

namespace tandem::system {
namespace {

kernel::BackingStoreKind KindOf(BackingWay way) {
  if (way == BackingWay::kMemfd) return kernel::BackingStoreKind::kMemfd;
  return way == BackingWay::kAnonymous ? kernel::BackingStoreKind::kAnonymous : kernel::BackingStoreKind::kDmaBuf;
}

class SystemImpl final : public System {
 public:
  SystemImpl(AdapterList list, const config::AdapterPair& pair, std::unique_ptr<Graphics> graphics,
             const config::Settings& settings, std::shared_ptr<RenderLosses> losses)
      : list_(std::move(list)),
        path_(settings.path),
        link_limit_(settings.link_limit),
        link_engine_(settings.link_engine),
        dithers_(settings.dither),
        yuv_passes_(settings.yuv_passes),
        full_driver_(LoadFullDriver({settings.display_driver, settings.registry})),
        graphics_(std::move(graphics)),
        renders_(*graphics_, list_, pair.render, settings, std::move(losses)),
        displays_(*graphics_, list_, pair, settings, full_driver_.get()) {}

  [[nodiscard]] const std::vector<config::AdapterInfo>& adapters() const override { return list_.adapters; }
  [[nodiscard]] const config::AdapterInfo& render_adapter() const override { return renders_.adapter(); }
  const config::AdapterInfo& FollowRenderAdapter(const std::function<bool(const config::AdapterInfo&)>& usable) override {
    return renders_.Follow(usable);
  }
  [[nodiscard]] const config::AdapterInfo& display_adapter() const override { return displays_.adapter(); }

  [[nodiscard]] bool CanShowOn(SurfaceTarget::Kind kind) const override { return displays_.CanShowOn(kind); }
  Result<OpenedWindow> OpenWindow(const SurfaceTarget& target) override { return displays_.Open(target); }
  Result<NextOutput> TakeNextOutput(const SurfaceTarget& target, std::uint64_t lost_turn) override {
    auto taken = displays_.TakeNextOutput(target, lost_turn);
    if (taken.ok()) ChooseMemory();
    return taken;
  }

  Result<std::unique_ptr<RenderSession>> BorrowDevice(BorrowedDevice device, const config::AdapterInfo& adapter) override {
    auto description = std::make_unique<vulkan::DeviceDescription>();
    description->borrowed = std::move(device);
    description->link_bytes_per_second = link_limit_;
    description->links = ToBlitEngine(link_engine_);
    description->dithers = dithers_;
    description->yuv_passes = ToYuvPasses(yuv_passes_);
    description->memory = MakeDeviceMemory(adapter);
    description->exporter = std::make_shared<vulkan::DmaBufExporter>();
    // This path requests copies by the processor; the driver uses the processor when the device imports no pages.
    const bool offered = description->borrowed->external_memory_host || description->borrowed->crossing.dma_buf;
    if (path_ == swapchain::PathRequest::kCpuCopy) {
      description->borrowed->external_memory_host = false;
      description->borrowed->crossing = {};
    }
    auto luid = graphics_->AddVulkanAdapter(*description, adapter);
    if (!luid.ok()) return std::move(luid).error();
    const std::shared_ptr<std::atomic<bool>> session_lost = description->borrowed->lost;
    renders_.Begin(*luid, adapter, session_lost);
    auto session = std::make_unique<RenderSession>(renders_, std::move(description), *luid);
    auto imports = Graphics::VulkanImports(*luid);
    if (!imports.ok()) {
      Log(LogLevel::kWarn, "{}", imports.error().message);
      imports = ImportAbilities{false, false, imports.error().message, {}, {}, true, {}, {}};
    }
    std::string bounce_reason = PreferBackingStore(*imports, session->dma_bufs());
    {
      const MutexLock lock(mutex_);
      render_memory_ = {*imports, session->dma_bufs()};
    }
    if (path_ == swapchain::PathRequest::kCpuCopy && offered) bounce_reason = "the requested path imports no pages";
    auto opened = session->Open(adapter.name, bounce_reason, *imports);
    if (!opened.ok()) return std::move(opened).error();
    // A GPU that vanishes fails its driver's calls, too. The program's own objects stay until it destroys them.
    graphics_->StartTrial(config::AdapterLoss::Role::kRender, [lost = session_lost] { lost->store(true); });
    return session;
  }

  [[nodiscard]] std::optional<std::uint64_t> DdiPresentsOf(LUID adapter) const override {
    const auto counters = graphics_->kernel().Counters(adapter);
    return counters.ok() ? std::optional(counters->ddi_presents) : std::nullopt;
  }
  [[nodiscard]] Clock& clock() const override { return MonotonicClock(); }

 private:
  // The latest session's part in the choice of the memory between both adapters.
  struct RenderMemory {
    ImportAbilities imports;
    std::shared_ptr<DmaBufSource> exported;
  };

  // For a display adapter that follows a lost one.
  void ChooseMemory() {
    std::optional<RenderMemory> memory;
    {
      const MutexLock lock(mutex_);
      memory = render_memory_;
    }
    if (memory) static_cast<void>(PreferBackingStore(memory->imports, memory->exported));
  }

  // Prefers a memfd if both adapters take it, because an X server can attach its pages directly. Returns why the processor makes
  // the render adapter's copies; empty if it does not.
  std::string PreferBackingStore(const ImportAbilities& imports, std::shared_ptr<DmaBufSource> exported) {
    const BackingChoice choice = ChooseBacking(imports.pages, displays_.imports().pages);
    const BackingWay way = choice.chosen.value_or(BackingWay::kMemfd);
    if (way != BackingWay::kRenderDmaBuf) exported = way == BackingWay::kDisplayDmaBuf ? displays_.ExportMemory() : nullptr;
    graphics_->kernel().SetDmaBufSource(std::move(exported));
    graphics_->kernel().SetBackingStorePreference(KindOf(way));
    Log(LogLevel::kInfo, "Shared pages: {}", choice.reason);
    const bool imported = choice.chosen.has_value() || imports.pages.memfd.works;
    return imported ? std::string() : imports.reason;
  }

  const AdapterList list_;
  const swapchain::PathRequest path_;
  const std::uint64_t link_limit_;
  const config::LinkEngine link_engine_;
  const bool dithers_;
  const config::YuvPasses yuv_passes_;
  const std::unique_ptr<DriverLibrary> full_driver_;  // outlives the kernel; null: no display driver, or a display-only one
  const std::unique_ptr<Graphics> graphics_;
  Renders renders_;
  Displays displays_;

  Mutex mutex_;
  std::optional<RenderMemory> render_memory_ TANDEM_GUARDED_BY(mutex_);
};

struct Choice {
  AdapterList list;
  config::AdapterPair pair;
  std::vector<config::FeatureEntry> features;
};

struct Found {
  AdapterList list;
  std::vector<std::string> problems;  // of opened drivers
  bool kept = false;                  // from the kept list
};

Found OpenedAdapters() {
  vulkan::Enumeration enumeration = vulkan::EnumerateDevices();
  for (const std::string& problem : enumeration.problems) Log(LogLevel::kInfo, "{}", problem);
  return {DescribeAdapters(enumeration), std::move(enumeration.problems)};
}

// Opens the drivers and keeps their list, with the configuration file's tags.
Found RenewedAdapters() {
  const Machine machine = ThisMachine();
  Found found = OpenedAdapters();
  KeepAdapters(found.list.adapters, machine);
  HideTagged(found.list.adapters);
  return found;
}

// Opens the drivers where no list is kept. Tags of the configuration file are applied.
Found FindAdapters(AdapterSource source) {
  if (source == AdapterSource::kKept) {
    auto kept = CachedAdapters();
    auto list = kept.ok() ? ListOfKept(*std::move(kept)) : Result<AdapterList>(kept.error());
    if (list.ok()) return {*std::move(list), {}, true};
    Log(LogLevel::kInfo, "The Vulkan drivers are opened: {}", list.error().message);
    return RenewedAdapters();
  }
  Found found = OpenedAdapters();
  HideTagged(found.list.adapters);
  return found;
}

Result<Choice> ChooseAmong(Found&& found, const config::Settings& settings, const RenderLosses& losses) {
  auto& [list, problems, kept] = found;
  AddCards(list);
  for (config::AdapterInfo& adapter : list.adapters) {
    if (losses.Of(adapter) == RenderLosses::State::kGone) adapter.can_render = false;
  }
  auto pair = config::ChooseAdapters(settings, list.adapters);
  if (!pair.ok()) {
    // A missing adapter is probably one whose driver could not be opened.
    Error error = std::move(pair).error();
    for (const std::string& problem : problems) error.message += " " + problem;
    return error;
  }
  if (auto checked = CheckDisplayLayers(settings, list.adapters[pair->display]); !checked.ok()) return std::move(checked).error();
  const auto feature_file = config::FeatureFilePath();
  auto features = feature_file ? config::ReadFeatureFile(*feature_file) : std::vector<config::FeatureEntry>();
  if (!features.ok()) return std::move(features).error();
  return Choice{std::move(list), *std::move(pair), *std::move(features)};
}

Result<Choice> Choose(const config::Settings& settings, AdapterSource source, const RenderLosses& losses) {
  Found found = FindAdapters(source);
  const bool kept = found.kept;
  auto choice = ChooseAmong(std::move(found), settings, losses);
  // A list without what was asked for may be out of date. A mistyped name wakes no GPU.
  if (choice.ok() || choice.error().kind != ErrorKind::kNotFound || !kept || !losses.empty()) return choice;
  if (IsGpuAsleep()) {
    return Fail(ErrorKind::kNotFound, "{} These were listed before a GPU fell asleep; 'tandem adapters --wake' lists them anew.",
                choice.error().message);
  }
  Log(LogLevel::kInfo, "The Vulkan drivers are opened: {}", choice.error().message);
  return ChooseAmong(RenewedAdapters(), settings, losses);
}

// The adapter that the user named may be the lost one.
Result<Choice> ChooseAfter(const RenderLosses& losses, config::Settings settings, AdapterSource source) {
  auto choice = Choose(settings, source, losses);
  if (choice.ok() || losses.empty()) return choice;
  Log(LogLevel::kInfo, "The render adapter asked for is lost: {}", choice.error().message);
  settings.render.clear();
  return Choose(settings, source, losses);
}

}  // namespace

std::vector<config::AdapterInfo> System::List(AdapterSource source) {
  if (source == AdapterSource::kKept) {
    AdapterList list = FindAdapters(source).list;
    AddCards(list);
    return std::move(list.adapters);
  }
  AdapterList list = RenewedAdapters().list;
  std::set<std::string> manifests;
  for (const config::AdapterInfo& adapter : list.adapters) manifests.insert(adapter.icd_manifest);
  for (const std::string& manifest : manifests) {
    if (!manifest.empty()) KeepDriverRecord(manifest);
  }
  AddCards(list);
  return std::move(list.adapters);
}

Result<ChosenAdapters> System::Check(const config::Settings& settings, AdapterSource source, const RenderLosses& losses) {
  auto choice = ChooseAfter(losses, settings, source);
  if (!choice.ok()) return std::move(choice).error();
  const std::vector<config::AdapterInfo>& adapters = choice->list.adapters;
  return ChosenAdapters{adapters[choice->pair.render], adapters[choice->pair.display]};
}

Result<std::unique_ptr<System>> System::Create(const config::Settings& settings, AdapterSource source,
                                               std::shared_ptr<RenderLosses> losses) {
  auto choice = ChooseAfter(*losses, settings, source);
  if (!choice.ok()) return std::move(choice).error();
  auto& [list, pair, features] = *choice;
  Log(LogLevel::kInfo, "Render adapter {}: {} Display adapter {}: {}", list.adapters[pair.render].name, pair.render_reason,
      list.adapters[pair.display].name, pair.display_reason);
  // A trial loses one adapter.
  const config::AdapterLoss lose = losses->empty() ? settings.lose : config::AdapterLoss();
  auto graphics = Graphics::Create(MonotonicClock(), list.adapters, std::move(features), lose);
  if (!graphics.ok()) return std::move(graphics).error();
  return std::unique_ptr<System>(
      std::make_unique<SystemImpl>(std::move(list), pair, *std::move(graphics), settings, std::move(losses)));
}

}  // namespace tandem::system
