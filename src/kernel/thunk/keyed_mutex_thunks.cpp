// D3DKMT*: keyed mutexes.
#include <algorithm>
#include <cstring>

#include "kernel/thunk/keyed_mutex_object.h"
#include "kernel/thunk/private_data.h"

namespace tandem::kernel {
namespace {

std::span<const std::byte> Bytes(const void* data, UINT size) { return {static_cast<const std::byte*>(data), size}; }

// The global handle is there before the first handle of the mutex. Without `share`, the mutex is shared by descriptor.
NTSTATUS Create(System& system, UINT64 key, std::span<const std::byte> private_data, D3DKMT_HANDLE* share,
                D3DKMT_HANDLE& handle) {
  const auto mutex = std::make_shared<KeyedMutex>(system.clock(), key, private_data);
  if (share == nullptr) return AddKeyedMutex(system, mutex, KeyedMutexSharing::kByDescriptor, 0, handle);
  auto object = std::make_shared<KeyedMutexShareObject>();
  object->mutex = mutex;
  const D3DKMT_HANDLE global = system.handles().Reserve(HandleType::kKeyedMutexShare, HandleSpace::kGlobal);
  if (global == 0) return STATUS_INSUFFICIENT_RESOURCES;
  system.handles().Publish(global, std::move(object));
  const NTSTATUS status = AddKeyedMutex(system, mutex, KeyedMutexSharing::kByGlobalHandle, global, handle);
  if (NT_SUCCESS(status)) *share = global;
  return status;
}

NTSTATUS Create2(System& system, D3DKMT_CREATEKEYEDMUTEX2& data) {
  if (!IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize) || data.Flags.Reserved != 0)
    return STATUS_INVALID_PARAMETER;
  const auto private_data = Bytes(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize);
  D3DKMT_HANDLE share = 0;
  const NTSTATUS status =
      Create(system, data.InitialValue, private_data, data.Flags.NtSecuritySharing ? nullptr : &share, data.hKeyedMutex);
  if (NT_SUCCESS(status)) data.hSharedHandle = share;
  return status;
}

NTSTATUS Open(System& system, D3DKMT_HANDLE share_handle, std::span<const std::byte> private_data, D3DKMT_HANDLE& handle) {
  std::shared_ptr<KeyedMutex> mutex;
  {
    // The reference ends before AddKeyedMutex, which may close the handle.
    const HandleRef<KeyedMutexShareObject> share(system.handles(), share_handle);
    if (share) mutex = share->mutex.lock();
  }
  if (mutex == nullptr || !mutex->Open(private_data)) return STATUS_INVALID_PARAMETER;
  return AddKeyedMutex(system, mutex, KeyedMutexSharing::kByGlobalHandle, share_handle, handle);
}

NTSTATUS Open2(System& system, D3DKMT_OPENKEYEDMUTEX2& data) {
  if (!IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize)) return STATUS_INVALID_PARAMETER;
  return Open(system, data.hSharedHandle, Bytes(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize), data.hKeyedMutex);
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

// The fence value is 0 unless the mutex was acquired.
NTSTATUS Acquire(System& system, D3DKMT_HANDLE handle, UINT64 key, const LARGE_INTEGER* timeout, UINT64& fence_value,
                 std::span<std::byte> private_data) {
  std::int64_t deadline_ns = 0;
  if (!DeadlineOf(system.clock(), timeout, deadline_ns)) return STATUS_NOT_SUPPORTED;
  std::shared_ptr<KeyedMutexObject> object;
  {
    // The wait holds no reference, so that the handle can be closed.
    const HandleRef<KeyedMutexObject> held(system.handles(), handle);
    if (!held) return STATUS_INVALID_PARAMETER;
    object = held.Share();
  }
  KeyedMutex::Holding holding;
  const NTSTATUS status = object->mutex->Acquire(object->own, key, deadline_ns, holding);
  fence_value = holding.fence_value;
  const std::size_t copied = std::min(holding.private_data.size(), private_data.size());
  if (copied != 0) std::memcpy(private_data.data(), holding.private_data.data(), copied);
  return status;
}

NTSTATUS Acquire2(System& system, D3DKMT_ACQUIREKEYEDMUTEX2& data) {
  if (!IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize)) return STATUS_INVALID_PARAMETER;
  const std::span private_data(static_cast<std::byte*>(data.pPrivateRuntimeData), data.PrivateRuntimeDataSize);
  return Acquire(system, data.hKeyedMutex, data.Key, data.pTimeout, data.FenceValue, private_data);
}

NTSTATUS Release(System& system, D3DKMT_HANDLE handle, UINT64 key, UINT64 fence_value,
                 std::optional<std::span<const std::byte>> private_data) {
  const HandleRef<KeyedMutexObject> object(system.handles(), handle);
  if (!object) return STATUS_INVALID_PARAMETER;
  return object->mutex->Release(object->own, key, fence_value, private_data);
}

NTSTATUS Release2(System& system, const D3DKMT_RELEASEKEYEDMUTEX2& data) {
  if (!IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize)) return STATUS_INVALID_PARAMETER;
  std::optional<std::span<const std::byte>> private_data;
  if (data.pPrivateRuntimeData != nullptr) private_data = Bytes(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize);
  return Release(system, data.hKeyedMutex, data.Key, data.FenceValue, private_data);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTCreateKeyedMutex(D3DKMT_CREATEKEYEDMUTEX* data) {
  return InThunk(data,
                 [&](System& system) { return Create(system, data->InitialValue, {}, &data->hSharedHandle, data->hKeyedMutex); });
}

NTSTATUS APIENTRY D3DKMTCreateKeyedMutex2(D3DKMT_CREATEKEYEDMUTEX2* data) {
  return InThunk(data, [&](System& system) { return Create2(system, *data); });
}

NTSTATUS APIENTRY D3DKMTOpenKeyedMutex(D3DKMT_OPENKEYEDMUTEX* data) {
  return InThunk(data, [&](System& system) { return Open(system, data->hSharedHandle, {}, data->hKeyedMutex); });
}

NTSTATUS APIENTRY D3DKMTOpenKeyedMutex2(D3DKMT_OPENKEYEDMUTEX2* data) {
  return InThunk(data, [&](System& system) { return Open2(system, *data); });
}

NTSTATUS APIENTRY D3DKMTDestroyKeyedMutex(CONST D3DKMT_DESTROYKEYEDMUTEX* data) {
  return InThunk(data, [&](System& system) { return DestroyKeyedMutex(system, data->hKeyedMutex); });
}

NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex(D3DKMT_ACQUIREKEYEDMUTEX* data) {
  return InThunk(
      data, [&](System& system) { return Acquire(system, data->hKeyedMutex, data->Key, data->pTimeout, data->FenceValue, {}); });
}

NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex2(D3DKMT_ACQUIREKEYEDMUTEX2* data) {
  return InThunk(data, [&](System& system) { return Acquire2(system, *data); });
}

NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex(D3DKMT_RELEASEKEYEDMUTEX* data) {
  return InThunk(data,
                 [&](System& system) { return Release(system, data->hKeyedMutex, data->Key, data->FenceValue, std::nullopt); });
}

NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex2(D3DKMT_RELEASEKEYEDMUTEX2* data) {
  return InThunk(data, [&](System& system) { return Release2(system, *data); });
}
