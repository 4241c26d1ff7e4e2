#include "kernel/memory/standard_surface.h"

#include <fmt/core.h>

#include "kernel/memory/ddi_call.h"
#include "kernel/memory/limits.h"

namespace tandem::kernel {
namespace {

// DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA points to the member of its type.
union SurfaceData {
  D3DKMDT_SHAREDPRIMARYSURFACEDATA primary;
  D3DKMDT_SHADOWSURFACEDATA shadow;
  D3DKMDT_STAGINGSURFACEDATA staging;
  D3DKMDT_GDISURFACEDATA gdi;
};

struct Question {
  D3DKMDT_STANDARDALLOCATION_TYPE type;
  SurfaceData data;
};

Question GdiSurface(UINT width, UINT height, D3DDDIFORMAT format, D3DKMDT_GDISURFACETYPE type, UINT pitch) {
  Question question{D3DKMDT_STANDARDALLOCATION_GDISURFACE, {}};
  question.data.gdi = {width, height, format, type, {}, pitch};
  return question;
}

Question ToQuestion(const StandardSurfaceRequest& request) {
  const auto& [type, width, height, format, source] = request;
  switch (type) {
    case StandardSurface::kSharedPrimary: {
      Question question{D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE, {}};
      question.data.primary = {width, height, format, {}, source};
      return question;
    }
    case StandardSurface::kShadow: {
      Question question{D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE, {}};
      question.data.shadow = {width, height, format, 0};
      return question;
    }
    case StandardSurface::kStaging: {
      Question question{D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE, {}};
      question.data.staging = {width, height, 0};
      return question;
    }
    case StandardSurface::kTexture: return GdiSurface(width, height, format, D3DKMDT_GDISURFACE_TEXTURE, 0);
    case StandardSurface::kCrossAdapterTexture: break;
  }
  return GdiSurface(width, height, format, D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER, 0);
}

UINT PitchOf(const Question& answered) {
  switch (answered.type) {
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE: return answered.data.shadow.Pitch;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: return answered.data.staging.Pitch;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE: return answered.data.gdi.Pitch;
    default: return 0;
  }
}

// A row of bytes, which has no format, has no pitch.
bool HasAlignedPitch(const Question& question) {
  return question.type == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
         question.data.gdi.Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER && question.data.gdi.Format != D3DDDIFMT_UNKNOWN;
}

// Asks twice: for the sizes, then for the data.
NTSTATUS Ask(Adapter& adapter, const Question& question, StandardSurfaceData& out) {
  const auto function = adapter.ddi().DxgkDdiGetStandardAllocationDriverData;
  Question answered = question;
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = question.type;
  args.pCreateGdiSurfaceData = &answered.data.gdi;
  NTSTATUS status = CallDdi(adapter, Ddi::kGetStandardAllocationDriverData, function, adapter.miniport_context(), &args);
  if (!NT_SUCCESS(status)) return status;
  if (args.AllocationPrivateDriverDataSize > kMaxPrivateDataBytes || args.ResourcePrivateDriverDataSize > kMaxPrivateDataBytes) {
    adapter.ReportViolation(
        "GetStandardAllocationDriverData.Size",
        fmt::format("Private data of {} and {} bytes pass the limit of {}.", args.AllocationPrivateDriverDataSize,
                    args.ResourcePrivateDriverDataSize, kMaxPrivateDataBytes));
    return STATUS_DEVICE_REMOVED;
  }
  out.allocation_data.resize(args.AllocationPrivateDriverDataSize);
  out.resource_data.resize(args.ResourcePrivateDriverDataSize);
  args.pAllocationPrivateDriverData = out.allocation_data.empty() ? nullptr : out.allocation_data.data();
  args.pResourcePrivateDriverData = out.resource_data.empty() ? nullptr : out.resource_data.data();
  if (args.pAllocationPrivateDriverData != nullptr || args.pResourcePrivateDriverData != nullptr) {
    answered = question;
    status = CallDdi(adapter, Ddi::kGetStandardAllocationDriverData, function, adapter.miniport_context(), &args);
    if (!NT_SUCCESS(status)) return status;
  }
  out.pitch = PitchOf(answered);
  if (!HasAlignedPitch(question) || out.pitch % D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT == 0) return STATUS_SUCCESS;
  adapter.ReportViolation("CrossAdapterAllocation.Pitch", fmt::format("Pitch {} is not a multiple of {}.", out.pitch,
                                                                      D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT));
  return STATUS_DEVICE_REMOVED;
}

}  // namespace

NTSTATUS DescribeCrossAdapterSurface(Adapter& adapter, const SurfaceDescription& surface, UINT pitch, StandardSurfaceData& out) {
  return Ask(adapter, GdiSurface(surface.width, surface.height, surface.format, D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER, pitch),
             out);
}

NTSTATUS DescribeStandardSurface(Adapter& adapter, const StandardSurfaceRequest& request, StandardSurfaceData& out) {
  return Ask(adapter, ToQuestion(request), out);
}

}  // namespace tandem::kernel
