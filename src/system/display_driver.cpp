#include "system/display_driver.h"

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "bus/display_device.h"
#include "kernel/display_only.h"
#include "kernel/driver_settings.h"
#include "system/display_only_driver.h"
#include "system/driver_file.h"
#include "system/driver_library.h"
#include "system/output_factory.h"

namespace tandem::system {
namespace {

// A driver registers once in a process, and a driver host is attached once.
constinit std::atomic_flag taken;
// A driver does not return from a call: it stays, and what it registered.
constinit std::atomic<bool> hangs{false};

// A device to try.
struct Candidate {
  bus::DisplayDeviceKind kind = bus::DisplayDeviceKind::kFramebuffer;
  ScreenExtent extent;
};

// Most drivers take a frame buffer of any extent. One that sets modes itself has none as small as a window may be.
std::vector<Candidate> CandidatesFor(const outputs::Output& screen) {
  const ScreenExtent own = ScreenExtentOf(screen), monitor = MonitorExtentOf(screen);
  std::vector<Candidate> candidates;
  for (const bus::DisplayDeviceKind kind : DevicesToTry()) {
    const bool is_small = own.width != monitor.width || own.height != monitor.height;
    if (kind == bus::DisplayDeviceKind::kFramebuffer && is_small) candidates.push_back({kind, own});
    candidates.push_back({kind, monitor});
  }
  return candidates;
}

// What the output of a driver lives on, in the order that it is made in.
class LoadedDriver {
 public:
  explicit LoadedDriver(const std::string& path) : library_(path) {}
  // Ends the driver's output. False: a call of the driver does not return, and this object must stay.
  [[nodiscard]] bool Stop() { return !hung_ && (screen_ == nullptr || screen_->Stop()); }

  Result<bus::DriverOutput*> Start(const Candidate& device_wanted, const std::string& path,
                                   std::shared_ptr<outputs::Output> screen) {
    const auto entry = library_.Entry();
    if (!entry.ok()) return entry.error();
    const auto& [kind, extent] = device_wanted;
    auto device = bus::MakeDisplayDevice(kind, extent.width, extent.height, std::move(screen));
    if (!device.ok()) return std::move(device).error();
    auto made = bus::DriverOutput::Create(*entry, library_.name(), *std::move(device), bus::ShownPart::kFrame);
    hung_ = !made.ok() && made.error().kind == ErrorKind::kTimeout;
    if (!made.ok()) return std::move(made).error().Context("Display driver " + path);
    screen_ = *std::move(made);
    return screen_.get();
  }

 private:
  const DriverLibrary library_;
  std::unique_ptr<bus::DriverOutput> screen_;
  bool hung_ = false;  // while it started
};

void End(LoadedDriver* loaded) {
  if (!loaded->Stop()) {
    hangs = true;
    return;
  }
  delete loaded;
  taken.clear();
}

Result<std::shared_ptr<bus::DriverOutput>> StartFile(const Candidate& device, const std::string& path,
                                                     std::shared_ptr<outputs::Output> screen) {
  if (hangs) {
    return Fail(ErrorKind::kLimit, "Display driver {} does not return from a call: it shows no other window in this process.",
                path);
  }
  if (taken.test_and_set()) {
    return Fail(ErrorKind::kLimit, "Display driver {} is asked for another window: it shows one at a time in a process.", path);
  }
  const std::shared_ptr<LoadedDriver> driver(new LoadedDriver(path), &End);
  auto output = driver->Start(device, path, std::move(screen));
  if (!output.ok()) return std::move(output).error();
  return std::shared_ptr<bus::DriverOutput>(driver, *output);
}

}  // namespace

Result<std::shared_ptr<bus::DriverOutput>> ShowThroughDriver(const DisplayDriverFiles& files,
                                                             std::shared_ptr<outputs::Output> screen) {
  const std::string& path = files.driver;
  kernel::DriverSettings settings;
  if (!files.registry.empty()) {
    auto read = ReadDriverFile(files.registry);
    if (!read.ok()) return std::move(read).error();
    settings = *std::move(read);
  }
  if (!taken.test()) {
    kernel::SetDriverSettings(std::move(settings));
    const DriverLibrary setup(path);  // adds what the driver's setup file says
  }
  std::vector<RefusedDevice> refused;
  std::optional<ErrorKind> first;
  for (const Candidate& device : CandidatesFor(*screen)) {
    auto output = StartFile(device, path, screen);
    if (output.ok()) return output;
    const ErrorKind error = output.error().kind;
    if (error == ErrorKind::kLimit || error == ErrorKind::kNotFound || error == ErrorKind::kTimeout) return output;
    if (!first) first = error;
    if (refused.empty() || refused.back().kind != device.kind) refused.push_back({device.kind, output.error().message});
  }
  return Fail(*first, "{}", NoDevice(refused));
}

std::unique_ptr<DriverLibrary> LoadFullDriver(const DisplayDriverFiles& files) {
  const std::string& path = files.driver;
  if (path.empty()) return nullptr;
  Result<void> read;
  if (!files.registry.empty()) {
    auto values = ReadDriverFile(files.registry);
    if (values.ok()) {
      kernel::SetDriverSettings(*std::move(values));
    } else {
      read = std::move(values).error();
    }
  }
  {
    const DriverLibrary tried(path);
    const auto entry = tried.Entry();
    if (!entry.ok()) return nullptr;
    const auto display_only = kernel::IsDisplayOnlyDriver(*entry, tried.name());
    if (!display_only.ok() || *display_only) return nullptr;
  }
  return std::make_unique<DriverLibrary>(path, std::move(read));
}

}  // namespace tandem::system
