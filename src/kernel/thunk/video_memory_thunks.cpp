// D3DKMT*: budgets of an adapter's memory.
#include <cstdint>

#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

bool ValidGroup(D3DKMT_MEMORY_SEGMENT_GROUP group) {
  return group == D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL || group == D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL;
}

SegmentGroup ToSegmentGroup(D3DKMT_MEMORY_SEGMENT_GROUP group) {
  return group == D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL ? SegmentGroup::kLocal : SegmentGroup::kNonLocal;
}

// Null, or what GetCurrentProcess() gives a Windows program. The kernel lives in the program and knows no other process.
bool IsThisProcess(HANDLE process) { return process == nullptr || reinterpret_cast<std::intptr_t>(process) == -1; }

NTSTATUS QueryInfo(System& system, D3DKMT_QUERYVIDEOMEMORYINFO& data) {
  const HandleRef<AdapterObject> object(system.handles(), data.hAdapter);
  if (!object) return STATUS_INVALID_PARAMETER;
  if (!ValidGroup(data.MemorySegmentGroup) || data.PhysicalAdapterIndex != 0) return STATUS_INVALID_PARAMETER;
  if (!IsThisProcess(data.hProcess)) return STATUS_INVALID_HANDLE;
  const AdapterGuard guard(*object->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  const VideoMemory memory = object->unit->memory().residency().Query(ToSegmentGroup(data.MemorySegmentGroup));
  data.Budget = memory.budget;
  data.CurrentUsage = memory.usage;
  data.CurrentReservation = memory.reservation;
  data.AvailableForReservation = memory.available_for_reservation;
  return STATUS_SUCCESS;
}

NTSTATUS Reserve(System& system, const D3DKMT_CHANGEVIDEOMEMORYRESERVATION& data) {
  const HandleRef<AdapterObject> object(system.handles(), data.hAdapter);
  if (!object) return STATUS_INVALID_PARAMETER;
  if (!ValidGroup(data.MemorySegmentGroup) || data.PhysicalAdapterIndex != 0) return STATUS_INVALID_PARAMETER;
  if (!IsThisProcess(data.hProcess)) return STATUS_INVALID_HANDLE;
  const AdapterGuard guard(*object->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  return object->unit->memory().residency().Reserve(ToSegmentGroup(data.MemorySegmentGroup), data.Reservation);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTQueryVideoMemoryInfo(D3DKMT_QUERYVIDEOMEMORYINFO* data) {
  return InThunk(data, [&](System& system) { return QueryInfo(system, *data); });
}

NTSTATUS APIENTRY D3DKMTChangeVideoMemoryReservation(CONST D3DKMT_CHANGEVIDEOMEMORYRESERVATION* data) {
  return InThunk(data, [&](System& system) { return Reserve(system, *data); });
}
