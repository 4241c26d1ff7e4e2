#include "kernel/present/source_owners.h"

namespace tandem::kernel {

NTSTATUS SourceOwners::Set(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device, D3DKMT_VIDPNSOURCEOWNER_TYPE type) {
  const bool known = type == D3DKMT_VIDPNSOURCEOWNER_UNOWNED || type == D3DKMT_VIDPNSOURCEOWNER_SHARED ||
                     type == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE || type == D3DKMT_VIDPNSOURCEOWNER_EMULATED;
  if (!known) return STATUS_INVALID_PARAMETER;
  std::atomic<std::uintptr_t>& word = sources_[vidpn_source].owner;
  const bool gives_up = type == D3DKMT_VIDPNSOURCEOWNER_UNOWNED;
  std::uintptr_t before = word.load();
  do {
    const Owner owner(before);
    const bool own = owner.device() == &device;
    if (gives_up && !own) return STATUS_SUCCESS;
    if (!own && owner.device() != nullptr) return STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE;
    const bool exclusive = own && owner.type() == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE;
    if (type == D3DKMT_VIDPNSOURCEOWNER_SHARED && !exclusive) return STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE;
    if (own && !gives_up && owner.type() != type) return STATUS_INVALID_PARAMETER;
  } while (!word.compare_exchange_weak(before, gives_up ? 0 : Owner(device, type).word()));
  return STATUS_SUCCESS;
}

void SourceOwners::Release(const Device& device) {
  for (Source& source : sources_) {
    std::uintptr_t before = source.owner.load();
    while (Owner(before).device() == &device && !source.owner.compare_exchange_weak(before, 0)) {
    }
  }
}

}  // namespace tandem::kernel
