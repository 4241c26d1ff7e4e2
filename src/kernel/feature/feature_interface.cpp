// The interfaces of enabled features, both ways.
#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "base/status_name.h"
#include "kernel/feature/adapter_features.h"
#include "kernel/feature/feature_rules.h"

namespace tandem::kernel {
namespace {

constexpr std::size_t kGuardBytes = 64;
constexpr std::byte kUnwritten{0x5A};

// Buffer that the driver writes into, with a guard behind it.
struct GuardedBuffer {
  alignas(void*) std::array<std::byte, kMaxFeatureInterfaceBytes + kGuardBytes> bytes;
  GuardedBuffer() { bytes.fill(kUnwritten); }
};

const FeatureInterfaceSize* SizeOf(const Feature& feature, DXGK_FEATURE_VERSION version) {
  const auto found = std::ranges::find(feature.interfaces, version, &FeatureInterfaceSize::version);
  return found == feature.interfaces.end() ? nullptr : &*found;
}

// A buffer for the driver fits every version of the feature, so that the tail of the smaller ones is seen.
std::uint16_t LargestDriverBytes(const Feature& feature) {
  std::uint16_t largest = 0;
  for (const FeatureInterfaceSize& size : feature.interfaces) largest = std::max(largest, size.driver_bytes);
  return largest;
}

// The rule that the driver's answer breaks, and how; null when it breaks none.
struct Finding {
  const char* rule = nullptr;
  std::string seen;
};
Finding Examine(const DXGKARG_QUERYFEATUREINTERFACE& asked, const DXGKARG_QUERYFEATUREINTERFACE& answered, NTSTATUS status,
                const GuardedBuffer& buffer, std::uint16_t expected) {
  const std::span<const std::byte> all(buffer.bytes);
  if (!std::ranges::all_of(all.subspan(asked.InterfaceSize), [](std::byte b) { return b == kUnwritten; })) {
    return {rules::kFeatureInterfaceOverrun, fmt::format("bytes behind the {} of the buffer were written.", asked.InterfaceSize)};
  }
  if (answered.FeatureId != asked.FeatureId || answered.Version != asked.Version || answered.Interface != asked.Interface) {
    return {rules::kFeatureInterfaceInput, "FeatureId, Version or Interface was changed."};
  }
  if (!NT_SUCCESS(status)) {
    return {rules::kFeatureInterfaceRefused,
            fmt::format("{} came back for a version that the driver offered.", StatusText(status))};
  }
  if (answered.InterfaceSize != expected) {
    return {rules::kFeatureInterfaceSize,
            fmt::format("InterfaceSize came back as {}; the interface has {} bytes.", answered.InterfaceSize, expected)};
  }
  if (!std::ranges::all_of(all.subspan(expected, asked.InterfaceSize - expected), [](std::byte b) { return b == std::byte{}; })) {
    return {rules::kFeatureInterfaceTail, fmt::format("bytes {} to {} are not zero.", expected, asked.InterfaceSize - 1)};
  }
  for (std::size_t offset = 0; offset < expected; offset += sizeof(void*)) {
    void* function = nullptr;
    std::memcpy(&function, buffer.bytes.data() + offset, sizeof(function));
    if (function == nullptr) return {rules::kFeatureInterfaceFunctions, fmt::format("the function at {} is null.", offset)};
  }
  return {};
}

}  // namespace

NTSTATUS AdapterFeatures::QueryKernelInterface(DXGKARGCB_QUERYFEATUREINTERFACE& args) {
  const std::size_t size = std::exchange(args.InterfaceSize, USHORT{0});
  const std::size_t index = registry_.IndexOf(args.FeatureId);
  if (index == FeatureRegistry::kUnknown || registry_.at(index).global || args.Interface == nullptr) {
    return STATUS_INVALID_PARAMETER;
  }
  if (Query(args.FeatureId).Enabled == 0) return STATUS_NOT_SUPPORTED;
  const FeatureInterfaceSize* const known = SizeOf(registry_.at(index), args.Version);
  if (!slots_[index].common.Has(args.Version) || known == nullptr || known->kernel_bytes == 0) return STATUS_INVALID_PARAMETER;
  if (size < known->kernel_bytes) return STATUS_BUFFER_TOO_SMALL;
  const std::span<const std::byte> bytes = driver_.KernelInterface(args.FeatureId, args.Version);
  TANDEM_CHECK(bytes.size() == known->kernel_bytes);
  auto* const out = static_cast<std::byte*>(args.Interface);
  std::memcpy(out, bytes.data(), bytes.size());
  std::memset(out + bytes.size(), 0, size - bytes.size());
  args.InterfaceSize = known->kernel_bytes;
  return STATUS_SUCCESS;
}

Result<AdapterFeatures::Interface> AdapterFeatures::DriverInterface(DXGK_FEATURE_ID id) {
  const std::size_t index = registry_.IndexOf(id);
  const DXGK_ISFEATUREENABLED_RESULT state = Query(id);
  if (state.Enabled == 0 || registry_.at(index).global) {
    return Fail(ErrorKind::kUnsupported, "Feature {:#x} is not enabled; only enabled features have an interface.",
                static_cast<UINT>(id));
  }
  const Feature& feature = registry_.at(index);
  const Turn turn(*this);
  Slot& slot = slots_[index];
  if (slot.driver_interface) return *slot.driver_interface;
  Interface made;
  made.version = state.Version;
  const FeatureInterfaceSize* const known = SizeOf(feature, state.Version);
  if (known != nullptr && known->driver_bytes != 0 && driver_.has_interface()) {
    GuardedBuffer buffer;
    const DXGKARG_QUERYFEATUREINTERFACE asked{id, state.Version, LargestDriverBytes(feature), buffer.bytes.data()};
    DXGKARG_QUERYFEATUREINTERFACE args = asked;
    const NTSTATUS status = driver_.QueryFeatureInterface(args);
    if (const Finding finding = Examine(asked, args, status, buffer, known->driver_bytes); finding.rule != nullptr) {
      const std::string seen = fmt::format("{}, version {}: {}", feature.name, state.Version, finding.seen);
      driver_.ReportViolation(finding.rule, seen);
      return Fail(ErrorKind::kInternal, "{}: {}", finding.rule, seen);
    }
    made.size = known->driver_bytes;
    std::memcpy(made.bytes.data(), buffer.bytes.data(), made.size);
  }
  slot.driver_interface = made;
  return made;
}

}  // namespace tandem::kernel
