#include "conform/loaded_driver.h"

#include <array>
#include <cctype>
#include <span>
#include <utility>

#include <dlfcn.h>

#include "base/thread.h"
#include "color/format.h"
#include "conform/driver_setup.h"
#include "conform/in_child.h"
#include "conform/rule.h"
#include "conform/user_device.h"
#include "kernel/display_only.h"
#include "kernel/kernel.h"
#include "outputs/output.h"
#include "shim/class9/translation.h"

#include <tandem_bus.h>
#include <tandem_conform.h>
#include <tandem_driver_coverage.h>

namespace tandem::conform {
namespace {

// A bus device about which only the monitors are known.
class UnknownDevice final : public BusDevice {
 public:
  explicit UnknownDevice(std::shared_ptr<outputs::Output> monitor) {
    if (monitor == nullptr) return;
    device_.MonitorCount = kSockets;
    device_.RefreshPeriodNs = static_cast<UINT64>(monitor->info().refresh_period_ns);
    device_.Context = this;
    device_.ShowFrame = &ShowFrame;
    static_cast<void>(Plug(std::move(monitor)));
  }
  void* extension() override { return &device_; }
  bool Plug(std::shared_ptr<outputs::Output> output) override {
    const MutexLock lock(mutex_);
    if (device_.MonitorCount == 0 || monitors_.size() == kSockets) return false;
    monitors_.push_back(std::move(output));
    return true;
  }

 private:
  static constexpr std::size_t kSockets = 2;

  static void ShowFrame(PVOID context, ULONG monitor, CONST TANDEM_BUS_FRAME* frame) {
    const auto output = static_cast<UnknownDevice*>(context)->MonitorAt(monitor);
    if (output == nullptr || frame == nullptr) return;
    outputs::Surface surface;
    surface.pixels = static_cast<const std::byte*>(frame->Pixels);
    surface.width = frame->Width;
    surface.height = frame->Height;
    surface.pitch = frame->Pitch;
    surface.format = static_cast<color::Format>(frame->Format);
    static_cast<void>(output->Show(surface));
  }
  std::shared_ptr<outputs::Output> MonitorAt(ULONG monitor) {
    const MutexLock lock(mutex_);
    return monitor < monitors_.size() ? monitors_[monitor] : nullptr;
  }

  TANDEM_BUS_DEVICE device_{sizeof(TANDEM_BUS_DEVICE), 0, 0, nullptr, nullptr};
  Mutex mutex_;
  std::vector<std::shared_ptr<outputs::Output>> monitors_ TANDEM_GUARDED_BY(mutex_);
};

constexpr std::size_t kMostPrivateData = 4096;  // bytes

SurfaceData DescribeShared(const TANDEM_CONFORM_INTERFACE* own, const SurfaceRequest& request) {
  if (own == nullptr) throw NotApplicable("No standard allocation shares its backing store with the kernel-mode half.");
  SurfaceData data;
  data.allocation.resize(kMostPrivateData);
  auto size = static_cast<UINT>(data.allocation.size());
  RequireSuccess(own->DescribeSharedSurface(request.width, request.height, data.allocation.data(), &size, &data.pitch),
                 "DescribeSharedSurface");
  Require(size <= kMostPrivateData, "DescribeSharedSurface says that it wrote {} of {} bytes.", size, kMostPrivateData);
  data.allocation.resize(size);
  return data;
}

KmdEscape DescribeAccess(const TANDEM_CONFORM_INTERFACE& own, const KmdAccess& access) {
  KmdEscape escape;
  escape.data.resize(kMostPrivateData);
  auto size = static_cast<UINT>(escape.data.size());
  UINT value_offset = 0;
  RequireSuccess(own.DescribeAccess(access.allocation, access.offset, access.write ? TRUE : FALSE, access.value,
                                    escape.data.data(), &size, &value_offset),
                 "DescribeAccess");
  Require(size <= kMostPrivateData && value_offset <= size && size - value_offset >= sizeof(access.value),
          "DescribeAccess says that the value stands at {} of {} bytes.", value_offset, size);
  escape.data.resize(size);
  escape.value_offset = value_offset;
  return escape;
}

// In the order of the requests. A driver without GDI acceleration has no GDI textures.
std::span<const kernel::StandardSurface> StandardSurfacesFor(SurfaceUse use) {
  using enum kernel::StandardSurface;
  static constexpr std::array kPrimary{kSharedPrimary};
  static constexpr std::array kShared{kCrossAdapterTexture};
  static constexpr std::array kMapped{kShadow, kStaging};
  static constexpr std::array kImage{kTexture, kShadow, kStaging};
  switch (use) {
    case SurfaceUse::kPrimary: return kPrimary;
    case SurfaceUse::kCrossAdapter: return kShared;
    case SurfaceUse::kMapped: return kMapped;
    default: return kImage;
  }
}

constexpr int kSaysDisplayOnly = 0, kSaysFull = 1, kSaysNothing = 2;

// The driver is entered in a process of its own: it registers once in the process that tries it. A driver that cannot be entered
// counts as a full one, and fails there.
Result<bool> IsDisplayOnly(const DriverUnderTest& driver) {
  const auto answer = RunInChild([&driver] {
    const auto display_only = kernel::IsDisplayOnlyDriver(driver.entry, driver.name);
    return !display_only.ok() ? kSaysNothing : *display_only ? kSaysDisplayOnly : kSaysFull;
  });
  if (!answer.ok()) return answer.error();
  return *answer == kSaysDisplayOnly;
}

std::string NameOf(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.find('.'));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace

SurfaceData DescribeStandard(const StartedAdapter& adapter, const SurfaceRequest& request) {
  std::string refused;
  for (const kernel::StandardSurface type : StandardSurfacesFor(request.use)) {
    auto data = adapter.kernel->DescribeStandardSurface(adapter.luid, {type, request.width, request.height, request.format, 0});
    if (data.ok()) return {std::move(data->allocation_data), std::move(data->resource_data), data->pitch};
    refused = data.error().message;
  }
  throw NotApplicable("The driver describes no such surface. " + refused);
}

DriverUnderTest UnloadedDriver(const std::string& path) {
  DriverUnderTest driver;
  driver.name = NameOf(path);
  driver.shows_outputs = true;  // assumed, because the driver has not reported yet
  return driver;
}

Result<DriverUnderTest> LoadDriver(const std::string& path) {
  // dlopen would search a name without a slash in the system's folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Fail(ErrorKind::kNotFound, "The driver cannot be loaded: {}.", dlerror());
  InstallSetupOf(library);
  DriverUnderTest driver = UnloadedDriver(path);
  driver.entry = reinterpret_cast<DRIVER_INITIALIZE*>(dlsym(library, "DriverEntry"));
  if (driver.entry == nullptr) return Fail(ErrorKind::kNotFound, "{} exports no DriverEntry.", path);
  driver.open_adapter = reinterpret_cast<PFND3D10DDI_OPENADAPTER>(dlsym(library, "OpenAdapter10_2"));
  if (driver.open_adapter == nullptr) {
    driver.open_adapter = shim::TranslatedEntry(reinterpret_cast<PFND3DDDI_OPENADAPTER>(dlsym(library, "OpenAdapter")));
  }
  driver.set_shim_host = reinterpret_cast<PFNTANDEM_SETSHIMHOST>(dlsym(library, TANDEM_SHIM_EXPORT));
  if (driver.set_shim_host != nullptr) driver.open_with_shim = driver.open_adapter;
  if (void* const attach = dlsym(library, TANDEM_ATTACH_KERNEL); attach != nullptr)
    driver.host = std::make_shared<kernel::DriverHost>(reinterpret_cast<PFNTANDEM_ATTACH_KERNEL>(attach));
  if (const auto coverage = reinterpret_cast<PFNTANDEM_DRIVER_COVERAGE>(dlsym(library, TANDEM_DRIVER_COVERAGE_EXPORT))) {
    driver.edges = {coverage().Edges, coverage().Count};
  }
  auto display_only = IsDisplayOnly(driver);
  if (!display_only.ok()) return std::move(display_only).error();
  driver.display_only = *display_only;
  driver.make_device = [](std::shared_ptr<outputs::Output> output) { return std::make_unique<UnknownDevice>(std::move(output)); };
  const auto* own = static_cast<const TANDEM_CONFORM_INTERFACE*>(dlsym(library, TANDEM_CONFORM_EXPORT));
  if (own != nullptr && own->Size < sizeof(*own)) own = nullptr;
  driver.describe = [own](const StartedAdapter& adapter, const SurfaceRequest& request) {
    return request.use == SurfaceUse::kSharedWithKmd ? DescribeShared(own, request) : DescribeStandard(adapter, request);
  };
  if (own != nullptr) driver.kmd_access = [own](const KmdAccess& access) { return DescribeAccess(*own, access); };
  return driver;
}

}  // namespace tandem::conform
