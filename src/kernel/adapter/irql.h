// The interrupt request level that the calling thread pretends to run at. User mode has no IRQL: it is a number for each thread,
// set while a DDI runs, and the callbacks compare themselves with it.
#pragma once

#include <d3dkmddi.h>

namespace tandem::kernel {

namespace internal {
inline constinit thread_local KIRQL current_irql = PASSIVE_LEVEL;
}  // namespace internal

// PASSIVE_LEVEL on a thread that is in no DDI.
[[nodiscard]] inline KIRQL CurrentIrql() { return internal::current_irql; }

// Runs the scope at `irql`, then returns to the level before. One scope lies inside another.
class IrqlScope {
 public:
  explicit IrqlScope(KIRQL irql) : previous_(internal::current_irql) { internal::current_irql = irql; }
  ~IrqlScope() { internal::current_irql = previous_; }
  IrqlScope(const IrqlScope&) = delete;
  IrqlScope& operator=(const IrqlScope&) = delete;

 private:
  KIRQL previous_;
};

}  // namespace tandem::kernel
