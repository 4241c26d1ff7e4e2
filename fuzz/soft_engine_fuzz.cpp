// Arbitrary command streams, used as the engine's DMA buffer and as a command buffer for DxgkDdiRender. The engine must execute
// the output of DxgkDdiRender without a fault.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "drivers/processor/kmd/command_executor.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/processor/kmd/gpu_memory.h"

namespace {

using namespace tandem::processor;

constexpr std::uint64_t kMemoryBytes = 64 * 1024;

struct NoOwner final : CommandExecutor::Owner {
  void OnMemoryForgotten(std::uint64_t /*memory_id*/) override {}
  tandem::drivers::PaletteColors PaletteOf(std::uint32_t vidpn_source) override { return {vidpn_source}; }
};

// Two surfaces of 32 x 32 pixels in local memory.
struct Machine {
  std::unique_ptr<GpuMemory> memory = *GpuMemory::Create(*LocalMemory::Create(kMemoryBytes, LocalPages::kPrivate), kMemoryBytes);
  NoOwner owner;
  CommandExecutor executor{*memory, owner, tandem::MonotonicClock(), nullptr};
  Allocation surface{*DescribeSurface(32, 32, tandem::color::Format::kB8G8R8A8Unorm, 0, 0)};
  OpenedAllocation opened{surface};
};

// A delay is a valid command but takes too long for fuzzing.
void ShortenDelays(std::vector<std::byte>& stream) {
  CommandHeader header;
  for (std::size_t at = 0; at + sizeof(DelayCommand) <= stream.size(); at += header.size) {
    std::memcpy(&header, stream.data() + at, sizeof(header));
    if (header.opcode == Opcode::kDelay) std::memset(stream.data() + at + sizeof(header), 0, sizeof(std::uint64_t));
    if (header.size < sizeof(header)) return;
  }
}

void RunEngine(Machine& machine, std::vector<std::byte> stream) {
  const std::atomic<Stop> stop{Stop::kNone};
  Progress progress;
  ShortenDelays(stream);
  machine.executor.Execute(stream, Privilege::kUser, stop, progress);
}

void RunRender(Machine& machine, const std::vector<std::byte>& commands) {
  DXGK_ALLOCATIONLIST list[2] = {};
  for (std::uint64_t i = 0; i < 2; ++i) {
    list[i].hDeviceSpecificAllocation = &machine.opened;
    list[i].WriteOperation = 1;
    list[i].SegmentId = kLocalSegment;
    list[i].PhysicalAddress.QuadPart = static_cast<LONGLONG>(kLocalBase + i * machine.surface.data.size);
  }
  alignas(8) std::byte dma[512];
  D3DDDI_PATCHLOCATIONLIST patches[8];
  DXGKARG_RENDER render{};
  render.pCommand = commands.data();
  render.CommandLength = static_cast<UINT>(commands.size());
  render.pAllocationList = list;
  render.AllocationListSize = 2;
  NTSTATUS status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  while (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
    render.pDmaBuffer = dma;
    render.DmaSize = sizeof(dma);
    render.pPatchLocationListOut = patches;
    render.PatchLocationListOutSize = 8;
    const UINT before = render.MultipassOffset;
    status = ProcessorRender(nullptr, &render);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && render.MultipassOffset == before) std::abort();  // no progress
    if (!NT_SUCCESS(status) && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) return;
    std::vector<std::byte> built(dma, static_cast<std::byte*>(render.pDmaBuffer));
    ShortenDelays(built);
    const std::atomic<Stop> stop{Stop::kNone};
    Progress progress;
    if (machine.executor.Execute(built, Privilege::kUser, stop, progress).outcome != Execution::kDone) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Machine machine;
  if (size < 1) return 0;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> stream(bytes + 1, bytes + size);
  if (data[0] % 2 == 0) {
    RunEngine(machine, stream);
  } else {
    RunRender(machine, stream);
  }
  return 0;
}
