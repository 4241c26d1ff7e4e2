// D3DKMT*: keyed mutexes, by global handles of this process.
#include <algorithm>
#include <cstring>

#include "kernel/thunk/private_data.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

std::span<const std::byte> Bytes(const void* data, UINT size) { return {static_cast<const std::byte*>(data), size}; }

// A handle to the mutex; false when there are too many.
bool Publish(System& system, std::shared_ptr<KeyedMutex> mutex, D3DKMT_HANDLE share, D3DKMT_HANDLE& handle) {
  handle = system.handles().Reserve(HandleType::kKeyedMutex);
  if (handle == 0) return false;
  auto object = std::make_shared<KeyedMutexObject>();
  object->mutex = std::move(mutex);
  object->share = share;
  system.handles().Publish(handle, std::move(object));
  return true;
}

NTSTATUS Create(System& system, D3DKMT_CREATEKEYEDMUTEX2& data) {
  if (!IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize) || data.Flags.Reserved != 0)
    return STATUS_INVALID_PARAMETER;
  if (data.Flags.NtSecuritySharing) return STATUS_NOT_SUPPORTED;
  auto mutex = std::make_shared<KeyedMutex>(system.clock(), data.InitialValue,
                                            Bytes(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize));
  auto share = std::make_shared<KeyedMutexShareObject>();
  share->mutex = mutex;
  const D3DKMT_HANDLE global = system.handles().Reserve(HandleType::kKeyedMutexShare, HandleSpace::kGlobal);
  if (global == 0) return STATUS_INSUFFICIENT_RESOURCES;
  if (!Publish(system, std::move(mutex), global, data.hKeyedMutex)) {
    system.handles().Abandon(global);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  system.handles().Publish(global, std::move(share));
  data.hSharedHandle = global;
  return STATUS_SUCCESS;
}

NTSTATUS Open(System& system, D3DKMT_OPENKEYEDMUTEX2& data) {
  if (!IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize)) return STATUS_INVALID_PARAMETER;
  const HandleRef<KeyedMutexShareObject> share(system.handles(), data.hSharedHandle);
  std::shared_ptr<KeyedMutex> mutex = share ? share->mutex.lock() : nullptr;
  if (mutex == nullptr) return STATUS_INVALID_PARAMETER;
  if (!mutex->Open(Bytes(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize))) return STATUS_INVALID_PARAMETER;
  if (Publish(system, mutex, data.hSharedHandle, data.hKeyedMutex)) return STATUS_SUCCESS;
  KeyedMutexHandle unpublished;
  static_cast<void>(mutex->Close(unpublished));
  return STATUS_INSUFFICIENT_RESOURCES;
}

NTSTATUS Destroy(System& system, D3DKMT_HANDLE handle) {
  const auto closed = system.handles().Close(handle, HandleType::kKeyedMutex);
  if (closed == nullptr) return STATUS_INVALID_PARAMETER;
  const auto object = std::static_pointer_cast<KeyedMutexObject>(closed);
  if (object->mutex->Close(object->own)) static_cast<void>(system.handles().Close(object->share, HandleType::kKeyedMutexShare));
  return STATUS_SUCCESS;
}

// Only waits that last from now on. False for a point of the calendar.
bool DeadlineOf(Clock& clock, const LARGE_INTEGER* timeout, std::int64_t& deadline_ns) {
  constexpr std::int64_t kUnitNs = 100;
  deadline_ns = kNoDeadline;
  if (timeout == nullptr) return true;
  if (timeout->QuadPart > 0) return false;
  const std::int64_t now_ns = clock.NowNs();
  if (timeout->QuadPart > -((kNoDeadline - now_ns) / kUnitNs)) deadline_ns = now_ns - timeout->QuadPart * kUnitNs;
  return true;
}

NTSTATUS Acquire(System& system, D3DKMT_ACQUIREKEYEDMUTEX2& data) {
  if (!IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize)) return STATUS_INVALID_PARAMETER;
  std::int64_t deadline_ns = 0;
  if (!DeadlineOf(system.clock(), data.pTimeout, deadline_ns)) return STATUS_NOT_SUPPORTED;
  std::shared_ptr<KeyedMutexObject> object;
  {
    // The wait holds no reference, so that the handle can be closed.
    const HandleRef<KeyedMutexObject> held(system.handles(), data.hKeyedMutex);
    if (!held) return STATUS_INVALID_PARAMETER;
    object = held.Share();
  }
  KeyedMutex::Holding holding;
  const NTSTATUS status = object->mutex->Acquire(object->own, data.Key, deadline_ns, holding);
  if (status != STATUS_SUCCESS) return status;
  data.FenceValue = holding.fence_value;
  const std::size_t copied = std::min<std::size_t>(holding.private_data.size(), data.PrivateRuntimeDataSize);
  if (copied != 0) std::memcpy(data.pPrivateRuntimeData, holding.private_data.data(), copied);
  return STATUS_SUCCESS;
}

NTSTATUS Release(System& system, const D3DKMT_RELEASEKEYEDMUTEX2& data) {
  if (!IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize)) return STATUS_INVALID_PARAMETER;
  const HandleRef<KeyedMutexObject> object(system.handles(), data.hKeyedMutex);
  if (!object) return STATUS_INVALID_PARAMETER;
  std::optional<std::span<const std::byte>> private_data;
  if (data.pPrivateRuntimeData != nullptr) private_data = Bytes(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize);
  return object->mutex->Release(object->own, data.Key, data.FenceValue, private_data);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTCreateKeyedMutex2(D3DKMT_CREATEKEYEDMUTEX2* data) {
  return InThunk(data, [&](System& system) { return Create(system, *data); });
}

NTSTATUS APIENTRY D3DKMTOpenKeyedMutex2(D3DKMT_OPENKEYEDMUTEX2* data) {
  return InThunk(data, [&](System& system) { return Open(system, *data); });
}

NTSTATUS APIENTRY D3DKMTDestroyKeyedMutex(CONST D3DKMT_DESTROYKEYEDMUTEX* data) {
  return InThunk(data, [&](System& system) { return Destroy(system, data->hKeyedMutex); });
}

NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex2(D3DKMT_ACQUIREKEYEDMUTEX2* data) {
  return InThunk(data, [&](System& system) { return Acquire(system, *data); });
}

NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex2(D3DKMT_RELEASEKEYEDMUTEX2* data) {
  return InThunk(data, [&](System& system) { return Release(system, *data); });
}
