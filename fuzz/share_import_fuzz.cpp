// Descriptors of shared resources with arbitrary descriptions, as another process may pass them. One byte chooses the pages,
// one their seals and repairs; the description follows. An opened resource is read and written to its last byte. The soft
// driver keeps every rule, so a violation is a finding, like a crash or a hang.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory_map.h"
#include "base/unique_fd.h"
#include "drivers/soft/soft_device.h"
#include "fuzz/input_bytes.h"
#include "kernel/kernel.h"

#include <d3dkmthk.h>

namespace {

using namespace tandem;
using fuzz::Bytes;

constexpr std::size_t kMostPages = 32;
constexpr std::uint8_t kUnsealed = 1, kRepaired = 2, kCut = 4;

// The description's magic number, version and size.
struct Head {
  std::uint32_t magic = 0x53444E54;
  std::uint32_t version = 2;
  std::uint64_t size = 0;
};

struct Machine {
  Machine() {
    device.connectors = soft::CreateConnectors(1);
    device.local_memory_bytes = 1ULL << 20;
    kernel = *kernel::Kernel::Create(MonotonicClock());
    luid = *kernel->AddAdapter(**kernel->LoadDriver(&soft::SoftDriverEntry, "soft"), &device, "fuzzed");
    D3DKMT_OPENADAPTERFROMLUID open{luid, 0};
    if (!NT_SUCCESS(D3DKMTOpenAdapterFromLuid(&open))) std::abort();
    D3DKMT_CREATEDEVICE create{};
    create.hAdapter = open.hAdapter;
    if (!NT_SUCCESS(D3DKMTCreateDevice(&create))) std::abort();
    user = create.hDevice;
  }
  soft::DeviceDescription device;
  std::unique_ptr<kernel::Kernel> kernel;
  LUID luid{};
  D3DKMT_HANDLE user = 0;
};

UniqueFd MakeDescriptor(Bytes bytes) {
  const std::size_t pages = bytes.Take<std::uint8_t>() % kMostPages + 1;
  const auto how = bytes.Take<std::uint8_t>();
  std::array<std::byte, PAGE_SIZE> description{};
  for (std::byte& byte : description) byte = bytes.Take<std::byte>();
  const std::size_t size = pages * PAGE_SIZE;
  if ((how & kRepaired) != 0) {
    const Head head{.size = size};
    std::memcpy(description.data(), &head, sizeof(head));
  }
  const std::size_t whole = size + ((how & kCut) != 0 ? PAGE_SIZE / 2 : PAGE_SIZE);
  UniqueFd fd = (how & kUnsealed) != 0 ? UniqueFd(memfd_create("fuzzed", MFD_CLOEXEC | MFD_ALLOW_SEALING))
                                       : *CreateSharedPages("fuzzed", size);
  if (ftruncate(fd.get(), static_cast<off_t>(whole)) != 0 ||
      pwrite(fd.get(), description.data(), whole - size, static_cast<off_t>(size)) != static_cast<ssize_t>(whole - size)) {
    std::abort();
  }
  return fd;
}

void Touch(const Machine& machine, D3DKMT_HANDLE allocation, std::size_t file_bytes) {
  D3DKMT_LOCK2 lock{machine.user, allocation, {}, nullptr};
  if (!NT_SUCCESS(D3DKMTLock2(&lock))) return;
  auto* const bytes = static_cast<volatile std::uint8_t*>(lock.pData);
  for (std::size_t at = 0; at < file_bytes; at += PAGE_SIZE) bytes[at] = static_cast<std::uint8_t>(bytes[at] + 1);
  const D3DKMT_UNLOCK2 unlock{machine.user, allocation};
  static_cast<void>(D3DKMTUnlock2(&unlock));
}

void Open(const Machine& machine, const UniqueFd& fd, std::size_t pages_bytes) {
  D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query{};
  query.hDevice = machine.user;
  query.hNtHandle = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd.get()));
  if (!NT_SUCCESS(D3DKMTQueryResourceInfoFromNtHandle(&query)) || query.NumAllocations != 1) return;
  std::vector<std::byte> runtime(query.PrivateRuntimeDataSize), total(query.TotalPrivateDriverDataSize),
      resource(query.ResourcePrivateDriverDataSize);
  D3DDDI_OPENALLOCATIONINFO2 info{};
  D3DKMT_OPENRESOURCEFROMNTHANDLE open{};
  open.hDevice = machine.user;
  open.hNtHandle = query.hNtHandle;
  open.NumAllocations = 1;
  open.pOpenAllocationInfo2 = &info;
  open.pPrivateRuntimeData = runtime.data();
  open.PrivateRuntimeDataSize = query.PrivateRuntimeDataSize;
  open.pResourcePrivateDriverData = resource.data();
  open.ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize;
  open.pTotalPrivateDriverDataBuffer = total.data();
  open.TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize;
  if (!NT_SUCCESS(D3DKMTOpenResourceFromNtHandle(&open))) return;
  Touch(machine, info.hAllocation, pages_bytes);
  D3DKMT_DESTROYALLOCATION2 destroy{};
  destroy.hDevice = machine.user;
  destroy.hResource = open.hResource;
  if (!NT_SUCCESS(D3DKMTDestroyAllocation2(&destroy))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto* const machine = new Machine;
  const UniqueFd fd = MakeDescriptor(Bytes({data, size}));
  Open(*machine, fd, size == 0 ? PAGE_SIZE : (data[0] % kMostPages + 1) * PAGE_SIZE);
  const auto violation = machine->kernel->Violation(machine->luid);
  if (!violation.ok() || !violation->empty()) {
    std::fprintf(stderr, "%s\n", violation.ok() ? violation->c_str() : violation.error().message.c_str());
    std::abort();
  }
  return 0;
}
