// The soft adapter's user-mode driver beneath the shim, twice: what it is asked is counted, and on request it breaks the
// contract.
#pragma once

#include <cstdint>

#include <d3d10umddi.h>

namespace tandem::shim_test {

enum class Fault : std::uint8_t {
  kNone,
  kFailsToOpen,
  kOpensWithoutFunctions,
  kFailsAtDevice,
  kTalksBackAtOpen,     // calls the runtime by the callbacks that the display driver got
  kTalksBackAtPresent,  // the same, while it copies a frame
  kAnswersLate,         // returns from pfnPresent and calls pfnPresentCb when the device goes
};

// One of the two drivers. Reset() before each test; one device at a time.
struct Partner {
  Fault fault = Fault::kNone;
  int adapters_opened = 0;
  int adapters_closed = 0;
  int devices_made = 0;
  int devices_destroyed = 0;
  D3DKMT_HANDLE context = 0;        // of the last device
  HRESULT late_answer = S_OK;       // of kAnswersLate
  HRESULT talk_back_answer = S_OK;  // of kTalksBack*

  [[nodiscard]] bool closed() const { return adapters_opened == adapters_closed && devices_made == devices_destroyed; }
};

extern Partner display_partner;
extern Partner render_partner;

extern "C" HRESULT DisplayPartnerOpenAdapter(D3D10DDIARG_OPENADAPTER* args);
extern "C" HRESULT RenderPartnerOpenAdapter(D3D10DDIARG_OPENADAPTER* args);

}  // namespace tandem::shim_test
