// D3DKMT calls in any order with arbitrary values: known, stale or invented handles, sizes, rectangles, flags. Pointers are
// valid, as in a working process. The soft driver keeps every rule, so a violation is a finding, like a crash or a hang.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "base/clock.h"
#include "drivers/soft/soft_device.h"
#include "fuzz/thunks/calls.h"
#include "kernel/kernel.h"

namespace {

using namespace tandem;

constexpr std::size_t kMostCalls = 64;  // per input

// A byte of the input chooses one of them, so the seeds depend on their order.
constexpr fuzz::Call kCalls[] = {&fuzz::CreateDevice,
                                 &fuzz::CreateContext,
                                 &fuzz::CreateAllocation,
                                 &fuzz::DestroyAllocation,
                                 &fuzz::Open,
                                 &fuzz::Present,
                                 &fuzz::Render,
                                 &fuzz::LockAndTouch,
                                 &fuzz::Residency,
                                 &fuzz::Offer,
                                 &fuzz::Fence,
                                 &fuzz::Signal,
                                 &fuzz::DestroyContext,
                                 &fuzz::QueryAdapter,
                                 &fuzz::OwnSource,
                                 &fuzz::DestroySync,
                                 &fuzz::Mutex,
                                 &fuzz::OpenShared,
                                 &fuzz::Share};

struct Machine {
  Machine() {
    device.connectors = soft::CreateConnectors(1);
    device.local_memory_bytes = 1ULL << 20;
    kernel = *kernel::Kernel::Create(MonotonicClock());
    luid = *kernel->AddAdapter(**kernel->LoadDriver(&soft::SoftDriverEntry, "soft"), &device, "fuzzed");
  }
  soft::DeviceDescription device;
  std::unique_ptr<kernel::Kernel> kernel;
  LUID luid{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto* const machine = new Machine;
  {
    fuzz::Program program(fuzz::Bytes({data, size}), machine->luid);
    fuzz::CreateDevice(program);
    for (std::size_t call = 0; call < kMostCalls && !program.bytes.empty(); ++call) {
      kCalls[program.bytes.Take<std::uint8_t>() % std::size(kCalls)](program);
    }
  }
  const auto violation = machine->kernel->Violation(machine->luid);
  if (!violation.ok() || !violation->empty()) {
    std::fprintf(stderr, "%s\n", violation.ok() ? violation->c_str() : violation.error().message.c_str());
    std::abort();
  }
  return 0;
}
