#include "conform/through_shim.h"

#include <array>
#include <filesystem>
#include <optional>

#include <dlfcn.h>
#include <stdlib.h>

#include "conform/rig.h"
#include "conform/rules.h"
#include "kernel/kernel.h"
#include "shim/composite.h"
#include "swapchain/shim_host.h"
#include "swapchain/user_mode_driver.h"

namespace tandem::conform {
namespace {

constexpr std::array kForms{ShimForm::kLibrary, ShimForm::kInside, ShimForm::kHidden};

HRESULT OpenHere(D3D10DDIARG_OPENADAPTER* args) { return shim::OpenShim(args, nullptr); }
HRESULT SetHostHere(const TANDEM_SHIM_HOST* host) { return shim::SetShimHost(host); }

struct Entry {
  PFND3D10DDI_OPENADAPTER open = nullptr;
  PFNTANDEM_SETSHIMHOST set_host = nullptr;
};

// The shim's library under the display driver's name, in a folder that the runtime searches.
class SearchPath {
 public:
  SearchPath(const std::string& library, const std::string& driver) {
    if (library.empty()) throw NotApplicable("libtandem_shim.so is not beside the command.");
    std::string folder = (std::filesystem::temp_directory_path() / "tandem-shim-XXXXXX").string();
    Require(mkdtemp(folder.data()) != nullptr, "No folder for the shim can be made.");
    folder_ = folder;
    name_ = driver + ".so";
    std::filesystem::create_symlink(std::filesystem::absolute(library), folder_ / name_);
    swapchain::SetUserModeDriverFolder(folder_);
  }
  ~SearchPath() {
    swapchain::SetUserModeDriverFolder({});
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  SearchPath(const SearchPath&) = delete;
  SearchPath& operator=(const SearchPath&) = delete;

  [[nodiscard]] Entry Load() const {
    const auto open = swapchain::LoadUserModeDriver(name_);
    Require(open.ok(), "The shim is not found by the driver's name: {}", open.ok() ? "" : open.error().message);
    void* const library = dlopen((folder_ / name_).c_str(), RTLD_NOW | RTLD_LOCAL);
    Require(library != nullptr, "The shim does not load.");
    const auto set_host = reinterpret_cast<PFNTANDEM_SETSHIMHOST>(dlsym(library, TANDEM_SHIM_EXPORT));
    Require(set_host != nullptr, "The shim exports no " TANDEM_SHIM_EXPORT ".");
    return {*open, set_host};
  }

 private:
  std::filesystem::path folder_;
  std::string name_;
};

void RequireUserModeHalf(const DriverUnderTest& driver) {
  if (driver.open_adapter == nullptr) throw NotApplicable("The driver has no user-mode half (OpenAdapter10_2).");
}

// Runs the rule with the shim in place of the display adapter's user-mode half.
Outcome RunBeneath(const Trial& trial) {
  const ShimForm form = *trial.form;
  const DriverUnderTest& beneath = *trial.pair.display;
  RequireUserModeHalf(*trial.pair.render);
  RequireUserModeHalf(beneath);
  std::optional<SearchPath> path;
  Entry entry{&OpenHere, &SetHostHere};
  if (form == ShimForm::kLibrary) entry = path.emplace(trial.shim_library, beneath.name).Load();
  if (form == ShimForm::kInside) {
    if (beneath.set_shim_host == nullptr) throw NotApplicable("The driver has no shim inside.");
    entry = {beneath.open_with_shim, beneath.set_shim_host};
  }
  DriverUnderTest display = beneath;
  display.open_adapter = entry.open;
  RuleSetup setup = trial.rule->setup;
  if (form == ShimForm::kHidden) setup.render_visibility = kernel::AdapterVisibility::kHidden;
  Rig rig({trial.pair.render, &display}, setup, trial.seed);
  // A driver with a shim inside is both drivers.
  const bool own = form == ShimForm::kInside;
  const TANDEM_SHIM_HOST host = swapchain::MakeShimHost(rig.render(), own ? nullptr : trial.pair.render->open_adapter,
                                                        own ? nullptr : beneath.open_adapter);
  Require(SUCCEEDED(entry.set_host(&host)), "The shim refuses its host.");
  rig.SetBeneath({trial.pair.render->open_adapter, beneath.open_adapter, entry.set_host});
  const Outcome outcome = RunRule(*trial.rule, rig);
  Require(SUCCEEDED(entry.set_host(nullptr)), "The shim keeps its host.");
  return outcome;
}

}  // namespace

std::string_view ToString(ShimForm form) {
  switch (form) {
    case ShimForm::kLibrary: return "library";
    case ShimForm::kInside: return "inside";
    case ShimForm::kHidden: return "hidden";
  }
  return "";
}

std::vector<Trial> PlanThroughShim(const DriverUnderTest& driver, const DriverUnderTest& reference, const std::string& library) {
  std::vector<const Rule*> rules;
  for (const Rule& rule : UserModeRules()) {
    if (rule.needs == Needs::kDisplay) rules.push_back(&rule);
  }
  for (const Rule& rule : ShimRules()) rules.push_back(&rule);
  std::vector<Trial> plan;
  const auto add = [&](ShimForm form, const AdapterPair& pair) {
    for (const Rule* rule : rules) plan.push_back({rule, pair, kFirstSeed, form, library});
  };
  for (const ShimForm form : kForms) {
    if (form == ShimForm::kInside) {
      if (driver.shows_outputs) add(form, {&driver, &driver});
      continue;
    }
    add(form, {&driver, &reference});
    if (driver.shows_outputs && driver.entry != reference.entry) add(form, {&reference, &driver});
  }
  return plan;
}

Outcome RunThroughShim(const Trial& trial) {
  try {
    return RunBeneath(trial);
  } catch (const NotApplicable& reason) {
    return {Verdict::kNotApplicable, reason.what(), SeenBy::kNobody};
  }
}

}  // namespace tandem::conform
