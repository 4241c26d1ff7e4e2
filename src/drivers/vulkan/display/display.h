// The display side of an adapter: one head, which is a target, for each socket of its connector.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/pass_meter.h"
#include "base/result.h"
#include "color/blit.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {

// Threads: SetAddress and SetVisible at any IRQL; Copy, Turns, Keeps, ShowAgain and Forget any.
class Display {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // A vertical blank of a target that shows `address`, in two steps: the register is set under the head's lock, so that a flip
    // that is programmed from then on finds it, and the interrupt is raised without. Thread of the head.
    virtual void SetVerticalBlank(std::uint32_t target, std::uint64_t address) = 0;
    virtual void RaiseVerticalBlank() = 0;
    // What was not read yet is not read: a flip to the same address is programmed, and would be taken for done. Under the head's
    // lock, where the interrupt routine cannot run (flips at DIRQL).
    virtual void WithdrawVerticalBlank(std::uint32_t target, std::uint64_t address) = 0;
  };

  // kUnsupported when the device cannot present to window systems.
  [[nodiscard]] static Result<std::unique_ptr<Display>> Create(Gpu& gpu, Owner& owner, std::shared_ptr<WsiConnector> connector);
  virtual ~Display() = default;

  [[nodiscard]] virtual std::uint32_t source_count() const = 0;
  // The targets that show a source, 1 or more, each turned by an offset; no other source is shown on them any more. At first
  // target N shows source N. PASSIVE_LEVEL, level 2.
  struct Target {
    std::uint32_t id = 0;
    color::Rotation offset = color::Rotation::kIdentity;
  };
  virtual void Connect(std::uint32_t source, std::span<const Target> targets) = 0;
  // A target of the source turns what it shows: the processor's work, for rows that it sees.
  [[nodiscard]] virtual bool Turns(std::uint32_t source) = 0;
  // Copies rows into what the window system shows next on each target of the primary's source. Blocks until the pixels have been
  // read, or were dropped because the window takes none. The passes count for `meter`. Null: the rows are the primary's own
  // picture, which stays until it is forgotten; the rectangles alone are copied, what else an image lacks is copied by the flip,
  // and the passes count for the socket (WsiConnector::Counters).
  virtual void Copy(const CopyCommand& command, PassMeter* meter) = 0;
  // A frame of the primary is on a screen or was copied to be: it must be copied again when its colours change.
  [[nodiscard]] virtual bool Keeps(const Allocation& primary) = 0;
  // Shows what was copied for a primary that is on the screen without a flip of its own.
  virtual void ShowAgain(const Allocation& primary) = 0;
  // The surface to show from now on; reported by a vertical blank when it is.
  virtual void SetAddress(std::uint32_t source, const Allocation* primary, std::uint64_t address, bool immediate) = 0;
  virtual void SetVisible(std::uint32_t source, bool visible) = 0;
  // Whether vertical blanks are reported. Not at first.
  virtual void EnableInterrupts(bool enable) = 0;
  // Where a beam would be that draws a frame from one vertical blank to the next.
  struct Beam {
    std::uint32_t line = 0;
    bool in_vertical_blank = false;
  };
  [[nodiscard]] virtual Beam BeamOf(std::uint32_t target) = 0;
  // The allocation goes: drops what refers to it.
  virtual void Forget(const Allocation& allocation) = 0;
};

}  // namespace tandem::vulkan
