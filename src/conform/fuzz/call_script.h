// A sequence of calls into the kernel's outer doors, for a driver behind them: as a value and as text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::conform {

enum class Call : std::uint8_t {
  // Calls of a display-only driver.
  kMode,
  kPresent,
  // Calls of either driver, and what its device does.
  kInterrupt,
  kRegister,
  kEscape,
  kChildStatus,
  kVisible,
  kPause,
  kGamma,
  kRecommend,
  kPointerShape,
  kPointerMove,
  // Calls of a full driver.
  kDevice,
  kCloseDevice,
  kCreate,
  kDestroy,
  kOpen,
  kLock,
  kCopy,
  kFill,
  kFlip,
  kPresentFlags,
  kSetMode,
  kRender,
  kFinish,
  kTargets,
  kPalette,
  kStandard,
  kPreempt,
  kFence,
  kReset,
  kFeatures,
  kCount,
};

// The kind of random values that a field gets.
enum class FieldKind : std::uint8_t { kNone, kSwitch, kSlot, kSmall, kExtent, kCoordinate, kFlags, kFormat, kBytes, kAny };

struct CallField {
  std::string_view name;
  FieldKind kind = FieldKind::kNone;
};

inline constexpr std::size_t kMostFields = 8;

enum class CallSide : std::uint8_t { kDisplayOnly, kBoth, kFull };

struct CallForm {
  std::string_view name;
  CallSide side;
  bool has_data;
  std::array<CallField, kMostFields> fields;  // kNone behind the last one
};

[[nodiscard]] const CallForm& FormOf(Call call);

struct CallStep {
  Call call = Call::kPause;
  std::array<std::uint64_t, kMostFields> numbers{};  // in the order of the form's fields
  std::vector<std::byte> data;
  friend bool operator==(const CallStep&, const CallStep&) = default;
};

// The device that a driver runs on.
enum class ScriptDevice : std::uint8_t { kBus, kFramebuffer, kVirtioGpu, kVirtioGpuOnLine, kQxl };

struct CallScript {
  ScriptDevice device = ScriptDevice::kBus;
  std::vector<CallStep> steps;
  friend bool operator==(const CallScript&, const CallScript&) = default;
};

inline constexpr std::size_t kMostSteps = 65536;
inline constexpr std::size_t kMostStepData = 64 * 1024;  // bytes

// A line for each step, such as "escape flags=0x1 data=00ff". `remarks` become lines that begin with "# ".
[[nodiscard]] std::string ToText(const CallScript& script, std::span<const std::string> remarks);
// kInvalidArgument with the line and the reason.
[[nodiscard]] Result<CallScript> ParseScript(std::string_view text);

}  // namespace tandem::conform
