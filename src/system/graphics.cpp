#include "system/graphics.h"

#include <cstring>
#include <utility>

#include "base/log.h"
#include "drivers/soft/soft_device.h"
#include "drivers/vulkan/gpu/private_data.h"
#include "drivers/vulkan/gpu/probe.h"
#include "system/feature_settings.h"

#include <d3dkmthk.h>

namespace tandem::system {
namespace {

// A copy waits for the frame that the program draws. On a processor a frame may take seconds, longer than TdrDelay's two.
constexpr std::int64_t kTimeoutDelayNs = 10'000'000'000;
// A call that frees memory may wait for several such copies, longer than TdrDdiDelay's five seconds.
constexpr std::int64_t kCallDelayNs = 60'000'000'000;

PageAbility AbilityOf(const vulkan::PageWayData& way) {
  const auto rate = [](std::uint64_t ns) { return ns == 0 ? 0 : vulkan::kProbeBytes * 1'000'000'000 / ns; };
  std::string reason(way.reason.data(), strnlen(way.reason.data(), way.reason.size()));
  return {way.state == vulkan::ImportState::kWorks, std::move(reason), rate(way.write_ns), rate(way.read_ns)};
}

PageAbilities PagesOf(const vulkan::AdapterData& data) {
  PageAbilities pages;
  pages.foreign_dma_buf = AbilityOf(data.Of(vulkan::PageWay::kDmaBuf));
  pages.own_dma_buf = AbilityOf(data.Of(vulkan::PageWay::kExported));
  pages.anonymous = AbilityOf(data.Of(vulkan::PageWay::kAnonymous));
  const PageAbility address = AbilityOf(data.Of(vulkan::PageWay::kMemfd));
  pages.memfd = pages.foreign_dma_buf.works ? pages.foreign_dma_buf : address;
  if (pages.foreign_dma_buf.works) {
    pages.memfd.reason = "By a udmabuf: " + pages.foreign_dma_buf.reason;
  } else {
    pages.memfd.reason = "By a udmabuf: " + pages.foreign_dma_buf.reason + " By its address: " + address.reason;
  }
  return pages;
}

std::string FencesOf(const vulkan::AdapterData& data) {
  if (data.Of(vulkan::PageWay::kDmaBuf).state != vulkan::ImportState::kWorks)
    return "The processor waits: the pages are no dma-buf, which could hold fences.";
  if (data.sync_files == 0) return "The processor waits: the device's semaphores are no sync_files.";
  return "Fences cross as sync_files: the device waits for readers, and they for it.";
}

// Answers the query's status.
Result<NTSTATUS> QueryInfo(LUID adapter, KMTQUERYADAPTERINFOTYPE type, void* data, UINT size) {
  D3DKMT_OPENADAPTERFROMLUID open{};
  open.AdapterLuid = adapter;
  if (const NTSTATUS status = D3DKMTOpenAdapterFromLuid(&open); !NT_SUCCESS(status)) {
    return Fail(ErrorKind::kDeviceLost, "The adapter cannot be opened (status {:#x}).", static_cast<std::uint32_t>(status));
  }
  const D3DKMT_QUERYADAPTERINFO query{open.hAdapter, type, data, size};
  const NTSTATUS queried = D3DKMTQueryAdapterInfo(&query);
  const D3DKMT_CLOSEADAPTER close{open.hAdapter};
  D3DKMTCloseAdapter(&close);
  return queried;
}

}  // namespace

Result<std::unique_ptr<Graphics>> Graphics::Create(Clock& clock, std::vector<config::AdapterInfo> adapters,
                                                   std::vector<config::FeatureEntry> features, const config::AdapterLoss& lose) {
  // An inapplicable override fails now, not when its adapter starts.
  for (const config::AdapterInfo& adapter : adapters) {
    if (auto overrides = OverridesFor(adapter, adapters, features); !overrides.ok()) return std::move(overrides).error();
  }
  kernel::TdrSettings tdr;
  tdr.delay_ns = kTimeoutDelayNs;
  tdr.ddi_delay_ns = kCallDelayNs;
  auto kernel = kernel::Kernel::Create(clock, tdr);
  if (!kernel.ok()) return std::move(kernel).error();
  return std::unique_ptr<Graphics>(new Graphics(*std::move(kernel), std::move(adapters), std::move(features), lose));
}

Result<LUID> Graphics::Add(kernel::Driver& driver, void* description, const config::AdapterInfo& info) {
  auto overrides = OverridesFor(info, adapters_, features_);
  if (!overrides.ok()) return std::move(overrides).error();
  if (auto set = kernel_->SetFeatureOverrides(*overrides); !set.ok()) return std::move(set).error();
  const auto visibility = info.hidden ? kernel::AdapterVisibility::kHidden : kernel::AdapterVisibility::kListed;
  return kernel_->AddAdapter(driver, description, info.name, visibility);
}

Result<LUID> Graphics::AddSoftAdapter(void* description, const config::AdapterInfo& info) {
  const MutexLock lock(mutex_);
  if (soft_ == nullptr) {
    auto driver = kernel_->LoadDriver(soft::SoftDriverEntry, "soft");
    if (!driver.ok()) return std::move(driver).error();
    soft_ = *driver;
  }
  return Add(*soft_, description, info);
}

Result<LUID> Graphics::AddKmsAdapter(kms::DeviceDescription& description, const config::AdapterInfo& info) {
  const MutexLock lock(mutex_);
  if (kms_ == nullptr) {
    auto driver = kernel_->LoadDriver(kms::KmsDriverEntry, "kms");
    if (!driver.ok()) return std::move(driver).error();
    kms_ = *driver;
  }
  return Add(*kms_, &description, info);
}

Result<LUID> Graphics::AddVulkanAdapter(vulkan::DeviceDescription& description, const config::AdapterInfo& info) {
  const MutexLock lock(mutex_);
  if (vulkan_ == nullptr) {
    auto driver = kernel_->LoadDriver(vulkan::VulkanDriverEntry, "vulkan");
    if (!driver.ok()) return std::move(driver).error();
    vulkan_ = *driver;
  }
  return Add(*vulkan_, &description, info);
}

bool Graphics::RemoveAdapter(LUID adapter) {
  const auto removed = kernel_->RemoveAdapter(adapter);
  if (removed.ok() || removed.error().kind == ErrorKind::kNotFound) return true;
  Log(LogLevel::kError, "An adapter cannot be removed. {}", removed.error().message);
  return removed.error().kind != ErrorKind::kTimeout;
}

void Graphics::StartTrial(config::AdapterLoss::Role role, std::function<void()> lose) {
  const MutexLock lock(mutex_);
  if (role != lose_.role || trial_ != nullptr) return;
  const auto pull = [lose = std::move(lose)](bool plugged) {
    if (!plugged) lose();
  };
  auto trial = CablePull::Create(pull, {lose_.after_ms, 1});
  if (!trial.ok()) return Log(LogLevel::kError, "{}", trial.error().message);
  trial_ = *std::move(trial);
}

void Graphics::StartDisplayTrial(LUID adapter) {
  StartTrial(config::AdapterLoss::Role::kDisplay,
             [this, adapter] { static_cast<void>(kernel_->SurpriseRemoveAdapter(adapter)); });
}

vulkan::BlitEngine ToBlitEngine(config::LinkEngine engine) {
  switch (engine) {
    case config::LinkEngine::kAuto: break;
    case config::LinkEngine::kProcessor: return vulkan::BlitEngine::kProcessor;
    case config::LinkEngine::kShader: return vulkan::BlitEngine::kShader;
  }
  return vulkan::BlitEngine::kCheapest;
}

std::optional<vulkan::YuvPasses> ToYuvPasses(config::YuvPasses passes) {
  switch (passes) {
    case config::YuvPasses::kAuto: break;
    case config::YuvPasses::kFused: return vulkan::YuvPasses::kFused;
    case config::YuvPasses::kThree: return vulkan::YuvPasses::kThree;
  }
  return std::nullopt;
}

Result<std::uint32_t> Graphics::TierOf(LUID adapter) {
  D3DKMT_CROSSADAPTERRESOURCE_SUPPORT support{};
  const auto queried = QueryInfo(adapter, KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT, &support, sizeof(support));
  if (!queried.ok()) return queried.error();
  if (NT_SUCCESS(*queried)) return static_cast<std::uint32_t>(support.SupportTier);
  return Fail(ErrorKind::kInternal, "The adapter does not report its tier (status {:#x}).", static_cast<std::uint32_t>(*queried));
}

Result<ImportAbilities> Graphics::VulkanImports(LUID adapter) {
  vulkan::AdapterData data{};
  const auto asked = QueryInfo(adapter, KMTQAITYPE_UMDRIVERPRIVATE, &data, sizeof(data));
  if (!asked.ok()) return asked.error();
  const NTSTATUS queried = *asked;
  if (!NT_SUCCESS(queried) || data.magic != vulkan::AdapterData::kMagic || data.version != vulkan::AdapterData::kVersion) {
    return Fail(ErrorKind::kInternal, "The Vulkan driver does not report its imports (status {:#x}).",
                static_cast<std::uint32_t>(queried));
  }
  data.reason.back() = '\0';
  PageAbilities pages = PagesOf(data);
  return ImportAbilities{pages.memfd.works,
                         pages.anonymous.works,
                         data.reason.data(),
                         {data.link_out_bytes_per_second, data.link_out_latency_ns},
                         {data.link_in_bytes_per_second, data.link_in_latency_ns},
                         data.shaders_code_links != 0,
                         pages,
                         FencesOf(data)};
}

}  // namespace tandem::system
