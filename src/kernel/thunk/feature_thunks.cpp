// D3DKMT*: features.
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

// No adapter for a global feature, an adapter for every other one.
NTSTATUS IsFeatureEnabled(System& system, D3DKMT_ISFEATUREENABLED& data) {
  data.Result = {};
  if (data.hAdapter == 0) return system.features().QueryWithoutAdapter(data.FeatureId, data.Result);
  const HandleRef<AdapterObject> adapter(system.handles(), data.hAdapter);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*adapter->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  return adapter->unit->adapter().features().QueryOfAdapter(data.FeatureId, data.Result);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTIsFeatureEnabled(D3DKMT_ISFEATUREENABLED* data) {
  return InThunk(data, [&](System& system) { return IsFeatureEnabled(system, *data); });
}
