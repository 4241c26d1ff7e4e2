// Drivers with false declarations, answers or reports.
#include <atomic>

#include "color/yuv.h"
#include "drivers/processor/adapter_data.h"
#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

std::atomic<int> calls{0};

// Changes the answer of QueryAdapterInfo for one type.
template <DXGK_QUERYADAPTERINFOTYPE kType, class Answer, void (*change)(Answer&)>
NTSTATUS QueryInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
  const NTSTATUS status = SoundTable().DxgkDdiQueryAdapterInfo(adapter, query);
  if (query->Type == kType && NT_SUCCESS(status)) change(*static_cast<Answer*>(query->pOutputData));
  return status;
}
template <void (*change)(DXGK_DRIVERCAPS&)>
void Declare(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiQueryAdapterInfo = &QueryInfo<DXGKQAITYPE_DRIVERCAPS, DXGK_DRIVERCAPS, change>;
}
// Changes the data for the user-mode half.
template <std::uint32_t kTier>
void SetTier(processor::AdapterData& data) {
  data.cross_adapter_tier = kTier;
}
template <std::uint32_t kTier>
void TellUserMode(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiQueryAdapterInfo = &QueryInfo<DXGKQAITYPE_UMDRIVERPRIVATE, processor::AdapterData, &SetTier<kTier>>;
}

void NoTextures(DXGK_DRIVERCAPS& caps) { caps.MemoryManagementCaps.CrossAdapterResourceTexture = 0; }
void IntegratedWithoutScanOut(DXGK_DRIVERCAPS& caps) {
  caps.HybridIntegrated = TRUE;
  caps.MemoryManagementCaps.CrossAdapterResourceScanout = 0;
}
void NoScanOut(DXGK_DRIVERCAPS& caps) { caps.MemoryManagementCaps.CrossAdapterResourceScanout = 0; }
void CopiesAlone(DXGK_DRIVERCAPS& caps) {
  caps.MemoryManagementCaps.CrossAdapterResourceScanout = 0;
  caps.MemoryManagementCaps.CrossAdapterResourceTexture = 0;
}

NTSTATUS RefuseStaticChecks(HANDLE adapter, DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* check) {
  const NTSTATUS status = SoundTable().DxgkDdiCheckMultiPlaneOverlaySupport3(adapter, check);
  if (check->PlaneCount == 1 && check->ppPlanes[0]->PlaneAttributes.Flags.StaticCheck != 0) check->Supported = FALSE;
  return status;
}

NTSTATUS DescribeNoAperture(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
  const NTSTATUS status = SoundTable().DxgkDdiQueryAdapterInfo(adapter, query);
  if (query->Type != DXGKQAITYPE_QUERYSEGMENT4) return status;
  auto* const out = static_cast<DXGK_QUERYSEGMENTOUT4*>(query->pOutputData);
  out->PagingBufferSegmentId = 0;
  for (UINT i = 0; out->pSegmentDescriptor != nullptr && i < out->NbSegment; ++i) {
    reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out->pSegmentDescriptor + i * out->SegmentDescriptorStride)->Flags.Aperture = 0;
  }
  return status;
}

NTSTATUS DescribeNarrowRows(HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
  const NTSTATUS status = SoundTable().DxgkDdiGetStandardAllocationDriverData(adapter, args);
  if (args->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE) args->pCreateShadowSurfaceData->Pitch = 4;
  return status;
}

NTSTATUS StartThreeTimes(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children) {
  if (++calls > 3) return STATUS_UNSUCCESSFUL;
  return SoundTable().DxgkDdiStartDevice(context, info, kernel, sources, children);
}

NTSTATUS LeakContexts(HANDLE device, DXGKARG_CREATECONTEXT* args) {
  return ++calls > 20 ? STATUS_NO_MEMORY : SoundTable().DxgkDdiCreateContext(device, args);
}

DXGKRNL_INTERFACE render_callbacks;  // callbacks of the adapter started first

NTSTATUS KeepTheCallbacks(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources,
                          PULONG children) {
  if (++calls == 1) render_callbacks = *kernel;
  return SoundTable().DxgkDdiStartDevice(context, info, kernel, sources, children);
}
VOID TellInTheDpc(const PVOID context) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  render_callbacks.DxgkCbNotifyInterrupt(render_callbacks.DeviceHandle, &data);
  SoundTable().DxgkDdiDpcRoutine(context);
}

BOOLEAN ClaimNoInterrupt(const PVOID context, ULONG message) {
  static_cast<void>(SoundTable().DxgkDdiInterruptRoutine(context, message));
  return FALSE;
}

NTSTATUS BelievePrivateData(HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
  static_cast<void>(SoundTable().DxgkDdiCreateAllocation(adapter, args));
  return STATUS_SUCCESS;
}

NTSTATUS AnswerNonsense(HANDLE context, DXGKARG_RENDER* args) {
  return NT_SUCCESS(SoundTable().DxgkDdiRender(context, args)) ? STATUS_SUCCESS : STATUS_NOT_FOUND;
}

NTSTATUS RefuseTheReset(HANDLE adapter) {
  static_cast<void>(SoundTable().DxgkDdiResetFromTimeout(adapter));
  return STATUS_UNSUCCESSFUL;
}
// The engine continues work that the kernel considers aborted.
NTSTATUS AbortSomethingElse(HANDLE adapter, DXGKARG_RESETENGINE* args) {
  const NTSTATUS status = SoundTable().DxgkDdiResetEngine(adapter, args);
  args->LastAbortedFenceId += 1000;
  return status;
}

NTSTATUS WriteBehindTheEscape(HANDLE adapter, const DXGKARG_ESCAPE* args) {
  static_cast<BYTE*>(args->pPrivateDriverData)[args->PrivateDriverDataSize] ^= 0xFF;
  return SoundTable().DxgkDdiEscape(adapter, args);
}

}  // namespace

std::vector<BrokenDriver> DriversThatLie() {
  using Table = DRIVER_INITIALIZATION_DATA;
  std::vector<BrokenDriver> liars{
      {"ScansOutWithoutTextures", "CrossAdapter.Tiers", &Declare<&NoTextures>, "CrossAdapterTierSuperset", SeenBy::kKernel},
      {"LacksAnAperture", "CrossAdapter.Tiers", [](Table& table) { table.DxgkDdiQueryAdapterInfo = &DescribeNoAperture; },
       "CrossAdapterAperture: CrossAdapterResource is set"},
      {"IsIntegratedWithoutScanOut", "CrossAdapter.HybridIntegrated", &Declare<&IntegratedWithoutScanOut>,
       "HybridIntegratedScanout", SeenBy::kKernel},
      {"LacksTheOverlayCheck", "CrossAdapter.OverlayCheck",
       [](Table& table) { table.DxgkDdiCheckMultiPlaneOverlaySupport3 = nullptr; }, "ScanoutCheckOverlay", SeenBy::kKernel},
      {"RefusesStaticChecks", "CrossAdapter.OverlayCheck",
       [](Table& table) { table.DxgkDdiCheckMultiPlaneOverlaySupport3 = &RefuseStaticChecks; }, "with StaticCheck is refused"},
      {"RefusesStaticChecks", "CrossAdapter.PrimaryCheck",
       [](Table& table) { table.DxgkDdiCheckMultiPlaneOverlaySupport3 = &RefuseStaticChecks; }, "with StaticCheck"},
      {"RefusesStaticChecks", "CrossAdapter.Nv12",
       [](Table& table) { table.DxgkDdiCheckMultiPlaneOverlaySupport3 = &RefuseStaticChecks; }, "A primary of NV12"},
      {"OptsOutOfScanOut", "CrossAdapter.Primary", &TellUserMode<2>, "NO_SCANOUT"},
      {"ScansOutUndeclared", "CrossAdapter.UserModeTier", &Declare<&NoScanOut>, "declares tier 2"},
      {"TexturesUndeclared", "CrossAdapter.UserModeTier", &Declare<&CopiesAlone>, "CrossAdapterRowMajorTextureSupported"},
      {"LacksSharedTextures", "CrossAdapter.Texture", &TellUserMode<0>, "views is refused"},
      {"DescribesNarrowRows", "Standard.Surfaces",
       [](Table& table) { table.DxgkDdiGetStandardAllocationDriverData = &DescribeNarrowRows; }, "pitch of a shadow surface"},
      {"StartsThreeTimes", "LifeCycle.Restart", [](Table& table) { table.DxgkDdiStartDevice = &StartThreeTimes; },
       "does not start"},
      {"LeaksContexts", "LifeCycle.AnyOrder", [](Table& table) { table.DxgkDdiCreateContext = &LeakContexts; },
       "D3DKMTCreateContext"},
      {"TellsInTheDpc", "Interrupt.Level",
       [](Table& table) {
         table.DxgkDdiStartDevice = &KeepTheCallbacks;
         table.DxgkDdiDpcRoutine = &TellInTheDpc;
       },
       "NotifyInterruptAtDirql", SeenBy::kKernel},
      {"ClaimsNoInterrupt", "Interrupt.Level", [](Table& table) { table.DxgkDdiInterruptRoutine = &ClaimNoInterrupt; },
       "InterruptClaim", SeenBy::kKernel},
      {"RefusesTheReset", "Recovery.Adapter", [](Table& table) { table.DxgkDdiResetFromTimeout = &RefuseTheReset; }, "MayNotFail",
       SeenBy::kKernel},
      {"AbortsSomethingElse", "Recovery.Engine", [](Table& table) { table.DxgkDdiResetEngine = &AbortSomethingElse; },
       "LastAbortedFenceId", SeenBy::kKernel},
      {"BelievesPrivateData", "Hostile.PrivateData", [](Table& table) { table.DxgkDdiCreateAllocation = &BelievePrivateData; },
       "CreateAllocation.hAllocation", SeenBy::kKernel},
      {"AnswersNonsense", "Hostile.Commands", [](Table& table) { table.DxgkDdiRender = &AnswerNonsense; }, "Render.Status",
       SeenBy::kKernel},
      {"WritesBehindTheEscape", "Hostile.Escape", [](Table& table) { table.DxgkDdiEscape = &WriteBehindTheEscape; },
       "writes behind them"},
  };
  if constexpr (!color::kHasYuv420)
    std::erase_if(liars, [](const BrokenDriver& liar) { return liar.rule == "CrossAdapter.Nv12"; });
  return liars;
}

}  // namespace tandem::conform
