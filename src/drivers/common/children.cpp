#include "drivers/common/children.h"

namespace tandem::drivers {

NTSTATUS QueryChildRelations(std::uint32_t targets, DXGK_CHILD_DEVICE_HPD_AWARENESS awareness, DXGK_CHILD_DESCRIPTOR* children,
                             ULONG bytes) {
  if (bytes < (targets + 1) * sizeof(DXGK_CHILD_DESCRIPTOR)) return STATUS_BUFFER_TOO_SMALL;
  for (std::uint32_t child = 0; child < targets; ++child) {
    children[child] = {};
    children[child].ChildDeviceType = TypeVideoOutput;
    children[child].ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_OTHER;
    children[child].ChildCapabilities.HpdAwareness = awareness;
    children[child].ChildUid = child;
  }
  children[targets] = {};
  return STATUS_SUCCESS;
}

NTSTATUS QueryChildStatus(std::uint32_t targets, DXGK_CHILD_STATUS& status) {
  if (status.ChildUid >= targets) return STATUS_INVALID_PARAMETER;
  if (status.Type != StatusConnection) return STATUS_NOT_SUPPORTED;
  status.HotPlug.Connected = TRUE;
  return STATUS_SUCCESS;
}

}  // namespace tandem::drivers
