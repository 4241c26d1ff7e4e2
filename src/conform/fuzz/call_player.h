// Plays a script's calls on a driver.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conform/fuzz/call_script.h"
#include "conform/fuzz/run_notes.h"

#include <wddm_status.h>

namespace tandem::conform {

class CallPlayer {
 public:
  // Stops the device and unloads the driver.
  virtual ~CallPlayer() = default;
  // The status that the kernel or the driver answered. Throws std::exception's heirs for calls that could not be made.
  virtual NTSTATUS Play(const CallStep& step) = 0;
  // The rules that the adapters' drivers broke so far, a sentence each. The first stops its adapter.
  [[nodiscard]] virtual std::vector<std::string> Broken() = 0;
  // Stops the device and unloads the driver, as the destructor does. Returns a sentence for a call of it that does not return:
  // the player must stay then. Only destroyed afterwards.
  [[nodiscard]] virtual std::vector<std::string> End() = 0;
};

// Plays the steps until one breaks a rule, and notes how far it came. `edges` are DriverUnderTest::edges. Returns the broken
// rules.
[[nodiscard]] std::vector<std::string> Play(const CallScript& script, CallPlayer& player, std::span<std::uint8_t> edges,
                                            RunNotes& notes);

}  // namespace tandem::conform
