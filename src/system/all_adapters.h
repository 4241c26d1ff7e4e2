// The machine's adapters all at once, for programs that call the kernel themselves.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "system/graphics.h"
#include "system/started_adapter.h"

namespace tandem::system {

class AllAdapters {
 public:
  // Starts every Vulkan device and the soft adapter, in the order that users see. An adapter that fails to start is left out, and
  // the log says why. Cards stay untouched, because a card that is opened takes the screen. Errors: those of the kernel's start
  // and of the feature file.
  [[nodiscard]] static Result<std::unique_ptr<AllAdapters>> Start();

 private:
  explicit AllAdapters(std::unique_ptr<Graphics> graphics) : graphics_(std::move(graphics)) {}

  const std::unique_ptr<Graphics> graphics_;
  std::vector<std::unique_ptr<StartedAdapter>> started_;
};

}  // namespace tandem::system
