// Arbitrary messages on the channel between the kernels of guest and host.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernel/feature/feature_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::kernel;
  constexpr FeatureMessage kQuery{FeatureMessageKind::kQuery, 1, DXGK_FEATURE_SAMPLE, {3, 5}};
  for (; size >= kFeatureMessageBytes; data += kFeatureMessageBytes, size -= kFeatureMessageBytes) {
    FeatureMessageBytes bytes;
    std::memcpy(bytes.data(), data, bytes.size());
    const auto message = Decode(bytes);
    if (!message.ok()) continue;
    if (Encode(*message) != bytes) std::abort();
    // An accepted answer stays within the question.
    if (!CheckAnswer(kQuery, *message).ok() || message->versions.empty()) continue;
    if (message->versions.min < kQuery.versions.min || message->versions.max > kQuery.versions.max) std::abort();
  }
  return 0;
}
