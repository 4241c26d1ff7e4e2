#include "desktop/bus/switcheroo_service.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include <systemd/sd-bus.h>
#include <systemd/sd-device.h>
#include <systemd/sd-event.h>

#include "base/log.h"

namespace tandem::desktop {
namespace {

// Devices come with several nodes; the list is read once these are there.
constexpr std::uint64_t kSettleUs = 500'000;

struct Unref {
  void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
  void operator()(sd_event* event) const { sd_event_unref(event); }
  void operator()(sd_event_source* source) const { sd_event_source_disable_unref(source); }
  void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  void operator()(sd_device_monitor* monitor) const { sd_device_monitor_unref(monitor); }
};
template <class T>
using Owned = std::unique_ptr<T, Unref>;

Error BusError(const char* what, int result) { return Fail(ErrorKind::kIo, "{}: {}.", what, std::strerror(-result)); }

class Service {
 public:
  Service(const GpuSource& source, std::vector<Gpu> gpus) : source_(source), gpus_(std::move(gpus)) {}
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  Result<void> Start();
  Result<void> Run();

 private:
  static int HasDualGpu(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* service, sd_bus_error*) {
    const int dual = static_cast<Service*>(service)->gpus_.size() > 1 ? 1 : 0;
    return sd_bus_message_append_basic(reply, SD_BUS_TYPE_BOOLEAN, &dual);
  }
  static int NumGpus(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* service, sd_bus_error*) {
    const auto count = static_cast<std::uint32_t>(static_cast<Service*>(service)->gpus_.size());
    return sd_bus_message_append_basic(reply, SD_BUS_TYPE_UINT32, &count);
  }
  static int Gpus(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* service, sd_bus_error*);
  static int OnHangUp(sd_event_source*, const signalfd_siginfo*, void* service) {
    static_cast<Service*>(service)->Reload();
    return 0;
  }
  static int OnDevice(sd_device_monitor*, sd_device*, void* service);
  static int OnSettled(sd_event_source*, std::uint64_t, void* service) {
    static_cast<Service*>(service)->Reload();
    return 0;
  }

  Result<void> WatchSignals();
  void WatchDevices();
  void Reload();

  static const sd_bus_vtable kTable[];

  const GpuSource& source_;
  std::vector<Gpu> gpus_;
  Owned<sd_event> event_;
  Owned<sd_device_monitor> monitor_;
  Owned<sd_event_source> settled_;
  Owned<sd_bus> bus_;
  Owned<sd_bus_slot> slot_;
};

const sd_bus_vtable Service::kTable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("HasDualGpu", "b", &Service::HasDualGpu, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("NumGPUs", "u", &Service::NumGpus, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("GPUs", "aa{sv}", &Service::Gpus, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_VTABLE_END,
};

int AppendGpu(sd_bus_message* reply, const Gpu& gpu) {
  int result = sd_bus_message_open_container(reply, 'a', "{sv}");
  if (result >= 0) result = sd_bus_message_append(reply, "{sv}", "Name", "s", gpu.name.c_str());
  if (result >= 0) result = sd_bus_message_open_container(reply, 'e', "sv");
  if (result >= 0) result = sd_bus_message_append_basic(reply, 's', "Environment");
  if (result >= 0) result = sd_bus_message_open_container(reply, 'v', "as");
  if (result >= 0) result = sd_bus_message_open_container(reply, 'a', "s");
  for (const auto& [name, value] : gpu.environment) {
    if (result >= 0) result = sd_bus_message_append_basic(reply, 's', name.c_str());
    if (result >= 0) result = sd_bus_message_append_basic(reply, 's', value.c_str());
  }
  for (int depth = 0; depth < 3 && result >= 0; ++depth) result = sd_bus_message_close_container(reply);
  if (result >= 0) {
    result = sd_bus_message_append(reply, "{sv}{sv}", "Default", "b", static_cast<int>(gpu.is_default), "Discrete", "b",
                                   static_cast<int>(gpu.is_discrete));
  }
  return result < 0 ? result : sd_bus_message_close_container(reply);
}

int Service::Gpus(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* service, sd_bus_error*) {
  int result = sd_bus_message_open_container(reply, 'a', "a{sv}");
  for (const Gpu& gpu : static_cast<Service*>(service)->gpus_) {
    if (result >= 0) result = AppendGpu(reply, gpu);
  }
  return result < 0 ? result : sd_bus_message_close_container(reply);
}

int Service::OnDevice(sd_device_monitor*, sd_device*, void* service) {
  auto& self = *static_cast<Service*>(service);
  sd_event_source* timer = nullptr;
  self.settled_.reset();
  if (sd_event_add_time_relative(self.event_.get(), &timer, CLOCK_MONOTONIC, kSettleUs, 0, &OnSettled, service) >= 0) {
    self.settled_.reset(timer);
  }
  return 0;
}

void Service::Reload() {
  auto gpus = source_();
  if (!gpus.ok()) {
    Log(LogLevel::kWarn, "The list of GPUs stays as it is: {}", gpus.error().message);
    return;
  }
  if (*gpus == gpus_) return;
  gpus_ = *std::move(gpus);
  static_cast<void>(sd_bus_emit_properties_changed(bus_.get(), kSwitcherooPath, kSwitcherooName, "HasDualGpu", "NumGPUs", "GPUs",
                                                   static_cast<const char*>(nullptr)));
}

Result<void> Service::WatchSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Without a handler sd-event ends its loop.
  int result = sd_event_add_signal(event_.get(), nullptr, SIGTERM, nullptr, nullptr);
  if (result >= 0) result = sd_event_add_signal(event_.get(), nullptr, SIGINT, nullptr, nullptr);
  if (result >= 0) result = sd_event_add_signal(event_.get(), nullptr, SIGHUP, &OnHangUp, this);
  if (result < 0) return BusError("Signals cannot be waited for", result);
  return {};
}

// A machine or container without device events is served with the GPUs that it has now.
void Service::WatchDevices() {
  sd_device_monitor* made = nullptr;
  int result = sd_device_monitor_new(&made);
  const std::unique_ptr<sd_device_monitor, Unref> owner(made);
  if (result >= 0) result = sd_device_monitor_filter_add_match_subsystem_devtype(made, "drm", nullptr);
  if (result >= 0) result = sd_device_monitor_attach_event(made, event_.get());
  if (result >= 0) result = sd_device_monitor_start(made, &OnDevice, this);
  if (result < 0) Log(LogLevel::kInfo, "GPUs that come or go are not noticed: {}.", std::strerror(-result));
  if (result >= 0) monitor_.reset(sd_device_monitor_ref(made));
}

Result<void> Service::Start() {
  sd_event* event = nullptr;
  if (const int result = sd_event_new(&event); result < 0) return BusError("The event loop cannot be made", result);
  event_.reset(event);
  if (auto watched = WatchSignals(); !watched.ok()) return watched;
  WatchDevices();
  sd_bus* bus = nullptr;
  if (const int result = sd_bus_open_system(&bus); result < 0) return BusError("The system bus is not there", result);
  bus_.reset(bus);
  sd_bus_slot* slot = nullptr;
  int result = sd_bus_add_object_vtable(bus, &slot, kSwitcherooPath, kSwitcherooName, kTable, this);
  slot_.reset(slot);
  if (result >= 0) result = sd_bus_set_exit_on_disconnect(bus, 1);
  if (result >= 0) result = sd_bus_attach_event(bus, event, SD_EVENT_PRIORITY_NORMAL);
  if (result < 0) return BusError("The service cannot be set up on the bus", result);
  result = sd_bus_request_name(bus, kSwitcherooName, 0);
  if (result == -EEXIST) {
    return Fail(ErrorKind::kUnsupported, "Another service has the name {} already, and keeps it.", kSwitcherooName);
  }
  if (result < 0) return Fail(ErrorKind::kIo, "The bus does not give the name {}: {}.", kSwitcherooName, std::strerror(-result));
  return {};
}

Result<void> Service::Run() {
  const int result = sd_event_loop(event_.get());
  if (result < 0) return BusError("The event loop ended", result);
  // sd-bus ends the loop with EXIT_FAILURE when the connection is gone.
  if (result != 0) return Fail(ErrorKind::kIo, "The bus went away.");
  return {};
}

}  // namespace

Result<void> ServeSwitcheroo(const GpuSource& source) {
  auto gpus = source();
  if (!gpus.ok()) return std::move(gpus).error();
  Service service(source, *std::move(gpus));
  if (auto started = service.Start(); !started.ok()) return started;
  return service.Run();
}

}  // namespace tandem::desktop
