#include "drivers/kms/card/seat_session.h"

#include <array>
#include <cerrno>
#include <utility>

#include <dlfcn.h>
#include <fmt/core.h>
#include <libseat.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/log.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr std::int64_t kSeatTimeoutNs = 10'000'000'000;
constexpr int kDispatchMs = 500;

// libseat brings libsystemd into the process, so it is loaded for a console alone.
struct SeatLibrary {
  decltype(&::libseat_open_seat) open_seat;
  decltype(&::libseat_disable_seat) disable_seat;
  decltype(&::libseat_close_seat) close_seat;
  decltype(&::libseat_open_device) open_device;
  decltype(&::libseat_close_device) close_device;
  decltype(&::libseat_get_fd) get_fd;
  decltype(&::libseat_dispatch) dispatch;
  std::string missing;  // a sentence; empty: everything is there
};

template <class Function>
void FindInSeat(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && missing.empty()) missing = fmt::format("libseat.so.1 has no {}; 0.7 has.", name);
}

SeatLibrary LoadLibseat() {
  SeatLibrary loaded{};
  void* library = dlopen("libseat.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* why = dlerror();
    loaded.missing = fmt::format("libseat.so.1 is not loaded: {}.", why == nullptr ? "no reason is given" : why);
    return loaded;
  }
  FindInSeat(library, "libseat_open_seat", loaded.open_seat, loaded.missing);
  FindInSeat(library, "libseat_disable_seat", loaded.disable_seat, loaded.missing);
  FindInSeat(library, "libseat_close_seat", loaded.close_seat, loaded.missing);
  FindInSeat(library, "libseat_open_device", loaded.open_device, loaded.missing);
  FindInSeat(library, "libseat_close_device", loaded.close_device, loaded.missing);
  FindInSeat(library, "libseat_get_fd", loaded.get_fd, loaded.missing);
  FindInSeat(library, "libseat_dispatch", loaded.dispatch, loaded.missing);
  return loaded;
}

const SeatLibrary& SeatFunctions() {
  static const SeatLibrary library = LoadLibseat();
  return library;
}

}  // namespace

Result<std::unique_ptr<SeatSession>> SeatSession::Open(const std::string& path, SeatListener& listener) {
  if (const std::string& missing = SeatFunctions().missing; !missing.empty()) {
    return Fail(ErrorKind::kUnsupported, "{}", missing);
  }
  std::unique_ptr<SeatSession> made(new SeatSession(listener));
  if (auto prepared = made->Prepare(path); !prepared.ok()) return std::move(prepared).error();
  made->listening_ = true;
  auto thread = Thread::Start("tandem-seat", [raw = made.get()] { raw->Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Following a seat's session");
  made->thread_ = *std::move(thread);
  return made;
}

Result<void> SeatSession::Prepare(const std::string& path) {
  static constexpr libseat_seat_listener kListener{
      [](libseat* /*seat*/, void* self) { static_cast<SeatSession*>(self)->OnEnabled(); },
      [](libseat* /*seat*/, void* self) { static_cast<SeatSession*>(self)->OnDisabled(); }};
  wake_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.valid()) return Fail(ErrorKind::kLimit, "No eventfd for a seat's session: {}.", ErrnoText(errno));
  seat_ = SeatFunctions().open_seat(&kListener, this);
  if (seat_ == nullptr) {
    return Fail(ErrorKind::kUnsupported,
                "Neither seatd nor logind gives this session a seat: {}. Start Tandem on a free console (Ctrl+Alt+F3).",
                ErrnoText(errno));
  }
  if (auto enabled = WaitUntilEnabled(); !enabled.ok()) return enabled;
  int fd = -1;
  device_ = SeatFunctions().open_device(seat_, path.c_str(), &fd);
  if (device_ < 0) return Fail(ErrorKind::kIo, "The seat does not open {}: {}.", path, ErrnoText(errno));
  card_ = UniqueFd(fd);
  return {};
}

Result<void> SeatSession::WaitUntilEnabled() {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kSeatTimeoutNs;
  while (!enabled_) {
    if (SeatFunctions().dispatch(seat_, kDispatchMs) < 0) {
      return Fail(ErrorKind::kIo, "The seat's session is broken: {}.", ErrnoText(errno));
    }
    if (MonotonicClock().NowNs() >= deadline_ns) {
      return Fail(ErrorKind::kTimeout, "Another session has the console; switch to Tandem's.");
    }
  }
  return {};
}

SeatSession::~SeatSession() {
  stop_ = true;
  static_cast<void>(eventfd_write(wake_.get(), 1));
  thread_.Join();
  listening_ = false;
  if (device_ >= 0) static_cast<void>(SeatFunctions().close_device(seat_, device_));
  if (seat_ != nullptr) static_cast<void>(SeatFunctions().close_seat(seat_));
}

void SeatSession::Run() {
  std::array<pollfd, 2> waits{{{wake_.get(), POLLIN, 0}, {SeatFunctions().get_fd(seat_), POLLIN, 0}}};
  while (!stop_) {
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
    if (stop_) return;
    if (SeatFunctions().dispatch(seat_, 0) >= 0) continue;
    Log(LogLevel::kError, "The seat's session is broken: {}.", ErrnoText(errno));
    if (enabled_) listener_.OnSeatDisabled();
    return;
  }
}

void SeatSession::OnEnabled() {
  enabled_ = true;
  if (listening_) listener_.OnSeatEnabled();
}

void SeatSession::OnDisabled() {
  enabled_ = false;
  if (listening_) listener_.OnSeatDisabled();
  // The console waits for this.
  static_cast<void>(SeatFunctions().disable_seat(seat_));
}

}  // namespace tandem::kms
