#include "layer/workarounds.h"

#include <string_view>

#include "base/log.h"
#include "system/driver_faults.h"

namespace tandem::layer {
namespace {

struct Row {
  std::string_view engine;
  bool Workarounds::*wanted;
  std::string_view fault;  // DriverFault::id
};

constexpr Row kRows[] = {
    {"mesa zink", &Workarounds::quiet_presents, "zink-resize"},
};

}  // namespace

Workarounds WorkaroundsFor(const VkApplicationInfo* application) {
  Workarounds found;
  if (application == nullptr || application->pEngineName == nullptr) return found;
  for (const Row& row : kRows) {
    if (row.engine != application->pEngineName) continue;
    found.*row.wanted = true;
    const system::DriverFault& fault = system::DriverFaultOf(row.fault);
    Log(LogLevel::kInfo, "The engine is '{}'. {} {}", row.engine, fault.fails, fault.answer);
  }
  return found;
}

}  // namespace tandem::layer
