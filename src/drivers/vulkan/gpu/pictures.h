// Rows that stand for an allocation's pixels: what a primary holds, what a window shows of it, and scratch rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "color/blit.h"
#include "drivers/vulkan/gpu/host_buffer.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

class Allocation;

// The memory of the rows that hold a primary's pixels.
enum class RowsPlace : std::uint8_t {
  kSystem,  // visible to the processor
  kDevice,  // the device's own memory, which the processor need not see
};

// Each is a surface of kind kLinear, made at first use. Threads: the worker of the node whose turn it is.
class Pictures {
 public:
  explicit Pictures(const Allocation& allocation) : allocation_(allocation) {}
  ~Pictures();
  Pictures(const Pictures&) = delete;
  Pictures& operator=(const Pictures&) = delete;

  // The pixels of a primary, at first where the processor sees them. kOutOfMemory.
  Result<Allocation*> Shadow();
  [[nodiscard]] RowsPlace shadow_place() const { return shadow_place_; }
  // True once the device had no memory for the shadow.
  [[nodiscard]] bool device_refused() const { return device_refused_; }
  // Makes the shadow at `place`, black, or moves it there, by the node's queue. Calls `forget` with the rows that go. Blocks.
  // kOutOfMemory, kDeviceLost: the shadow stays at its place.
  Result<void> PlaceShadow(RowsPlace place, std::uint32_t node, const std::function<void(const Allocation&)>& forget);
  // The picture of a primary with a palette, in colours. kOutOfMemory.
  Result<Allocation*> Colored();
  // Rows for a primary's picture in that rotation. One caller at a time. kOutOfMemory.
  Result<Allocation*> Turned(color::Rotation rotation);
  // Rows that the processor sees while it works on pixels that it does not see; shaders of an image use them, too. kOutOfMemory.
  Result<Rows> Scratch();

  // Calls `use(rows)` for each picture that was made.
  template <class Use>
  void ForEach(Use&& use) const {
    for (const Allocation* rows :
         {shadow_.get(), colored_.get(), turned_[0].get(), turned_[1].get(), turned_[2].get(), turned_[3].get()}) {
      if (rows != nullptr) use(*rows);
    }
  }

 private:
  const Allocation& allocation_;
  std::unique_ptr<HostBuffer> scratch_;
  std::unique_ptr<Allocation> shadow_;
  RowsPlace shadow_place_ = RowsPlace::kSystem;
  bool device_refused_ = false;
  std::unique_ptr<Allocation> colored_;
  std::array<std::unique_ptr<Allocation>, 4> turned_;  // by rotation
};

}  // namespace tandem::vulkan
