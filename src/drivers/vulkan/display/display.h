// The display side of an adapter: one head, and so one target, for each connector.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/pass_meter.h"
#include "base/result.h"
#include "color/blit.h"
#include "drivers/common/vidpn.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {

// Threads: SetAddress at any IRQL; SetVisible at PASSIVE_LEVEL; Copy, Turns, Keeps, ShowAgain and Forget any.
class Display {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // Sets the register for a vertical blank of a target that shows `address`. Called under the head's lock, so that a later
    // flip finds it. RaiseVerticalBlank then raises the interrupt without the lock. Thread of the head.
    virtual void SetVerticalBlank(std::uint32_t target, std::uint64_t address) = 0;
    virtual void RaiseVerticalBlank() = 0;
    // Withdraws a blank that was not read yet: a flip to the same address was programmed, and the blank would complete it too
    // early. Called under the head's lock, where the interrupt routine cannot run (flips at DIRQL).
    virtual void WithdrawVerticalBlank(std::uint32_t target, std::uint64_t address) = 0;
  };

  // kUnsupported when the device cannot present to window systems.
  [[nodiscard]] static Result<std::unique_ptr<Display>> Create(Gpu& gpu, Owner& owner, std::shared_ptr<WsiConnectors> connectors);
  virtual ~Display() = default;

  [[nodiscard]] virtual std::uint32_t source_count() const = 0;
  // The targets that show a source, the primary one first; other sources lose them. At first target N shows source N.
  // PASSIVE_LEVEL, level 2.
  virtual void Connect(std::uint32_t source, std::span<const drivers::PathTarget> targets) = 0;
  // Turns one target from its next frame on. PASSIVE_LEVEL, level 2.
  virtual void Turn(const drivers::PathTarget& target) = 0;
  // True if a target of the source rotates its picture. The processor rotates, so it must see the rows.
  [[nodiscard]] virtual bool Turns(std::uint32_t source) = 0;
  // Copies rows to the next image of the window system on each target of the primary's source. Blocks until the pixels were
  // read, or dropped because a window takes none. The passes count for `meter`. Null `meter`: the rows are the primary's own
  // picture, which stays until it is forgotten. Then only the rectangles are copied, the flip copies the image's missing rows,
  // and the passes count for the connector (WsiConnectors::Counters).
  virtual void Copy(const CopyCommand& command, PassMeter* meter) = 0;
  // True if a frame of the primary is on a screen, or was copied for one. Such a frame must be copied again when its colours
  // change.
  [[nodiscard]] virtual bool Keeps(const Allocation& primary) = 0;
  // Shows the copied frame of a primary that is on the screen, without a flip.
  virtual void ShowAgain(const Allocation& primary) = 0;
  // Sets the surface to show from now on; a vertical blank reports when a target shows it. The primary target does at its
  // vertical blank, unless `immediate`; the others at once, so that no second window slows the first one down.
  virtual void SetAddress(std::uint32_t source, const Allocation* primary, std::uint64_t address, bool immediate) = 0;
  virtual void SetVisible(std::uint32_t source, bool visible) = 0;
  // Enables reports of vertical blanks; initially off.
  virtual void EnableInterrupts(bool enable) = 0;
  // The position of a virtual beam that draws a frame from one vertical blank to the next.
  struct Beam {
    std::uint32_t line = 0;
    bool in_vertical_blank = false;
  };
  [[nodiscard]] virtual Beam BeamOf(std::uint32_t target) = 0;
  // Drops all references to the allocation, which is about to be destroyed.
  virtual void Forget(const Allocation& allocation) = 0;
};

}  // namespace tandem::vulkan
