// A runtime that hands a shim anything: missing tables, short hosts, other versions, resources and display commands of arbitrary
// values. Handles are valid, as the runtime's are. A crash, a hang or a broken rule of the soft driver beneath is a finding.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "drivers/processor/user_mode.h"
#include "drivers/soft/soft_device.h"
#include "fuzz/input_bytes.h"
#include "kernel/kernel.h"
#include "shim/composite.h"
#include "swapchain/resource.h"
#include "swapchain/shim_host.h"

namespace {

using namespace tandem;
using fuzz::Bytes;
using swapchain::Resource;

constexpr std::size_t kMostCalls = 24;  // per input
constexpr std::size_t kMostResources = 6;
constexpr UINT kMostExtent = 64;

struct Machine {
  Machine() {
    display_device.connectors = soft::CreateConnectors(1);
    render_device.local_memory_bytes = display_device.local_memory_bytes = 1ULL << 20;
    kernel = *kernel::Kernel::Create(MonotonicClock());
    kernel::Driver& driver = **kernel->LoadDriver(&soft::SoftDriverEntry, "soft");
    render = *kernel->AddAdapter(driver, &render_device, "render", kernel::AdapterVisibility::kHidden);
    display = *kernel->AddAdapter(driver, &display_device, "display");
  }
  soft::DeviceDescription render_device;
  soft::DeviceDescription display_device;
  std::unique_ptr<kernel::Kernel> kernel;
  LUID render{};
  LUID display{};
};

HRESULT Open(D3D10DDIARG_OPENADAPTER* args) { return shim::OpenShim(args, nullptr); }

HRESULT QueryNothing(HANDLE /*adapter*/, CONST D3DDDICB_QUERYADAPTERINFO* /*args*/) { return E_FAIL; }

// Arguments of which each may be missing.
void OpenAnyhow(Bytes& bytes) {
  const auto missing = bytes.Take<std::uint8_t>();
  D3DDDI_ADAPTERCALLBACKS callbacks{};
  if ((missing & 1) == 0) callbacks.pfnQueryAdapterInfoCb = &QueryNothing;
  D3D10_2DDI_ADAPTERFUNCS functions{};
  D3D10DDIARG_OPENADAPTER open{};
  open.Interface = bytes.Take<UINT>();
  open.Version = bytes.Take<UINT>();
  open.pAdapterCallbacks = (missing & 2) == 0 ? &callbacks : nullptr;
  open.pAdapterFuncs_2 = (missing & 4) == 0 ? &functions : nullptr;
  if (SUCCEEDED(Open(&open))) std::abort();  // no kernel answers QueryNothing
}

class Program {
 public:
  Program(Bytes bytes, swapchain::Runtime& runtime) : bytes_(bytes), runtime_(runtime) {}
  void Run() {
    for (std::size_t call = 0; call < kMostCalls && !bytes_.empty(); ++call) One();
  }

 private:
  void One() {
    switch (bytes_.Take<std::uint8_t>() % 5) {
      case 0: return Create();
      case 1: return Destroy();
      case 2: return Present();
      case 3: return Blt();
      default: return Rotate();
    }
  }
  [[nodiscard]] const Resource* Any() {
    const auto index = bytes_.Take<std::uint8_t>();
    return resources_.empty() ? nullptr : resources_[index % resources_.size()].get();
  }
  static DXGI_DDI_HRESOURCE ToDxgi(const Resource* resource) {
    return reinterpret_cast<DXGI_DDI_HRESOURCE>(resource->handle().pDrvPrivate);
  }

  void Create() {
    if (resources_.size() == kMostResources) return;
    const auto bits = bytes_.Take<std::uint8_t>();
    D3D10DDI_MIPINFO mip{};
    mip.TexelWidth = mip.PhysicalWidth = bytes_.Take<UINT>() % (kMostExtent + 1);
    mip.TexelHeight = mip.PhysicalHeight = bytes_.Take<UINT>() % (kMostExtent + 1);
    DXGI_DDI_PRIMARY_DESC primary{};
    primary.VidPnSourceId = bytes_.Take<std::uint8_t>() % 3;
    primary.Flags = bits >> 6;
    D3D11DDIARG_CREATERESOURCE args{};
    args.pMipInfoList = (bits & 1) != 0 ? &mip : nullptr;
    args.ResourceDimension = (bits & 2) != 0 ? D3D10DDIRESOURCE_TEXTURE2D : D3D10DDIRESOURCE_BUFFER;
    args.BindFlags = bytes_.Take<UINT>();
    args.MiscFlags = bytes_.Take<UINT>();
    args.Format = static_cast<DXGI_FORMAT>(bytes_.Take<std::uint8_t>());
    args.SampleDesc.Count = args.MipLevels = args.ArraySize = (bits & 4) != 0 ? 1 : bytes_.Take<std::uint8_t>();
    args.pPrimaryDesc = (bits & 8) != 0 ? &primary : nullptr;
    auto made = Resource::CreateAs(runtime_, args);
    if (made.ok()) resources_.push_back(*std::move(made));
  }
  void Destroy() {
    const auto index = bytes_.Take<std::uint8_t>();
    if (!resources_.empty()) resources_.erase(resources_.begin() + static_cast<std::ptrdiff_t>(index % resources_.size()));
  }
  void Present() {
    const Resource* const source = Any();
    const Resource* const destination = (bytes_.Take<std::uint8_t>() & 1) != 0 ? Any() : nullptr;
    if (source == nullptr) return;
    swapchain::PresentCall call;
    call.source = source->handle();
    if (destination != nullptr) call.destination = destination->handle();
    call.vidpn_source = bytes_.Take<std::uint8_t>() % 3;
    call.interval = static_cast<D3DDDI_FLIPINTERVAL_TYPE>(bytes_.Take<std::uint8_t>() % 7);
    static_cast<void>(runtime_.DxgiPresent(call));
  }
  void Blt() {
    const Resource* const source = Any();
    const Resource* const destination = Any();
    if (source == nullptr || destination == nullptr) return;
    auto blt = bytes_.Take<DXGI_DDI_ARG_BLT1>();
    blt.hSrcResource = ToDxgi(source);
    blt.hDstResource = ToDxgi(destination);
    static_cast<void>(runtime_.DxgiBlt(blt));
  }
  void Rotate() {
    std::vector<DXGI_DDI_HRESOURCE> handles(bytes_.Take<std::uint8_t>() % 20);
    for (DXGI_DDI_HRESOURCE& handle : handles) {
      const Resource* const resource = Any();
      if (resource == nullptr) return;
      handle = ToDxgi(resource);
    }
    static_cast<void>(runtime_.DxgiRotate(handles));
  }

  Bytes bytes_;
  swapchain::Runtime& runtime_;
  std::vector<std::unique_ptr<Resource>> resources_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Machine machine;
  Bytes bytes({data, size});
  TANDEM_SHIM_HOST host =
      swapchain::MakeShimHost(machine.render, processor::ProcessorOpenAdapter10_2, processor::ProcessorOpenAdapter10_2);
  host.Size = bytes.Take<std::uint8_t>() % 2 == 0 ? sizeof(host) : bytes.Take<ULONG>();
  if (FAILED(shim::SetShimHost(&host))) return 0;
  OpenAnyhow(bytes);
  auto opened = swapchain::RuntimeDevice::Create({machine.display, &Open, "fuzzed", {}, 0});
  if (!opened.ok()) std::abort();
  Program((bytes), (*opened)->runtime()).Run();
  opened->reset();
  for (const LUID adapter : {machine.render, machine.display}) {
    const auto violation = machine.kernel->Violation(adapter);
    if (violation.ok() && violation->empty()) continue;
    std::fprintf(stderr, "%s\n", violation.ok() ? violation->c_str() : "The adapter is gone.");
    std::abort();
  }
  return 0;
}
