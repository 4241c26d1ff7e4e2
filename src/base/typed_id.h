// Ids and counters that cannot be taken for one another: using AdapterId = TypedId<struct AdapterTag, std::uint32_t>;
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace tandem {

// A Rep that converts to and from nothing else. 0 when default-made; whether 0 means "none" is said where the id is declared.
template <class Tag, class Rep = std::uint64_t>
class TypedId {
 public:
  using Representation = Rep;

  constexpr TypedId() = default;
  constexpr explicit TypedId(Rep value) : value_(value) {}

  [[nodiscard]] constexpr Rep value() const { return value_; }

  friend constexpr auto operator<=>(TypedId, TypedId) = default;

 private:
  Rep value_{};
};

}  // namespace tandem

template <class Tag, class Rep>
struct std::hash<tandem::TypedId<Tag, Rep>> {
  [[nodiscard]] std::size_t operator()(tandem::TypedId<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value()); }
};
