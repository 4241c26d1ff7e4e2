// The devices that own VidPn sources, and the ones that used them last.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "kernel/submit/device.h"
#include "kernel/submit/limits.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// Devices are compared and never used. Threads: any.
class SourceOwners {
 public:
  // Windows answers so: STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE when another device has the source, or this one wants it shared, for
  // the desktop shares each source that nobody has; STATUS_INVALID_PARAMETER for a change of an owner's type, from EXCLUSIVE to
  // SHARED too, and for EXCLUSIVEGDI. UNOWNED gives the source up, and changes nothing for others than the owner.
  [[nodiscard]] NTSTATUS Set(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device,
                             D3DKMT_VIDPNSOURCEOWNER_TYPE type);
  // `device` gives all of its sources up.
  void Release(const Device& device);
  // STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER when the source belongs to another device.
  [[nodiscard]] NTSTATUS Check(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, const Device& device) const {
    const Owner owner(sources_[vidpn_source].owner.load(std::memory_order_acquire));
    return owner.device() == nullptr || owner.device() == &device ? STATUS_SUCCESS : STATUS_GRAPHICS_NOT_EXCLUSIVE_MODE_OWNER;
  }
  // A device has the source for itself.
  [[nodiscard]] bool IsExclusive(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const {
    return Owner(sources_[vidpn_source].owner.load(std::memory_order_acquire)).type() == D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE;
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
  // A device and its type in one word; a device's address leaves its lower bits 0.
  class Owner {
   public:
    explicit Owner(std::uintptr_t word) : word_(word) {}
    Owner(const Device& device, D3DKMT_VIDPNSOURCEOWNER_TYPE type)
        : word_(reinterpret_cast<std::uintptr_t>(&device) | static_cast<std::uintptr_t>(type)) {}
    [[nodiscard]] std::uintptr_t word() const { return word_; }
    [[nodiscard]] const Device* device() const { return reinterpret_cast<const Device*>(word_ & ~kTypeMask); }
    [[nodiscard]] D3DKMT_VIDPNSOURCEOWNER_TYPE type() const {
      return static_cast<D3DKMT_VIDPNSOURCEOWNER_TYPE>(word_ & kTypeMask);
    }

   private:
    static constexpr std::uintptr_t kTypeMask = 7;
    static_assert(alignof(Device) > kTypeMask && D3DKMT_VIDPNSOURCEOWNER_EMULATED <= kTypeMask);
    std::uintptr_t word_;
  };

  struct Source {
    std::atomic<std::uintptr_t> owner{0};
    std::atomic<const Device*> user{nullptr};
  };

  std::array<Source, kMaxFlipSources> sources_;
};

}  // namespace tandem::kernel
