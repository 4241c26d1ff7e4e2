#include "link/governor/slice_order.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace tandem::link {

namespace {

// Time when the frame is decoded if the slice at place `last` goes behind all others.
std::uint64_t EndWith(std::span<const SliceTimes> times, std::span<const std::uint8_t> order, std::size_t last) {
  std::uint64_t encoder = 0, link = 0, decoder = 0;
  const auto pass = [&](const SliceTimes& slice) {
    // Encoding counts half as much again, because a decoder on the same processor slows it. A late slice that stalls the link
    // also costs more than a good order behind it gains.
    encoder += slice.encode_ns + slice.encode_ns / 2;
    link = std::max(link, encoder) + slice.link_ns;
    decoder = std::max(decoder, link) + slice.decode_ns;
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i != last) pass(times[order[i]]);
  }
  pass(times[order[last]]);
  return decoder;
}

}  // namespace

void OrderSlices(std::span<const SliceTimes> times, std::span<std::uint8_t> order) {
  TANDEM_CHECK(times.size() == order.size() && times.size() <= 256);
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  std::ranges::sort(order, [times](std::uint8_t a, std::uint8_t b) {
    const bool a_first = times[a].encode_ns < times[a].link_ns;
    const bool b_first = times[b].encode_ns < times[b].link_ns;
    if (a_first != b_first) return a_first;
    if (a_first && times[a].encode_ns != times[b].encode_ns) return times[a].encode_ns < times[b].encode_ns;
    if (!a_first && times[a].link_ns != times[b].link_ns) return times[a].link_ns > times[b].link_ns;
    return a < b;
  });
  if (order.empty()) return;
  std::size_t last = order.size() - 1;
  std::uint64_t end = EndWith(times, order, last);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::uint64_t other = EndWith(times, order, i);
    if (other >= end) continue;
    end = other;
    last = i;
  }
  const auto moved = order.begin() + static_cast<std::ptrdiff_t>(last);
  std::rotate(moved, moved + 1, order.end());
}

}  // namespace tandem::link
