// The features that a kernel knows, checked once and found by id in constant time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "kernel/feature/feature.h"

namespace tandem::kernel {

// Immutable. Features are named by their position from here on.
class FeatureRegistry {
 public:
  static constexpr std::size_t kUnknown = 0xFF;

  // `rows` outlive the registry. kInvalidArgument for rows that contradict themselves or each other: an id that is there twice or
  // cannot be indexed, versions that are none, a dependency that is not there, a global feature that needs an adapter; and
  // for dependencies that close a circle, with the chain.
  [[nodiscard]] static Result<FeatureRegistry> Create(std::span<const Feature> rows);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const Feature& at(std::size_t index) const { return rows_[index]; }
  // kUnknown for an id that is reserved or of no row.
  [[nodiscard]] std::size_t IndexOf(DXGK_FEATURE_ID id) const {
    const std::size_t slot = SlotOf(id);
    return slot < by_id_.size() ? by_id_[slot] : kUnknown;
  }

 private:
  // Ids are indexed by category and sub-id; both have few values in use.
  static constexpr std::size_t kCategories = 4;
  static constexpr std::size_t kSubIds = 64;

  explicit FeatureRegistry(std::span<const Feature> rows) : rows_(rows) { by_id_.fill(kUnknown); }

  // At least by_id_.size() for an id that has no place.
  [[nodiscard]] static std::size_t SlotOf(DXGK_FEATURE_ID id) {
    const std::size_t sub_id = DXGK_FEATURE_ID_FEATURE(id);
    return sub_id < kSubIds ? DXGK_FEATURE_ID_CATEGORY(id) * kSubIds + sub_id : kCategories * kSubIds;
  }
  [[nodiscard]] Result<void> CheckRow(const Feature& row) const;
  [[nodiscard]] Result<void> CheckCircles(std::size_t index, std::vector<std::size_t>& chain, std::vector<bool>& done) const;

  std::span<const Feature> rows_;
  std::array<std::uint8_t, kCategories * kSubIds> by_id_{};
};

}  // namespace tandem::kernel
