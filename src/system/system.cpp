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
#include "system/display.h"
#include "system/display_driver.h"
#include "system/display_layers.h"
#include "system/driver_library.h"
#include "system/driver_record_file.h"
#include "system/graphics.h"

namespace tandem::system {
namespace {

kernel::BackingStoreKind KindOf(BackingWay way) {
  if (way == BackingWay::kMemfd) return kernel::BackingStoreKind::kMemfd;
  return way == BackingWay::kAnonymous ? kernel::BackingStoreKind::kAnonymous : kernel::BackingStoreKind::kDmaBuf;
}

class SystemImpl final : public System {
 public:
  SystemImpl(AdapterList list, const config::AdapterPair& pair, std::unique_ptr<Graphics> graphics,
             const config::Settings& settings)
      : list_(std::move(list)),
        pair_(pair),
        path_(settings.path),
        link_limit_(settings.link_limit),
        link_engine_(settings.link_engine),
        display_layers_(settings.display_layers),
        dithers_(settings.dither),
        yuv_passes_(settings.yuv_passes),
        may_choose_again_(settings.display.empty() && settings.display_driver.empty()),
        full_driver_(LoadFullDriver(settings.display_driver)),
        graphics_(std::move(graphics)) {
    const config::AdapterInfo& chosen = list_.adapters[pair_.display];
    display_ = full_driver_ != nullptr              ? MakeFullDriverDisplay(*graphics_, settings, *full_driver_)
               : pair_.display == list_.soft()      ? MakeSoftDisplay(*graphics_, chosen, settings)
               : chosen.driver == config::kCardKind ? MakeKmsDisplay(*graphics_, chosen, settings)
                                                    : MakeVulkanDisplay(*graphics_, chosen, link_engine_, display_layers_);
    if (full_driver_ != nullptr) {
      full_driver_adapter_ = chosen;
      full_driver_adapter_.name = full_driver_->name();
    }
    shown_by_ = {display_.get(), full_driver_ != nullptr ? &full_driver_adapter_ : &chosen};
  }

  [[nodiscard]] const std::vector<config::AdapterInfo>& adapters() const override { return list_.adapters; }
  [[nodiscard]] const config::AdapterInfo& render_adapter() const override { return list_.adapters[pair_.render]; }
  [[nodiscard]] const config::AdapterInfo& display_adapter() const override {
    const MutexLock lock(mutex_);
    return *shown_by_.adapter;
  }

  [[nodiscard]] bool CanShowOn(SurfaceTarget::Kind kind) const override {
    return display_->CanShowOn(kind) || Substitute(kind).has_value();
  }
  Result<std::unique_ptr<DisplayWindow>> OpenWindow(const SurfaceTarget& target) override {
    return DisplayFor(target.kind).Open(target);
  }

  Result<std::unique_ptr<RenderSession>> BorrowDevice(BorrowedDevice device) override {
    auto description = std::make_unique<vulkan::DeviceDescription>();
    description->borrowed = std::move(device);
    description->link_bytes_per_second = link_limit_;
    description->links = ToBlitEngine(link_engine_);
    description->dithers = dithers_;
    description->yuv_passes = ToYuvPasses(yuv_passes_);
    description->memory = MakeDeviceMemory(render_adapter());
    description->exporter = std::make_shared<vulkan::DmaBufExporter>();
    // This path requests copies by the processor; the driver uses the processor when the device imports no pages.
    const bool offered = description->borrowed->external_memory_host || description->borrowed->crossing.dma_buf;
    if (path_ == swapchain::PathRequest::kCpuCopy) {
      description->borrowed->external_memory_host = false;
      description->borrowed->crossing = {};
    }
    const std::string& name = render_adapter().name;
    auto luid = graphics_->AddVulkanAdapter(*description, render_adapter());
    if (!luid.ok()) return std::move(luid).error();
    auto session = std::make_unique<RenderSession>(*graphics_, std::move(description), *luid);
    auto imports = Graphics::VulkanImports(*luid);
    if (!imports.ok()) {
      Log(LogLevel::kWarn, "{}", imports.error().message);
      imports = ImportAbilities{false, false, imports.error().message, {}, {}, true, {}, {}};
    }
    std::string bounce_reason = PreferBackingStore(*imports, session->dma_bufs());
    if (path_ == swapchain::PathRequest::kCpuCopy && offered) bounce_reason = "the requested path imports no pages";
    auto opened = session->Open(name, bounce_reason, *imports);
    if (!opened.ok()) return std::move(opened).error();
    return session;
  }

  [[nodiscard]] std::optional<std::uint64_t> DdiPresentsOf(LUID adapter) const override {
    const auto counters = graphics_->kernel().Counters(adapter);
    return counters.ok() ? std::optional(counters->ddi_presents) : std::nullopt;
  }
  [[nodiscard]] Clock& clock() const override { return MonotonicClock(); }

 private:
  // The substitute of the chosen display adapter for windows that it has no output for.
  [[nodiscard]] std::optional<std::size_t> Substitute(SurfaceTarget::Kind kind) const {
    if (!may_choose_again_ || kind != SurfaceTarget::Kind::kWayland) return std::nullopt;
    return config::FindDisplayWith("wsi-wayland", list_.adapters, pair_.render);
  }

  Display& DisplayFor(SurfaceTarget::Kind kind) {
    if (display_->CanShowOn(kind)) return *display_;
    const auto substitute = Substitute(kind);
    if (!substitute) return *display_;
    const MutexLock lock(mutex_);
    if (substitute_ == nullptr) {
      const config::AdapterInfo& adapter = list_.adapters[*substitute];
      Log(LogLevel::kInfo, "Display adapter {} takes over, because {} has no output for this window.", adapter.name,
          shown_by_.adapter->name);
      substitute_ = MakeVulkanDisplay(*graphics_, adapter, link_engine_, display_layers_);
      shown_by_ = {substitute_.get(), &adapter};
    }
    return *substitute_;
  }

  [[nodiscard]] std::shared_ptr<DmaBufSource> ExportDisplayMemory() const {
    const MutexLock lock(mutex_);
    return shown_by_.display->ExportMemory();
  }

  [[nodiscard]] ImportAbilities DisplayImports() const {
    const MutexLock lock(mutex_);
    return shown_by_.display->imports();
  }

  // Prefers a memfd if both adapters take it, because an X server can attach its pages directly. Returns why the processor makes
  // the render adapter's copies; empty if it does not.
  std::string PreferBackingStore(const ImportAbilities& imports, std::shared_ptr<DmaBufSource> exported) {
    const BackingChoice choice = ChooseBacking(imports.pages, DisplayImports().pages);
    const BackingWay way = choice.chosen.value_or(BackingWay::kMemfd);
    if (way != BackingWay::kRenderDmaBuf) exported = way == BackingWay::kDisplayDmaBuf ? ExportDisplayMemory() : nullptr;
    graphics_->kernel().SetDmaBufSource(std::move(exported));
    graphics_->kernel().SetBackingStorePreference(KindOf(way));
    Log(LogLevel::kInfo, "Shared pages: {}", choice.reason);
    const bool imported = choice.chosen.has_value() || imports.pages.memfd.works;
    return imported ? std::string() : imports.reason;
  }

  const AdapterList list_;
  const config::AdapterPair pair_;
  const swapchain::PathRequest path_;
  const std::uint64_t link_limit_;
  const config::LinkEngine link_engine_;
  const std::vector<std::string> display_layers_;
  const bool dithers_;
  const config::YuvPasses yuv_passes_;
  const bool may_choose_again_;
  const std::unique_ptr<DriverLibrary> full_driver_;  // outlives the kernel; null: no display driver, or a display-only one
  config::AdapterInfo full_driver_adapter_;           // in the software adapter's place; from the constructor on constant
  const std::unique_ptr<Graphics> graphics_;
  std::unique_ptr<Display> display_;

  struct ShownBy {
    Display* display = nullptr;
    const config::AdapterInfo* adapter = nullptr;
  };
  mutable Mutex mutex_;
  std::unique_ptr<Display> substitute_ TANDEM_GUARDED_BY(mutex_);
  ShownBy shown_by_ TANDEM_GUARDED_BY(mutex_);  // the display of the latest or the next surface
};

struct Choice {
  AdapterList list;
  config::AdapterPair pair;
  std::vector<config::FeatureEntry> features;
};

struct Found {
  AdapterList list;
  std::vector<std::string> problems;
};

Found OpenedAdapters() {
  vulkan::Enumeration enumeration = vulkan::EnumerateDevices();
  for (const std::string& problem : enumeration.problems) Log(LogLevel::kInfo, "{}", problem);
  return {DescribeAdapters(enumeration), std::move(enumeration.problems)};
}

// Opens the drivers where no list is kept, and keeps theirs. Tags of the configuration file are applied.
Found FindAdapters(AdapterSource source) {
  if (source == AdapterSource::kKept) {
    auto kept = CachedAdapters();
    auto list = kept.ok() ? ListOfKept(*std::move(kept)) : Result<AdapterList>(kept.error());
    if (list.ok()) return {*std::move(list), {}};
    Log(LogLevel::kInfo, "The Vulkan drivers are opened: {}", list.error().message);
  }
  const Machine machine = source == AdapterSource::kKept ? ThisMachine() : Machine();
  Found found = OpenedAdapters();
  if (source == AdapterSource::kKept) KeepAdapters(found.list.adapters, machine);
  HideTagged(found.list.adapters);
  return found;
}

Result<Choice> Choose(const config::Settings& settings, AdapterSource source) {
  auto [list, problems] = FindAdapters(source);
  AddCards(list);
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

}  // namespace

std::vector<config::AdapterInfo> System::List(AdapterSource source) {
  if (source == AdapterSource::kKept) {
    AdapterList list = FindAdapters(source).list;
    AddCards(list);
    return std::move(list.adapters);
  }
  const Machine machine = ThisMachine();
  AdapterList list = OpenedAdapters().list;
  KeepAdapters(list.adapters, machine);
  std::set<std::string> manifests;
  for (const config::AdapterInfo& adapter : list.adapters) manifests.insert(adapter.icd_manifest);
  for (const std::string& manifest : manifests) {
    if (!manifest.empty()) KeepDriverRecord(manifest);
  }
  HideTagged(list.adapters);
  AddCards(list);
  return std::move(list.adapters);
}

Result<config::AdapterInfo> System::Check(const config::Settings& settings, AdapterSource source) {
  auto choice = Choose(settings, source);
  if (!choice.ok()) return std::move(choice).error();
  return std::move(choice->list.adapters[choice->pair.render]);
}

Result<std::unique_ptr<System>> System::Create(const config::Settings& settings, AdapterSource source) {
  auto choice = Choose(settings, source);
  if (!choice.ok()) return std::move(choice).error();
  auto& [list, pair, features] = *choice;
  Log(LogLevel::kInfo, "Render adapter {}: {} Display adapter {}: {}", list.adapters[pair.render].name, pair.render_reason,
      list.adapters[pair.display].name, pair.display_reason);
  auto graphics = Graphics::Create(MonotonicClock(), list.adapters, std::move(features));
  if (!graphics.ok()) return std::move(graphics).error();
  return std::unique_ptr<System>(std::make_unique<SystemImpl>(std::move(list), pair, *std::move(graphics), settings));
}

}  // namespace tandem::system
