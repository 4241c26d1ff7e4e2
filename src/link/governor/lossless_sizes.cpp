#include "link/governor/lossless_sizes.h"

#include <algorithm>

namespace tandem::link {
namespace {

// Share of one slice's change that the others follow. Slices of one picture differ more than successive pictures do.
constexpr double kFollowing = 0.25;
constexpr double kMostGrowth = 4;  // most growth of one slice that counts for the others

}  // namespace

void LosslessSizes::Probe(std::uint32_t slice, std::uint64_t bytes) {
  const auto now = static_cast<double>(bytes);
  const double before = known_[slice].bytes;
  const double growth = before > 0 ? std::min(now / before, kMostGrowth) : 1;
  for (std::uint32_t i = 0; i < slices_; ++i) {
    Known& other = known_[i];
    other.bytes *= 1 + (growth - 1) * kFollowing * other.age / slices_;
    other.age = std::min(other.age + 1, slices_);
  }
  known_[slice] = {now, 0};
}

std::uint64_t LosslessSizes::Whole() const {
  double sum = 0;
  std::uint32_t known = 0;
  for (std::uint32_t i = 0; i < slices_; ++i) {
    sum += known_[i].bytes;
    known += known_[i].bytes > 0 ? 1 : 0;
  }
  return known == 0 ? 0 : static_cast<std::uint64_t>(sum * slices_ / known);
}

}  // namespace tandem::link
