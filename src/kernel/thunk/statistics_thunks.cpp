// D3DKMT*: statistics of adapters, and the processes that use them.
#include <unistd.h>

#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

constexpr ULONG ToUlong(std::size_t value) { return static_cast<ULONG>(value); }

void DescribeAdapter(AdapterInstance& unit, D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION& information) {
  information.NbSegments = ToUlong(unit.adapter().segments().size());
  information.NodeCount = unit.adapter().node_count();
  information.VidPnSourceCount = unit.adapter().vidpn_source_count();
  information.TdrDetectedCount = static_cast<ULONG>(unit.Counters().resets);
}

NTSTATUS DescribeSegment(AdapterInstance& unit, ULONG segment, D3DKMT_QUERYSTATISTICS_SEGMENT_INFORMATION& information) {
  const auto& segments = unit.adapter().segments();
  if (segment >= segments.size()) return STATUS_INVALID_PARAMETER;
  const Residency::SegmentUse use = unit.memory().residency().UseOf(segment);
  information.CommitLimit = segments[segment].size;
  information.BytesCommitted = information.BytesResident = use.bytes;
  information.Memory.AllocsCommitted = information.Memory.AllocsResident = use.allocations;
  information.Aperture = segments[segment].aperture ? TRUE : FALSE;
  return STATUS_SUCCESS;
}

NTSTATUS DescribeGroup(AdapterInstance& unit, D3DKMT_MEMORY_SEGMENT_GROUP group,
                       D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP_INFORMATION& information) {
  if (group != D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL && group != D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL)
    return STATUS_INVALID_PARAMETER;
  const bool local = group == D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL;
  const VideoMemory memory = unit.memory().residency().Query(local ? SegmentGroup::kLocal : SegmentGroup::kNonLocal);
  information.Budget = memory.budget;
  information.Requested = information.Usage = memory.usage;
  return STATUS_SUCCESS;
}

// The kernel serves one process, so every process is the caller's.
NTSTATUS Query(System& system, const D3DKMT_QUERYSTATISTICS& data, D3DKMT_QUERYSTATISTICS_RESULT& result) {
  const auto unit = system.FindUnit(data.AdapterLuid);
  if (unit == nullptr) return STATUS_INVALID_PARAMETER;
  if (data.hProcess != nullptr) return STATUS_NOT_SUPPORTED;
  const AdapterGuard guard(*unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  D3DKMT_QUERYSTATISTICS_RESULT answer{};
  NTSTATUS status = STATUS_SUCCESS;
  switch (data.Type) {
    case D3DKMT_QUERYSTATISTICS_ADAPTER: DescribeAdapter(*unit, answer.AdapterInformation); break;
    case D3DKMT_QUERYSTATISTICS_SEGMENT:
      status = DescribeSegment(*unit, data.QuerySegment.SegmentId, answer.SegmentInformation);
      break;
    case D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP:
      status = DescribeGroup(*unit, data.QueryProcessSegmentGroup, answer.ProcessSegmentGroupInformation);
      break;
    default: return STATUS_NOT_SUPPORTED;
  }
  if (NT_SUCCESS(status)) result = answer;
  return status;
}

NTSTATUS EnumProcesses(System& system, D3DKMT_ENUMPROCESSES& data) {
  if (system.FindUnit(data.AdapterLuid) == nullptr) return STATUS_INVALID_PARAMETER;
  if (data.Buffer == nullptr || data.BufferCount == 0) return STATUS_INVALID_PARAMETER;
  data.Buffer[0] = static_cast<ULONG>(getpid());
  data.BufferCount = 1;
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

// The result is a member of an argument that the public header declares constant.
NTSTATUS APIENTRY D3DKMTQueryStatistics(CONST D3DKMT_QUERYSTATISTICS* data) {
  return InThunk(data,
                 [&](System& system) { return Query(system, *data, const_cast<D3DKMT_QUERYSTATISTICS*>(data)->QueryResult); });
}

NTSTATUS APIENTRY D3DKMTEnumProcesses(D3DKMT_ENUMPROCESSES* data) {
  return InThunk(data, [&](System& system) { return EnumProcesses(system, *data); });
}
