// Devices, contexts, allocations and resources come and go.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "drivers/processor/allocation_data.h"
#include "fuzz/thunks/calls.h"

namespace tandem::fuzz {

void CreateDevice(Program& program) {
  D3DKMT_CREATEDEVICE create{};
  create.hAdapter = program.adapter;
  if (NT_SUCCESS(D3DKMTCreateDevice(&create))) Program::Keep(program.devices, create.hDevice);
}

void CreateContext(Program& program) {
  D3DKMT_CREATECONTEXT create{};
  create.hDevice = program.Handle(program.devices);
  create.NodeOrdinal = program.bytes.Take<std::uint8_t>() % 3;
  if (!NT_SUCCESS(D3DKMTCreateContext(&create))) return;
  Program::Keep(program.contexts, create.hContext);
  if (program.buffers.size() < Program::kMostHandles) program.buffers.push_back(create);
}

void DestroyContext(Program& program) {
  const D3DKMT_DESTROYCONTEXT destroy{program.Handle(program.contexts)};
  static_cast<void>(D3DKMTDestroyContext(&destroy));
  std::erase_if(program.buffers, [&](const D3DKMT_CREATECONTEXT& buffer) { return buffer.hContext == destroy.hContext; });
}

void CreateAllocation(Program& program) {
  const auto width = program.bytes.Take<std::uint16_t>();
  const auto height = program.bytes.Take<std::uint8_t>();
  const auto use = program.bytes.Take<std::uint8_t>();
  const auto described = processor::DescribeSurface(width % 600u + 1, height + 1u, color::Format::kB8G8R8A8Unorm, use % 4u, 0);
  processor::AllocationData data = described.ok() ? *described : processor::AllocationData{};
  if ((use & 0x40) != 0) data = program.bytes.Take<processor::AllocationData>();
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = &data;
  info.PrivateDriverDataSize = (use & 0x80) != 0 ? program.bytes.Take<std::uint8_t>() % sizeof(data) : sizeof(data);
  info.Flags.Primary = use & 1u;
  D3DKMT_CREATEALLOCATION create{};
  create.hDevice = program.Handle(program.devices);
  create.NumAllocations = 1;
  create.pAllocationInfo2 = &info;
  create.Flags.CreateResource = 1;
  create.Flags.CreateShared = create.Flags.CrossAdapter = (use >> 1) & 1u;
  if (!NT_SUCCESS(D3DKMTCreateAllocation2(&create))) return;
  Program::Keep(program.allocations, info.hAllocation);
  Program::Keep(program.resources, create.hResource);
  Program::Keep(program.shares, create.hGlobalShare);
}

void DestroyAllocation(Program& program) {
  D3DKMT_DESTROYALLOCATION2 destroy{};
  destroy.hDevice = program.Handle(program.devices);
  const D3DKMT_HANDLE allocation = program.Handle(program.allocations);
  if ((program.bytes.Take<std::uint8_t>() & 1) != 0) {
    destroy.phAllocationList = &allocation;
    destroy.AllocationCount = 1;
  } else {
    destroy.hResource = program.Handle(program.resources);
  }
  static_cast<void>(D3DKMTDestroyAllocation2(&destroy));
}

void Open(Program& program) {
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = program.Handle(program.devices);
  query.hGlobalShare = program.Handle(program.shares);
  if (!NT_SUCCESS(D3DKMTQueryResourceInfo(&query)) || query.NumAllocations != 1) return;
  std::vector<std::byte> total(query.TotalPrivateDriverDataSize);
  std::vector<std::byte> resource(query.ResourcePrivateDriverDataSize);
  D3DDDI_OPENALLOCATIONINFO2 info{};
  D3DKMT_OPENRESOURCE open{};
  open.hDevice = query.hDevice;
  open.hGlobalShare = query.hGlobalShare;
  open.NumAllocations = 1;
  open.pOpenAllocationInfo2 = &info;
  open.pTotalPrivateDriverDataBuffer = total.data();
  open.TotalPrivateDriverDataBufferSize = static_cast<UINT>(total.size());
  open.pResourcePrivateDriverData = resource.data();
  open.ResourcePrivateDriverDataSize = static_cast<UINT>(resource.size());
  if (!NT_SUCCESS(D3DKMTOpenResource2(&open))) return;
  Program::Keep(program.allocations, info.hAllocation);
  Program::Keep(program.resources, open.hResource);
}

}  // namespace tandem::fuzz
