// D3DKMT*: adapters.
#include <algorithm>
#include <cstring>

#include "kernel/memory/ddi_call.h"
#include "kernel/memory/limits.h"
#include "kernel/thunk/adapter_names.h"
#include "kernel/thunk/adapter_open.h"
#include "kernel/thunk/private_data.h"
#include "kernel/thunk/tdr_escape.h"

namespace tandem::kernel {
namespace {

constexpr ULONG kMostAdapters = 34;  // what Windows 11 answers to who asks how many there may be

// Opens each listed adapter. `count`: on entry the elements of `infos`, on return the adapters; without `infos`, the most.
NTSTATUS Enumerate(System& system, AdapterList list, ULONG& count, D3DKMT_ADAPTERINFO* infos) {
  const auto units = ListedUnits(system, list);
  const ULONG room = count;
  count = static_cast<ULONG>(units.size());
  if (infos == nullptr) {
    count = std::max(count, kMostAdapters);
    return STATUS_SUCCESS;
  }
  if (room < units.size()) return STATUS_BUFFER_TOO_SMALL;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const D3DKMT_HANDLE handle = OpenUnit(system, units[i]);
    if (handle == 0) {
      for (std::size_t opened = 0; opened < i; ++opened) {
        static_cast<void>(system.handles().Close(infos[opened].hAdapter, HandleType::kAdapter));
      }
      return STATUS_INSUFFICIENT_RESOURCES;
    }
    infos[i] = {handle, units[i]->description().luid, units[i]->description().vidpn_sources, FALSE};
  }
  return STATUS_SUCCESS;
}

// Writes a struct of the size that the query's type has.
template <class T>
NTSTATUS Answer(const D3DKMT_QUERYADAPTERINFO& query, const T& answer) {
  if (query.pPrivateDriverData == nullptr || query.PrivateDriverDataSize < sizeof(T)) return STATUS_INVALID_PARAMETER;
  std::memcpy(query.pPrivateDriverData, &answer, sizeof(T));
  return STATUS_SUCCESS;
}

NTSTATUS QueryDriverPrivate(Adapter& adapter, const D3DKMT_QUERYADAPTERINFO& query) {
  if (query.PrivateDriverDataSize > kMaxPrivateDataBytes) return STATUS_INVALID_PARAMETER;
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
  args.pOutputData = query.pPrivateDriverData;
  args.OutputDataSize = query.PrivateDriverDataSize;
  return CallDdi(adapter, Ddi::kQueryAdapterInfo, adapter.ddi().DxgkDdiQueryAdapterInfo, adapter.miniport_context(),
                 static_cast<const DXGKARG_QUERYADAPTERINFO*>(&args));
}

// An adapter whose nodes all do something else (copies, video) renders nothing. Older drivers do not describe their nodes.
bool Renders(Adapter& adapter) {
  const auto ask = adapter.ddi().DxgkDdiGetNodeMetadata;
  if (ask == nullptr) return true;
  for (UINT node = 0; node < adapter.node_count(); ++node) {
    DXGKARG_GETNODEMETADATA metadata{};
    const NTSTATUS status = CallDdi(adapter, Ddi::kGetNodeMetadata, ask, adapter.miniport_context(), node, &metadata);
    if (!NT_SUCCESS(status) || metadata.EngineType == DXGK_ENGINE_TYPE_3D || metadata.EngineType == DXGK_ENGINE_TYPE_OTHER)
      return true;
  }
  return false;
}

D3DKMT_ADAPTERTYPE TypeOf(Adapter& adapter) {
  D3DKMT_ADAPTERTYPE type{};
  type.RenderSupported = Renders(adapter) ? 1u : 0u;
  type.DisplaySupported = adapter.vidpn_source_count() != 0 ? 1u : 0u;
  type.HybridDiscrete = adapter.caps().HybridDiscrete ? 1u : 0u;
  type.HybridIntegrated = adapter.caps().HybridIntegrated ? 1u : 0u;
  type.ComputeOnly = adapter.caps().MiscCaps.ComputeOnly;
  return type;
}

D3DKMT_SEGMENTSIZEINFO SegmentSizes(Adapter& adapter) {
  D3DKMT_SEGMENTSIZEINFO sizes{};
  for (const SegmentDescription& segment : adapter.segments()) {
    (segment.aperture ? sizes.SharedSystemMemorySize : sizes.DedicatedVideoMemorySize) += segment.size;
  }
  return sizes;
}

// DXGK_WDDMVERSION has the digits of D3DKMT_DRIVERVERSION in hexadecimal.
D3DKMT_DRIVERVERSION VersionOf(Adapter& adapter) {
  const auto version = static_cast<UINT>(adapter.caps().WDDMVersion);
  const UINT decimal = (version >> 12 & 15) * 1000 + (version >> 8 & 15) * 100 + (version >> 4 & 15) * 10 + (version & 15);
  return static_cast<D3DKMT_DRIVERVERSION>(decimal);
}

// A source that was never lit has no pixels and no rotation.
NTSTATUS QueryDisplayMode(AdapterInstance& unit, const D3DKMT_QUERYADAPTERINFO& query) {
  D3DKMT_CURRENTDISPLAYMODE mode{};
  if (query.pPrivateDriverData == nullptr || query.PrivateDriverDataSize < sizeof(mode)) return STATUS_INVALID_PARAMETER;
  std::memcpy(&mode, query.pPrivateDriverData, sizeof(mode));
  if (mode.VidPnSourceId >= unit.adapter().vidpn_source_count() || mode.VidPnSourceId >= kMaxFlipSources)
    return STATUS_INVALID_PARAMETER;
  const SourceMode committed = unit.presenter().modes().ModeOf(mode.VidPnSourceId).value_or(SourceMode{});
  std::memset(&mode.DisplayMode, 0, sizeof(mode.DisplayMode));  // clang warns of an assignment: its enumeration has a sign
  mode.DisplayMode.Width = committed.width;
  mode.DisplayMode.Height = committed.height;
  mode.DisplayMode.Format = committed.format;
  mode.DisplayMode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  mode.DisplayMode.DisplayOrientation = committed.rotation;
  return Answer(query, mode);
}

// Zeros: no bus told the kernel about the device, and a vendor's user-mode driver finds no adapter of its own.
NTSTATUS QueryDeviceIds(const D3DKMT_QUERYADAPTERINFO& query) {
  D3DKMT_QUERY_DEVICE_IDS ids{};
  if (query.pPrivateDriverData == nullptr || query.PrivateDriverDataSize < sizeof(ids)) return STATUS_INVALID_PARAMETER;
  std::memcpy(&ids.PhysicalAdapterIndex, query.pPrivateDriverData, sizeof(ids.PhysicalAdapterIndex));
  return ids.PhysicalAdapterIndex == 0 ? Answer(query, ids) : STATUS_INVALID_PARAMETER;
}

NTSTATUS Query(AdapterInstance& unit, const D3DKMT_QUERYADAPTERINFO& query) {
  Adapter& adapter = unit.adapter();
  switch (query.Type) {
    case KMTQAITYPE_UMDRIVERPRIVATE: return QueryDriverPrivate(adapter, query);
    case KMTQAITYPE_ADAPTERTYPE:
    case KMTQAITYPE_ADAPTERTYPE_RENDER: return Answer(query, TypeOf(adapter));
    case KMTQAITYPE_CHECKDRIVERUPDATESTATUS:
    case KMTQAITYPE_CHECKDRIVERUPDATESTATUS_RENDER: return Answer(query, BOOL{FALSE});
    case KMTQAITYPE_GETSEGMENTSIZE: return Answer(query, SegmentSizes(adapter));
    case KMTQAITYPE_CURRENTDISPLAYMODE: return QueryDisplayMode(unit, query);
    case KMTQAITYPE_DRIVERVERSION:
    case KMTQAITYPE_DRIVERVERSION_RENDER: return Answer(query, VersionOf(adapter));
    case KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT: {
      const auto tier = static_cast<D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER>(unit.description().cross_adapter_tier);
      return Answer(query, D3DKMT_CROSSADAPTERRESOURCE_SUPPORT{tier});
    }
    case KMTQAITYPE_WDDM_1_3_CAPS: {
      D3DKMT_WDDM_1_3_CAPS caps{};
      caps.SupportCrossAdapterResource = adapter.caps().MemoryManagementCaps.CrossAdapterResource;
      caps.IsHybridDiscreteGPU = adapter.caps().HybridDiscrete ? 1u : 0u;
      caps.IsHybridIntegratedGPU = adapter.caps().HybridIntegrated ? 1u : 0u;
      return Answer(query, caps);
    }
    case KMTQAITYPE_PHYSICALADAPTERCOUNT: return Answer(query, D3DKMT_PHYSICAL_ADAPTER_COUNT{1});
    case KMTQAITYPE_PHYSICALADAPTERDEVICEIDS: return QueryDeviceIds(query);
    case KMTQAITYPE_ADAPTERREGISTRYINFO:
    case KMTQAITYPE_ADAPTERREGISTRYINFO_RENDER:
    case KMTQAITYPE_DRIVER_DESCRIPTION:
    case KMTQAITYPE_DRIVER_DESCRIPTION_RENDER: return QueryAdapterNames(unit, query);
    default: return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS PassEscape(System& system, const D3DKMT_ESCAPE& escape) {
  const HandleRef<AdapterObject> adapter(system.handles(), escape.hAdapter);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  AdapterInstance& unit = *adapter->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  if (escape.Type != D3DKMT_ESCAPE_DRIVERPRIVATE) return TdrEscape(unit, escape);
  if (!IsPrivateData(escape.pPrivateDriverData, escape.PrivateDriverDataSize)) return STATUS_INVALID_PARAMETER;
  DXGKARG_ESCAPE args{};
  args.Flags = escape.Flags;
  args.pPrivateDriverData = escape.pPrivateDriverData;
  args.PrivateDriverDataSize = escape.PrivateDriverDataSize;
  const HandleRef<DeviceObject> device(system.handles(), escape.hDevice);
  const HandleRef<ContextObject> context(system.handles(), escape.hContext);
  if ((escape.hDevice != 0 && (!device || device->unit.get() != &unit || device->device == nullptr)) ||
      (escape.hContext != 0 && (!context || context->device->unit.get() != &unit || context->context == nullptr))) {
    return STATUS_INVALID_PARAMETER;
  }
  if (device) args.hDevice = device->device->driver_handle();
  if (context) args.hContext = context->context->queue().driver_context;
  return CallDdi(unit.adapter(), Ddi::kEscape, unit.adapter().ddi().DxgkDdiEscape, unit.adapter().miniport_context(),
                 static_cast<const DXGKARG_ESCAPE*>(&args));
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTEnumAdapters2(D3DKMT_ENUMADAPTERS2* data) {
  return InThunk(data, [&](System& system) { return Enumerate(system, AdapterList::kAll, data->NumAdapters, data->pAdapters); });
}

// Without a flag an adapter that only computes is left out. Display-only adapters are in no enumeration of this kernel.
NTSTATUS APIENTRY D3DKMTEnumAdapters3(D3DKMT_ENUMADAPTERS3* data) {
  return InThunk(data, [&](System& system) {
    if (data->Filter.Reserved != 0) return STATUS_INVALID_PARAMETER;
    const auto list = data->Filter.IncludeComputeOnly ? AdapterList::kAll : AdapterList::kNoComputeOnly;
    return Enumerate(system, list, data->NumAdapters, data->pAdapters);
  });
}

NTSTATUS APIENTRY D3DKMTOpenAdapterFromLuid(D3DKMT_OPENADAPTERFROMLUID* data) {
  return InThunk(data, [&](System& system) {
    const auto unit = system.FindUnit(data->AdapterLuid);
    if (unit == nullptr) return STATUS_NO_SUCH_DEVICE;
    data->hAdapter = OpenUnit(system, unit);
    return data->hAdapter != 0 ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
  });
}

NTSTATUS APIENTRY D3DKMTCloseAdapter(CONST D3DKMT_CLOSEADAPTER* data) {
  return InThunk(data, [&](System& system) {
    return system.handles().Close(data->hAdapter, HandleType::kAdapter) != nullptr ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
  });
}

NTSTATUS APIENTRY D3DKMTQueryAdapterInfo(CONST D3DKMT_QUERYADAPTERINFO* data) {
  return InThunk(data, [&](System& system) {
    const HandleRef<AdapterObject> adapter(system.handles(), data->hAdapter);
    if (!adapter) return STATUS_INVALID_PARAMETER;
    const AdapterGuard guard(*adapter->unit);
    return guard.alive() ? Query(*adapter->unit, *data) : STATUS_DEVICE_REMOVED;
  });
}

NTSTATUS APIENTRY D3DKMTEscape(CONST D3DKMT_ESCAPE* data) {
  return InThunk(data, [&](System& system) { return PassEscape(system, *data); });
}
