#include "swapchain/slice_order.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace tandem::swapchain {

// What decoding takes is left out: it runs beside the encoder, on the same processor where that decodes, and an order that makes
// its tail shorter makes it wait for the encoder longer than was measured.
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
}

}  // namespace tandem::swapchain
