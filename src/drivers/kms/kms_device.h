// A card of the kernel's mode setting for the bus: the target of a DEVICE_OBJECT's DeviceExtension, and its entry point.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/dma_buf.h"
#include "base/result.h"
#include "outputs/output.h"

#include <dispmprt.h>

namespace tandem::kms {

// The state of one target, and how its frames were shown.
struct ScreenState {
  outputs::OutputStatus status;        // lost: the card is gone
  std::string connector;               // "HDMI-A-1"
  bool connected = true;               // false: unplugged; the kernel retires frames unseen until a display is there
  bool writes_back = false;            // the card can write what the target shows into memory
  std::int64_t refresh_period_ns = 0;  // of the mode; > 0
  std::uint64_t direct_frames = 0;     // planes read the frame's own memory
  std::uint64_t composed_frames = 0;   // the processor wrote the frame into a picture of the mode's size
  std::uint64_t written_bytes = 0;     // by the processor, for composed frames
  std::string why_composed;            // of the last composed frame; empty: none was
};

// The screens of one card, from the system's side: target N is screen N. Thread-safe. The driver and the system share it.
class Screens {
 public:
  virtual ~Screens() = default;
  // Those of the running adapter; 0 before its first start.
  [[nodiscard]] virtual std::uint32_t count() const = 0;
  // Lost for a screen that does not exist.
  [[nodiscard]] virtual ScreenState StateOf(std::uint32_t target) const = 0;
  // Reports the pictures of a target that its card writes back, one for each frame that is shown, to `output`; null ends it. The
  // frames slow down to the write-backs' rate. Takes effect when the adapter starts. False for a target that no card has.
  virtual bool Watch(std::uint32_t target, std::shared_ptr<outputs::Output> output) = 0;
  // Has Linux take a target's display for unplugged, or look for it again, and say so to all who listen. The display is looked
  // for when the adapter stops, too. False for a target that does not exist, and without root's rights.
  virtual bool Force(std::uint32_t target, bool plugged) = 0;
};
[[nodiscard]] std::shared_ptr<Screens> CreateScreens();

// The virtual bus's description of one device for the miniport. Must stay valid until RemoveDevice returns.
struct DeviceDescription {
  std::string card;                           // as ParseCardName takes it: "kms:card1:HDMI-A-1"
  std::shared_ptr<Screens> screens;           // of CreateScreens
  std::shared_ptr<DmaBufSource> memory;       // of resources that cross to the adapter; null: memfds
  std::uint32_t most_tier = 3;                // cross-adapter tier that is not exceeded; the card decides what is below
  std::uint64_t most_local_memory_bytes = 0;  // 0: four primaries of the largest mode
  std::uint64_t aperture_bytes = 4ULL << 30;  // size of the aperture segment (address space, not memory)
  bool dithers = false;                       // colours that copies reduce from more than eight bits to eight
};

// Registers the miniport with DxgkInitialize. The user-mode half is the processor's.
extern "C" NTSTATUS KmsDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path);

}  // namespace tandem::kms
