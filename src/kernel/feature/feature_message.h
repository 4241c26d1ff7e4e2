// Messages about features between a guest's kernel and its host's. They have one size, are little-endian and go over a stream
// socket: Unix, or vsock where there is one.
//
//   guest: hello (min, max: protocol versions that it speaks)     host: welcome (min = max: the one that is spoken)
//   guest: query (feature, min, max: versions it could use)       host: answer (feature, min, max: those that the host has on
//   too)
//
// An answer repeats the sequence number of its query; one query is open at a time. Versions 0, 0 say "off".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "kernel/feature/feature.h"

namespace tandem::kernel {

inline constexpr std::uint16_t kFeatureProtocol = 1;
inline constexpr std::size_t kFeatureMessageBytes = 24;

enum class FeatureMessageKind : std::uint16_t { kHello = 1, kWelcome = 2, kQuery = 3, kAnswer = 4 };

struct FeatureMessage {
  FeatureMessageKind kind = FeatureMessageKind::kHello;
  std::uint32_t sequence = 0;
  DXGK_FEATURE_ID id{};
  VersionRange versions;  // the feature's, or the protocol's

  [[nodiscard]] bool operator==(const FeatureMessage& other) const {
    return kind == other.kind && sequence == other.sequence && id == other.id && versions.min == other.versions.min &&
           versions.max == other.versions.max;
  }
};

using FeatureMessageBytes = std::array<std::byte, kFeatureMessageBytes>;

[[nodiscard]] FeatureMessageBytes Encode(const FeatureMessage& message);
// Takes any bytes. kInvalidArgument says which field is wrong.
[[nodiscard]] Result<FeatureMessage> Decode(std::span<const std::byte, kFeatureMessageBytes> bytes);

// Fails with a sentence when `answer` is no answer to `query`.
[[nodiscard]] Result<void> CheckAnswer(const FeatureMessage& query, const FeatureMessage& answer);

}  // namespace tandem::kernel
