// Overlay checks and presents of planes with arbitrary lists, rectangles, flags and layers. A present must show the planes that
// a check accepted. The soft driver keeps every rule, so a violation is a finding, like a crash or a hang.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "base/clock.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/soft/soft_device.h"
#include "fuzz/input_bytes.h"
#include "kernel/kernel.h"

#include <d3dkmthk.h>

namespace {

using namespace tandem;
using fuzz::Bytes;

constexpr std::uint32_t kWidth = 24, kHeight = 16;
constexpr std::size_t kSurfaces = 4;
constexpr std::size_t kMostPlanes = 18;  // two above the limit of a check

void Require(NTSTATUS status, const char* what) {
  if (NT_SUCCESS(status)) return;
  std::fprintf(stderr, "%s: 0x%08X\n", what, static_cast<unsigned>(status));
  std::abort();
}

// The adapter, its surfaces and a context, shared by all inputs.
struct Machine {
  Machine() {
    device.connectors = soft::CreateConnectors(2);
    device.local_memory_bytes = 1ULL << 20;
    device.scans_out_nv12 = true;
    device.scan_out_bytes_per_second = std::uint64_t{kWidth} * kHeight * 4 * 120;
    kernel = *kernel::Kernel::Create(MonotonicClock());
    luid = *kernel->AddAdapter(**kernel->LoadDriver(&soft::SoftDriverEntry, "soft"), &device, "fuzzed");
    D3DKMT_OPENADAPTERFROMLUID open{luid, 0};
    Require(D3DKMTOpenAdapterFromLuid(&open), "open");
    adapter = open.hAdapter;
    D3DKMT_CREATEDEVICE create{};
    create.hAdapter = adapter;
    Require(D3DKMTCreateDevice(&create), "device");
    user = create.hDevice;
    D3DKMT_CREATECONTEXT make{};
    make.hDevice = user;
    make.NodeOrdinal = 1;
    Require(D3DKMTCreateContext(&make), "context");
    context = make.hContext;
    for (std::size_t i = 0; i < kSurfaces; ++i) MakeSurface(i);
  }
  void MakeSurface(std::size_t i) {
    constexpr std::array<color::Format, kSurfaces> kFormats{color::Format::kB8G8R8A8Unorm, color::Format::kB8G8R8A8Unorm,
                                                            color::kHasYuv420 ? color::kNv12 : color::Format::kB8G8R8A8Unorm,
                                                            color::Format::kR16G16B16A16Float};
    const std::uint32_t flags = i % 2 == 0 ? processor::kAllocationCrossAdapter : processor::kAllocationPrimary;
    processor::AllocationData data = *processor::DescribeSurface(kWidth, kHeight, kFormats[i], flags, 0);
    D3DDDI_ALLOCATIONINFO2 info{};
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof(data);
    info.Flags.Primary = i % 2;
    D3DKMT_CREATEALLOCATION create{};
    create.hDevice = user;
    create.NumAllocations = 1;
    create.pAllocationInfo2 = &info;
    create.Flags.CreateResource = 1;
    create.Flags.CreateShared = create.Flags.CrossAdapter = i % 2 == 0 ? 1 : 0;
    Require(D3DKMTCreateAllocation2(&create), "surface");
    resources[i] = create.hResource;
    allocations[i] = info.hAllocation;
  }

  soft::DeviceDescription device;
  std::unique_ptr<kernel::Kernel> kernel;
  LUID luid{};
  D3DKMT_HANDLE adapter = 0, user = 0, context = 0;
  std::array<D3DKMT_HANDLE, kSurfaces> resources{}, allocations{};
};

// Mostly edges of a small screen, sometimes arbitrary values.
LONG Edge(Bytes& bytes) {
  const auto byte = bytes.Take<std::uint8_t>();
  return byte < 0xF8 ? byte % 32 : bytes.Take<LONG>();
}
RECT Rect(Bytes& bytes) {
  const LONG left = Edge(bytes), top = Edge(bytes);
  return {left, top, Edge(bytes), Edge(bytes)};
}

struct List {
  std::array<D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3, kMostPlanes> attributes{};
  std::array<D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3, kMostPlanes> checked{};
  std::array<D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3*, kMostPlanes> checked_pointers{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY3, kMostPlanes> presented{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY3*, kMostPlanes> presented_pointers{};
  D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE post{};
  UINT count = 0;
  bool has_post = false;
};

void Fill(Bytes& bytes, Machine& machine, List& list) {
  list.count = bytes.Take<std::uint8_t>() % (kMostPlanes + 1);
  list.has_post = bytes.Take<std::uint8_t>() % 4 == 0;
  list.post.VidPnSourceId = bytes.Take<std::uint8_t>() % 3;
  if (list.has_post) {
    auto& post = list.post.PostComposition;
    post.Flags.Value = bytes.Take<std::uint8_t>();
    post.SrcRect = Rect(bytes);
    post.DstRect = Rect(bytes);
    post.Rotation = D3DDDI_ROTATION_IDENTITY;
  }
  for (UINT i = 0; i < list.count; ++i) {
    auto& attributes = list.attributes[i];
    attributes.Flags = bytes.Take<std::uint8_t>() % 16 == 0 ? bytes.Take<UINT>() : 0;
    attributes.SrcRect = Rect(bytes);
    attributes.DstRect = Rect(bytes);
    attributes.ClipRect = Rect(bytes);
    attributes.Rotation = static_cast<D3DDDI_ROTATION>(bytes.Take<std::uint8_t>() % 6);
    attributes.Blend = static_cast<D3DKMT_MULTIPLANE_OVERLAY_BLEND>(bytes.Take<std::uint8_t>() % 3);
    const std::size_t surface = bytes.Take<std::uint8_t>() % (kSurfaces + 1);
    const UINT layer = bytes.Take<std::uint8_t>() % 6;
    auto& checked = list.checked[i];
    checked.LayerIndex = layer;
    checked.hResource = surface < kSurfaces ? machine.resources[surface] : bytes.Take<D3DKMT_HANDLE>();
    checked.VidPnSourceId = bytes.Take<std::uint8_t>() % 3;
    checked.pPlaneAttributes = &attributes;
    list.checked_pointers[i] = bytes.Take<std::uint8_t>() == 0xFF ? nullptr : &checked;
    auto& presented = list.presented[i];
    presented.LayerIndex = layer;
    const auto enabled = bytes.Take<std::uint8_t>();
    presented.InputFlags.Value = enabled == 0xFF ? bytes.Take<UINT>() : enabled < 0xC0 ? 1 : 0;
    presented.FlipInterval = D3DDDI_FLIPINTERVAL_IMMEDIATE;
    presented.AllocationCount = 1;
    presented.pAllocationList = &machine.allocations[surface % kSurfaces];
    presented.pPlaneAttributes = &attributes;
    list.presented_pointers[i] = &presented;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Machine machine;
  Bytes bytes({data, size});
  for (int call = 0; call < 8 && !bytes.empty(); ++call) {
    List list;
    Fill(bytes, machine, list);
    D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE* posts[] = {&list.post};
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 check{};
    check.hAdapter = machine.adapter;
    check.hDevice = machine.user;
    check.PlaneCount = list.count;
    check.ppOverlayPlanes = list.checked_pointers.data();
    check.PostCompositionCount = list.has_post ? 1 : 0;
    check.ppPostComposition = posts;
    static_cast<void>(D3DKMTCheckMultiPlaneOverlaySupport3(&check));
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 present{};
    present.hAdapter = machine.adapter;
    present.Flags.FlipDoNotWait = 1;
    present.ContextCount = 1;
    present.pContextList = &machine.context;
    present.VidPnSourceId = bytes.Take<std::uint8_t>() % 3;
    present.PresentPlaneCount = list.count;
    present.ppPresentPlanes = list.presented_pointers.data();
    present.pPostComposition = list.has_post ? &list.post.PostComposition : nullptr;
    static_cast<void>(D3DKMTPresentMultiPlaneOverlay3(&present));
  }
  if (const auto violation = machine.kernel->Violation(machine.luid); !violation.ok() || !violation->empty()) {
    std::fprintf(stderr, "A rule is broken: %s\n", violation.ok() ? violation->c_str() : violation.error().message.c_str());
    std::abort();
  }
  return 0;
}
