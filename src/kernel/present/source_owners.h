// The devices that own VidPn sources, and the ones that used them last.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "kernel/submit/device.h"
#include "kernel/submit/limits.h"

namespace tandem::kernel {

// Devices are compared and never used. Threads: any.
class SourceOwners {
 public:
  // With `owned` false `device` gives the source up. STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER when another device has it.
  [[nodiscard]] NTSTATUS Set(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device, bool owned) {
    std::atomic<const Device*>& owner = sources_[vidpn_source].owner;
    const Device* expected = owned ? nullptr : &device;
    if (owner.compare_exchange_strong(expected, owned ? &device : nullptr)) return STATUS_SUCCESS;
    return (owned ? expected == &device : expected == nullptr) ? STATUS_SUCCESS : STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER;
  }
  // `device` gives all of its sources up.
  void Release(const Device& device) {
    for (Source& source : sources_) {
      const Device* expected = &device;
      source.owner.compare_exchange_strong(expected, nullptr);
    }
  }
  // STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER when the source belongs to another device.
  [[nodiscard]] NTSTATUS Check(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device) const {
    const Device* const owner = sources_[vidpn_source].owner.load(std::memory_order_acquire);
    return owner == nullptr || owner == &device ? STATUS_SUCCESS : STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER;
  }

  // `device` flips to the source, or sets its mode.
  void NoteUse(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device) {
    sources_[vidpn_source].user.store(&device, std::memory_order_release);
  }
  // True, and nobody is the last user any more, when `device` used the source last.
  [[nodiscard]] bool TakeUse(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device) {
    const Device* expected = &device;
    return sources_[vidpn_source].user.compare_exchange_strong(expected, nullptr);
  }

 private:
  struct Source {
    std::atomic<const Device*> owner{nullptr};
    std::atomic<const Device*> user{nullptr};
  };

  std::array<Source, kMaxFlipSources> sources_;
};

}  // namespace tandem::kernel
