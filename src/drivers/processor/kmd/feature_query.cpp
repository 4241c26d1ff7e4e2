// The processor's DXGKDDI_FEATURE_INTERFACE.
#include "drivers/processor/kmd/feature_query.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "drivers/processor/kmd/ddi.h"

namespace tandem::processor {
namespace {

struct OfferedInterface {
  const void* functions = nullptr;  // null: this version has none
  USHORT bytes = 0;
};

// Found by id and not by position, so that a header with other features needs no other table.
struct OfferedFeature {
  DXGK_FEATURE_ID id{};
  DXGK_FEATURE_VERSION min = 0;
  DXGK_FEATURE_VERSION max = 0;
  std::span<const OfferedInterface> interfaces;  // of version `min` and on
};

constexpr DXGKDDIINT_FEATURE_SAMPLE_4 kSample4 = {ProcessorSampleAddValue};
constexpr DXGKDDIINT_FEATURE_SAMPLE_5 kSample5 = {ProcessorSampleAddValue, ProcessorSampleSubtractValue};
constexpr OfferedInterface kSampleInterfaces[] = {{}, {&kSample4, sizeof(kSample4)}, {&kSample5, sizeof(kSample5)}};

constexpr OfferedFeature kOffered[] = {
    {DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, 1, 1, {}},
    {DXGK_FEATURE_SAMPLE, 3, 5, kSampleInterfaces},
};

const OfferedFeature* FindOffered(DXGK_FEATURE_ID id) {
  const auto found = std::ranges::find(kOffered, id, &OfferedFeature::id);
  return found == std::end(kOffered) ? nullptr : &*found;
}

bool IsFeatureInterface(const GUID& type) { return std::memcmp(&type, &GUID_WDDM_INTERFACE_FEATURE, sizeof(type)) == 0; }

// The driver lives as long as its adapters.
VOID NoReference(PVOID /*context*/) {}

}  // namespace

NTSTATUS ProcessorQueryFeatureSupport(HANDLE /*adapter*/, DXGKARG_QUERYFEATURESUPPORT* args) {
  args->SupportedByDriver = FALSE;
  args->SupportedOnCurrentConfig = FALSE;
  args->MinSupportedVersion = 0;
  args->MaxSupportedVersion = 0;
  const OfferedFeature* const offered = FindOffered(args->FeatureId);
  if (offered == nullptr) return STATUS_SUCCESS;
  args->SupportedByDriver = TRUE;
  args->SupportedOnCurrentConfig = TRUE;
  args->MinSupportedVersion = offered->min;
  args->MaxSupportedVersion = offered->max;
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorQueryFeatureInterface(HANDLE /*adapter*/, DXGKARG_QUERYFEATUREINTERFACE* args) {
  const USHORT room = std::exchange(args->InterfaceSize, USHORT{0});
  const OfferedFeature* const offered = FindOffered(args->FeatureId);
  if (offered == nullptr) return STATUS_NOT_SUPPORTED;
  if (args->Version < offered->min || args->Version > offered->max) return STATUS_INVALID_PARAMETER;
  const std::size_t index = args->Version - offered->min;
  if (index >= offered->interfaces.size() || offered->interfaces[index].functions == nullptr) return STATUS_INVALID_PARAMETER;
  const OfferedInterface& found = offered->interfaces[index];
  if (room < found.bytes) return STATUS_BUFFER_TOO_SMALL;
  std::memcpy(args->Interface, found.functions, found.bytes);
  std::memset(static_cast<std::byte*>(args->Interface) + found.bytes, 0, room - found.bytes);
  args->InterfaceSize = found.bytes;
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorQueryInterface(CONST PVOID context, PQUERY_INTERFACE query) {
  if (!IsFeatureInterface(*query->InterfaceType) || query->Version != DXGK_FEATURE_INTERFACE_VERSION_1) {
    return STATUS_NOT_SUPPORTED;
  }
  if (query->Size < sizeof(DXGKDDI_FEATURE_INTERFACE)) return STATUS_BUFFER_TOO_SMALL;
  auto& out = *reinterpret_cast<DXGKDDI_FEATURE_INTERFACE*>(query->Interface);
  out.Size = sizeof(out);
  out.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  out.Context = context;
  out.InterfaceReference = NoReference;
  out.InterfaceDereference = NoReference;
  out.QueryFeatureSupport = ProcessorQueryFeatureSupport;
  out.QueryFeatureInterface = ProcessorQueryFeatureInterface;
  return STATUS_SUCCESS;
}

}  // namespace tandem::processor
