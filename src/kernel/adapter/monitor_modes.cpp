#include "kernel/adapter/monitor_modes.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/thread.h"

namespace tandem::kernel {
namespace {

using Mode = D3DKMDT_MONITOR_SOURCE_MODE;
using ModeInfo = Acquirable<Mode>;
using Handle = D3DKMDT_HMONITORSOURCEMODESET;

// A handle is the serial of a loan, which is never used again.
struct Loans {
  Mutex mutex;
  std::map<std::uint64_t, MonitorModeState*> known TANDEM_GUARDED_BY(mutex);
  std::uint64_t next_serial TANDEM_GUARDED_BY(mutex) = 1;
};
Loans& AllLoans() {
  static Loans loans;
  return loans;
}

// One call of a driver. It holds the lock of all loans, which nothing waits under.
class Call {
 public:
  explicit Call(Handle handle) : lock_(AllLoans().mutex.native()) {
    const auto found = AllLoans().known.find(std::bit_cast<std::uintptr_t>(handle));
    if (found != AllLoans().known.end()) state_ = found->second;
  }
  [[nodiscard]] MonitorModeState* state() const { return state_; }

 private:
  std::unique_lock<std::mutex> lock_;
  MonitorModeState* state_ = nullptr;
};

// The published pages name these two statuses for handles and modes that are none.
constexpr NTSTATUS kInvalidSet = STATUS_GRAPHICS_INVALID_MONITOR_SOURCEMODESET;
constexpr NTSTATUS kInvalidMode = STATUS_GRAPHICS_INVALID_MONITOR_SOURCE_MODE;

bool IsPreferred(const ModeInfo& info) {
  return info.state == ElementState::kPart && info.value.Preference == D3DKMDT_MP_PREFERRED;
}

NTSTATUS APIENTRY GetNumModes(Handle handle, SIZE_T* count) {
  const Call call(handle);
  if (call.state() == nullptr || count == nullptr) return kInvalidSet;
  *count = CountParts(call.state()->set.modes);
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY AcquirePreferred(Handle handle, CONST Mode** mode) {
  const Call call(handle);
  if (call.state() == nullptr || mode == nullptr) return kInvalidSet;
  auto& modes = call.state()->set.modes;
  const auto found = std::find_if(modes.begin(), modes.end(), &IsPreferred);
  return GiveElement(found != modes.end() ? &*found : nullptr, mode, STATUS_GRAPHICS_NO_PREFERRED_MODE);
}

NTSTATUS APIENTRY AcquireFirst(Handle handle, CONST Mode** mode) {
  const Call call(handle);
  if (call.state() == nullptr || mode == nullptr) return kInvalidSet;
  return GiveElement(NextPart<Mode>(call.state()->set.modes, nullptr), mode, STATUS_GRAPHICS_DATASET_IS_EMPTY);
}

NTSTATUS APIENTRY AcquireNext(Handle handle, CONST Mode* mode, CONST Mode** next) {
  const Call call(handle);
  if (call.state() == nullptr || next == nullptr) return kInvalidSet;
  *next = nullptr;
  const ModeInfo* const info = FindElement(call.state()->set.modes, mode);
  if (info == nullptr) return STATUS_GRAPHICS_MODE_NOT_IN_MODESET;
  return GiveElement(NextPart(call.state()->set.modes, info), next, STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET);
}

NTSTATUS APIENTRY CreateNew(Handle handle, Mode** mode) {
  const Call call(handle);
  if (call.state() == nullptr || mode == nullptr) return kInvalidSet;
  *mode = nullptr;
  if (call.state()->set.modes.size() == kMaxModeInfos) return STATUS_NO_MEMORY;
  ModeInfo& info = call.state()->set.modes.emplace_back();
  info.value.Id = call.state()->next_mode++;
  *mode = &info.value;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY Add(Handle handle, Mode* mode) {
  const Call call(handle);
  if (call.state() == nullptr) return kInvalidSet;
  ModeInfo* const info = FindElement<Mode>(call.state()->set.modes, mode);
  if (info == nullptr || info->state != ElementState::kMade || !IsValidMode(info->value)) return kInvalidMode;
  if (HasMode(call.state()->set.modes, info->value)) return STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET;
  info->state = ElementState::kPart;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY Release(Handle handle, CONST Mode* mode) {
  const Call call(handle);
  if (call.state() == nullptr) return kInvalidSet;
  return ReleaseElement(call.state()->set.modes, mode);
}

}  // namespace

void MonitorModes::Offer(const D3DKMDT_MONITOR_SOURCE_MODE& mode) {
  Mode offered = mode;
  offered.Id = state_.next_mode++;
  if (HasMode(state_.set.modes, offered)) return;
  ModeInfo& info = state_.set.modes.emplace_back();
  info.value = offered;
  info.state = ElementState::kPart;
}

std::vector<D3DKMDT_MONITOR_SOURCE_MODE> MonitorModes::Modes() const {
  std::vector<Mode> modes;
  for (const ModeInfo& info : state_.set.modes) {
    if (info.state == ElementState::kPart) modes.push_back(info.value);
  }
  std::stable_partition(modes.begin(), modes.end(), [](const Mode& mode) { return mode.Preference == D3DKMDT_MP_PREFERRED; });
  return modes;
}

D3DKMDT_HMONITORSOURCEMODESET MonitorModes::Lend() {
  TANDEM_CHECK(serial_ == 0);
  Loans& loans = AllLoans();
  const MutexLock lock(loans.mutex);
  serial_ = loans.next_serial++;
  loans.known.emplace(serial_, &state_);
  return std::bit_cast<Handle>(static_cast<std::uintptr_t>(serial_));
}

std::uint32_t MonitorModes::Return() {
  if (serial_ == 0) return 0;
  Loans& loans = AllLoans();
  const MutexLock lock(loans.mutex);
  loans.known.erase(std::exchange(serial_, 0));
  std::uint32_t kept = 0;
  for (ModeInfo& info : state_.set.modes) {
    kept += std::exchange(info.acquired, 0u) + (info.state == ElementState::kMade ? 1 : 0);
  }
  std::erase_if(state_.set.modes, [](const ModeInfo& info) { return info.state != ElementState::kPart; });
  return kept;
}

const DXGK_MONITORSOURCEMODESET_INTERFACE& MonitorModes::Functions() {
  static constexpr DXGK_MONITORSOURCEMODESET_INTERFACE kFunctions{
      &GetNumModes, &AcquirePreferred, &AcquireFirst, &AcquireNext, &CreateNew, &Add, &Release};
  return kFunctions;
}

}  // namespace tandem::kernel
