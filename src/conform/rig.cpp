#include "conform/rig.h"

#include <algorithm>

#include "base/clock.h"
#include "conform/rule.h"
#include "conform/sentences.h"

namespace tandem::conform {
Rig::Rig(const AdapterPair& pair, const RuleSetup& setup, std::uint32_t seed)
    : pair_(pair),
      setup_(setup),
      seed_(seed),
      output_(std::make_shared<RecordingOutput>(setup.refresh_period_ns, pair.display->patience_ns)) {
  auto kernel = kernel::Kernel::Create(MonotonicClock(), setup.tdr, setup.trial);
  Require(kernel.ok(), "No kernel: {}", kernel.ok() ? "" : kernel.error().message);
  kernel_ = *std::move(kernel);
  const bool same = pair.render == pair.display;
  const bool one_device = same && pair.render->has_one_device;
  render_device_ = pair.render->make_device(one_device ? output_ : nullptr);
  if (!one_device) display_device_ = pair.display->make_device(output_);
  kernel::Driver& display = Load(*pair.display);
  loaded_render_ = same ? &display : &Load(*pair.render);
  if (DisplayDevice().TakesPhotographs()) output_->TakePhotographs();
  AddRender();
  if (!one_device) display_ = Add(*pair.display, display, *display_device_, "display", kernel::AdapterVisibility::kListed);
}

Rig::~Rig() { kernel_.reset(); }

kernel::Driver& Rig::Load(const DriverUnderTest& driver) {
  const auto loaded = kernel_->LoadDriver(driver.entry, driver.name);
  Require(loaded.ok(), "The driver does not load: {}", loaded.ok() ? "" : loaded.error().message);
  return **loaded;
}

LUID Rig::Add(const DriverUnderTest& driver, kernel::Driver& loaded, BusDevice& device, const std::string& name,
              kernel::AdapterVisibility visibility) {
  const auto set = kernel_->SetFeatureOverrides(driver.overrides);
  Require(set.ok(), "An override of a feature is refused: {}", set.ok() ? "" : set.error().message);
  const auto luid = kernel_->AddAdapter(loaded, device.extension(), name, visibility);
  Require(luid.ok(), "The {} adapter does not start: {}", name, luid.ok() ? "" : luid.error().message);
  return *luid;
}

void Rig::AddRender() {
  render_ = Add(*pair_.render, *loaded_render_, *render_device_, "render", setup_.render_visibility);
  if (display_device_ == nullptr) display_ = render_;
}

void Rig::RestartRender() {
  const auto removed = kernel_->RemoveAdapter(render_);
  Require(removed.ok(), "The render adapter cannot be removed: {}", removed.ok() ? "" : removed.error().message);
  AddRender();
}

LUID Rig::AddTwin() {
  if (pair_.render->has_one_device) throw NotApplicable("The machine has one device of this driver.");
  twin_device_ = pair_.render->make_device(nullptr);
  return Add(*pair_.render, *loaded_render_, *twin_device_, "twin", kernel::AdapterVisibility::kListed);
}

RecordingOutput& Rig::output() {
  if (const std::string why = DisplayDevice().WhyUnseen(); !why.empty()) throw NotApplicable(why);
  return *output_;
}

RecordingOutput& Rig::PlugSecondOutput() {
  RequireSource();
  second_output_ = std::make_shared<RecordingOutput>(setup_.refresh_period_ns, pair_.display->patience_ns);
  if (Description(display_).targets < 2 || !DisplayDevice().Plug(second_output_))
    throw NotApplicable("The adapter has one target alone.");
  return *second_output_;
}

void Rig::RequireCopy(std::uint32_t seed) const {
  constexpr SurfaceRequest kShared{48, 24, SurfaceUse::kMapped};
  UserDevice user = OpenRender();
  if (Description(render_).compute_only) return;
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  user.Paint(source, seed);
  RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent");
  user.Finish();
  Require(user.Read(destination) == user.Read(source), "A copy has other bytes than its source.");
}

std::uint32_t Rig::Seed(std::uint32_t own) const { return own + (seed_ - kFirstSeed) * 0x9E3779B9U; }

kernel::AdapterDescription Rig::Description(LUID luid) const {
  const auto adapters = kernel_->Adapters();
  const auto found = std::find_if(adapters.begin(), adapters.end(), [luid](const kernel::AdapterDescription& adapter) {
    return adapter.luid.LowPart == luid.LowPart && adapter.luid.HighPart == luid.HighPart;
  });
  Require(found != adapters.end(), "The adapter is gone.");
  return *found;
}

UserDevice Rig::Open(const DriverUnderTest& driver, LUID luid) const {
  return {driver, {kernel_.get(), luid}, Description(luid).copy_node};
}

UserDevice Rig::OpenDisplay() const {
  RequireSource();
  return Open(*pair_.display, display_);
}

void Rig::RequireSource() const {
  if (Description(display_).vidpn_sources == 0) throw NotApplicable("The adapter has no VidPn source to show anything on.");
}

std::string Rig::Violations() {
  const auto of = [this](LUID adapter) {
    auto one = kernel_->Violation(adapter);
    return one.ok() ? *std::move(one) : std::string();
  };
  std::string all = of(render_);
  if (display_device_ != nullptr) AppendSentence(all, of(display_));
  AppendSentence(all, DisplayDevice().Violation());
  for (const DriverUnderTest* driver : {pair_.render, pair_.display}) {
    if (driver->host != nullptr) AppendSentence(all, driver->host->violations());
    if (pair_.render == pair_.display) break;
  }
  return all;
}

}  // namespace tandem::conform
