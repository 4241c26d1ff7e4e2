// A display driver of the Direct3D 9 class behind the translation: the soft adapter's, which misbehaves on request and counts.
#pragma once

#include <atomic>
#include <cstdint>

#include <d3d10umddi.h>
#include <d3dumddi.h>

namespace tandem::swapchain_test {

enum class Class9Fault : std::uint8_t {
  kNone,
  kOpenAdapterFails,
  kNoAdapterHandle,    // OpenAdapter answers S_OK and leaves the runtime's handle
  kNoCreateDevice,     // the adapter's table has no CreateDevice
  kCreateDeviceFails,  // after the driver created a context
  kNoPresent,          // the device's table has no Present
  kOwnDeviceHandle,    // CreateResource calls pfnAllocateCb with the driver's own device handle
  kOwnResourceHandle,  // CreateResource calls pfnAllocateCb with the driver's own resource handle
  kPresentsNothing,    // Present answers S_OK and calls nothing
  kPresentsUnasked,    // CreateResource calls pfnPresentCb
  kFreesNothing,       // DestroyResource and DestroyDevice call nothing back
};

// Applies to adapters opened afterwards; one test at a time.
extern std::atomic<Class9Fault> class9_fault;
// True: the adapter shows A8R8G8B8 alone.
extern std::atomic<bool> class9_shows_eight_bits;

// Calls that succeeded, of the driver unless said otherwise, since the program began.
struct Class9Counts {
  std::uint32_t adapters_opened = 0, adapters_closed = 0;
  std::uint32_t devices_created = 0, devices_destroyed = 0;
  std::uint32_t resources_made = 0, resources_destroyed = 0;   // created or opened
  std::uint32_t contexts_created = 0, contexts_destroyed = 0;  // calls that reached the runtime
  std::uint32_t resources_freed = 0;                           // as well: by pfnDeallocateCb
  HRESULT callback_answer = S_OK;                              // to the last faulty callback
};
[[nodiscard]] const Class9Counts& CountsOfClass9();

// The translation's tables for the last adapter and device, as the runtime has them.
[[nodiscard]] const DXGI1_3_DDI_BASE_FUNCTIONS& TranslatedDxgi();

extern "C" HRESULT OpenClass9Display(D3D10DDIARG_OPENADAPTER* args);

}  // namespace tandem::swapchain_test
