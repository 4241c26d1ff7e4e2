#include "kernel/feature/feature_registry.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tandem::kernel {

Result<FeatureRegistry> FeatureRegistry::Create(std::span<const Feature> rows) {
  if (rows.size() > kUnknown) {
    return Fail(ErrorKind::kLimit, "{} features pass the limit of {}.", rows.size(), kUnknown);
  }
  FeatureRegistry registry(rows);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const Feature& row = rows[index];
    const std::size_t slot = SlotOf(row.id);
    if (slot >= registry.by_id_.size()) {
      return Fail(ErrorKind::kInvalidArgument, "Feature {}: Id {:#x} is outside {} categories of {} sub-ids.", row.name,
                  static_cast<UINT>(row.id), kCategories, kSubIds);
    }
    if (registry.by_id_[slot] != kUnknown) {
      return Fail(ErrorKind::kInvalidArgument, "Feature {}: Id {:#x} is that of {} already.", row.name, static_cast<UINT>(row.id),
                  rows[registry.by_id_[slot]].name);
    }
    registry.by_id_[slot] = static_cast<std::uint8_t>(index);
  }
  for (const Feature& row : rows) {
    if (Result<void> checked = registry.CheckRow(row); !checked.ok()) return std::move(checked).error();
  }
  std::vector<std::size_t> chain;
  std::vector<bool> done(rows.size());
  for (std::size_t index = 0; index < rows.size(); ++index) {
    if (Result<void> checked = registry.CheckCircles(index, chain, done); !checked.ok()) return std::move(checked).error();
  }
  return registry;
}

Result<void> FeatureRegistry::CheckRow(const Feature& row) const {
  const bool no_versions = row.versions.min == 0 && row.versions.max == 0;
  if (row.versions.empty() && (row.supported || !no_versions)) {
    return Fail(ErrorKind::kInvalidArgument, "Feature {}: Versions {} to {} are no range.", row.name, row.versions.min,
                row.versions.max);
  }
  if (row.global && row.driver) {
    return Fail(ErrorKind::kInvalidArgument, "Feature {} is global and needs a driver.", row.name);
  }
  if (row.before_initialization && !row.global) {
    return Fail(ErrorKind::kInvalidArgument, "Feature {} is asked before initialization and is not global.", row.name);
  }
  for (const DXGK_FEATURE_ID id : row.depends_on) {
    const std::size_t index = IndexOf(id);
    if (index == kUnknown) {
      return Fail(ErrorKind::kInvalidArgument, "Feature {} depends on {:#x}, which is not there.", row.name,
                  static_cast<UINT>(id));
    }
    if (row.global && !at(index).global) {
      return Fail(ErrorKind::kInvalidArgument, "Feature {} is global and depends on {}, which is an adapter's.", row.name,
                  at(index).name);
    }
  }
  for (const FeatureInterfaceSize& size : row.interfaces) {
    if (row.versions.Has(size.version) && std::max(size.driver_bytes, size.kernel_bytes) <= kMaxFeatureInterfaceBytes &&
        size.driver_bytes % sizeof(void*) == 0) {
      continue;
    }
    return Fail(ErrorKind::kInvalidArgument,
                "Feature {}: The interfaces of version {} have {} and {} bytes; versions are {} to {}, bytes at most {}.",
                row.name, size.version, size.driver_bytes, size.kernel_bytes, row.versions.min, row.versions.max,
                kMaxFeatureInterfaceBytes);
  }
  return {};
}

// Depth first; `chain` is the way from a root to here.
Result<void> FeatureRegistry::CheckCircles(std::size_t index, std::vector<std::size_t>& chain, std::vector<bool>& done) const {
  if (done[index]) return {};
  const auto seen = std::ranges::find(chain, index);
  if (seen != chain.end()) {
    std::string circle;
    for (auto link = seen; link != chain.end(); ++link) circle += std::string(at(*link).name) + " -> ";
    return Fail(ErrorKind::kInvalidArgument, "Features depend on themselves: {}{}.", circle, at(index).name);
  }
  chain.push_back(index);
  for (const DXGK_FEATURE_ID id : at(index).depends_on) {
    if (Result<void> checked = CheckCircles(IndexOf(id), chain, done); !checked.ok()) return checked;
  }
  chain.pop_back();
  done[index] = true;
  return {};
}

}  // namespace tandem::kernel
