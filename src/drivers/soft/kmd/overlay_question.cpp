#include "drivers/soft/kmd/overlay_question.h"

#include <array>
#include <span>

#include "color/blit.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/processor/kmd/plane_question.h"
#include "drivers/soft/kmd/display_controller.h"
#include "drivers/soft/kmd/soft_display.h"

namespace tandem::soft {
namespace {

// The planes of one source that can be shown so far, lowest first.
struct Stack {
  std::array<processor::ScanOutPlane, processor::kMaxScanOutPlanes> planes;
  std::uint32_t count = 0;
  std::uint64_t bytes = 0;  // read from system memory for each refresh of each target
};

// What the controller turns for a target it holds in its own memory.
bool IsTurned(processor::Device& device, SoftDisplay& display, std::uint32_t source) {
  bool turned = false;
  device.ForEachTarget(source, [&](std::uint32_t target, bool) {
    turned = turned || display.scan_out(target).rotation() != color::Rotation::kIdentity;
  });
  return turned;
}

class Question {
 public:
  Question(processor::Device& device, SoftDisplay& display) : device_(device), display_(display) {}

  [[nodiscard]] bool Add(const processor::Allocation& allocation, std::uint32_t source, processor::ScanOutPlane& plane) {
    const bool shared = (allocation.data.flags & processor::kAllocationCrossAdapter) != 0;
    if (shared && IsTurned(device_, display_, source)) return false;
    plane.surface.address = shared ? processor::kApertureBase : processor::kLocalBase;  // for what it costs
    Stack& stack = stacks_[source];
    const bool twin = stack.count != 0 && stack.planes[stack.count - 1].layer == plane.layer;
    if (twin || stack.count == stack.planes.size() || !CanStack(plane, std::span(stack.planes).first(stack.count))) return false;
    stack.planes[stack.count++] = plane;
    stack.bytes += SystemBytes(plane);
    return HasBandwidth();
  }

 private:
  // For each target, beside what the sources that are not asked about read now. Nothing is reserved by asking.
  [[nodiscard]] bool HasBandwidth() {
    const std::uint64_t limit = display_.description().scan_out_bytes_per_second;
    if (limit == 0) return true;
    std::uint64_t demand = 0;
    bool from_shared = false;
    for (std::uint32_t source = 0; source < device_.source_count(); ++source) {
      const Stack& stack = stacks_[source];
      from_shared = from_shared || stack.bytes != 0;
      device_.ForEachTarget(source, [&](std::uint32_t number, bool) {
        ScanOut& target = display_.scan_out(number);
        demand += stack.count == 0 ? target.BytesPerSecond()
                                   : stack.bytes * 1'000'000'000 / static_cast<std::uint64_t>(target.RefreshPeriodNs());
      });
    }
    return !from_shared || demand <= limit;
  }

  processor::Device& device_;
  SoftDisplay& display_;
  std::array<Stack, kMaxVidPnSources> stacks_;
};

}  // namespace

std::optional<UINT> FirstRefusedPlane(processor::Device& device, SoftDisplay& display,
                                      const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check) {
  Question question(device, display);
  return processor::FirstRefusedPlane(
      device, check, [&](const processor::Allocation& allocation, std::uint32_t source, processor::ScanOutPlane& plane) {
        return question.Add(allocation, source, plane);
      });
}

}  // namespace tandem::soft
