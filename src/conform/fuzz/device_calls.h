// A script's calls on D3DKMT devices and their surfaces, which it knows by the numbers of slots.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "conform/fuzz/call_script.h"
#include "conform/user_device.h"

#include <wddm_status.h>

namespace tandem::conform {

// Threads: one.
class DeviceCalls {
 public:
  // Into an empty slot.
  void Open(std::uint64_t slot, std::unique_ptr<UserDevice> user) { devices_[slot].user = std::move(user); }
  // STATUS_INVALID_HANDLE: the slot is empty.
  NTSTATUS Close(std::uint64_t slot);
  // Null: the slot is empty.
  [[nodiscard]] const UserDevice* Find(std::uint64_t slot) const;
  // A call whose first number is a device's slot. STATUS_INVALID_HANDLE for an empty slot: an exception takes longer than most
  // calls. Throws UserDevice's exceptions.
  NTSTATUS Play(const CallStep& step);

 private:
  using Numbers = std::array<std::uint64_t, kMostFields>;
  struct OpenDevice {
    std::unique_ptr<UserDevice> user;
    std::map<std::uint64_t, Surface> surfaces;
  };

  // A surface that any device shares; null for none.
  [[nodiscard]] const Surface* FindShared(std::uint64_t slot) const;
  // The driver's own private data, cut or lengthened, with the step's data in its place.
  static NTSTATUS Create(OpenDevice& device, const CallStep& step);
  static NTSTATUS PresentFlags(OpenDevice& device, const Numbers& n);
  static NTSTATUS Render(OpenDevice& device, const CallStep& step);

  std::map<std::uint64_t, OpenDevice> devices_;
};

}  // namespace tandem::conform
