#include "kernel/feature/feature_message.h"

namespace tandem::kernel {
namespace {

constexpr std::uint32_t kMagic = 0x51465454;  // "TTFQ"

void Put(FeatureMessageBytes& bytes, std::size_t offset, std::size_t size, std::uint32_t value) {
  for (std::size_t i = 0; i < size; ++i) bytes[offset + i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
}

std::uint32_t Get(std::span<const std::byte, kFeatureMessageBytes> bytes, std::size_t offset, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::to_integer<std::uint32_t>(bytes[offset + i]) << (8 * i);
  return value;
}

}  // namespace

// Magic 0, kind 4, reserved 6, sequence 8, feature 12, min 16, max 18, reserved 20.
FeatureMessageBytes Encode(const FeatureMessage& message) {
  FeatureMessageBytes bytes{};
  Put(bytes, 0, 4, kMagic);
  Put(bytes, 4, 2, static_cast<std::uint32_t>(message.kind));
  Put(bytes, 8, 4, message.sequence);
  Put(bytes, 12, 4, static_cast<std::uint32_t>(message.id));
  Put(bytes, 16, 2, message.versions.min);
  Put(bytes, 18, 2, message.versions.max);
  return bytes;
}

Result<FeatureMessage> Decode(std::span<const std::byte, kFeatureMessageBytes> bytes) {
  if (const std::uint32_t magic = Get(bytes, 0, 4); magic != kMagic) {
    return Fail(ErrorKind::kInvalidArgument, "A message starts with {:#x}, not with {:#x}.", magic, kMagic);
  }
  const std::uint32_t kind = Get(bytes, 4, 2);
  if (kind < static_cast<std::uint32_t>(FeatureMessageKind::kHello) ||
      kind > static_cast<std::uint32_t>(FeatureMessageKind::kAnswer)) {
    return Fail(ErrorKind::kInvalidArgument, "Kind {} of a message is not between 1 and 4.", kind);
  }
  if (Get(bytes, 6, 2) != 0 || Get(bytes, 20, 4) != 0) {
    return Fail(ErrorKind::kInvalidArgument, "Reserved bytes of a message are not zero.");
  }
  FeatureMessage message;
  message.kind = static_cast<FeatureMessageKind>(kind);
  message.sequence = Get(bytes, 8, 4);
  message.id = static_cast<DXGK_FEATURE_ID>(Get(bytes, 12, 4));
  message.versions = {static_cast<DXGK_FEATURE_VERSION>(Get(bytes, 16, 2)), static_cast<DXGK_FEATURE_VERSION>(Get(bytes, 18, 2))};
  const bool off = message.versions.min == 0 && message.versions.max == 0;
  if (message.versions.empty() && !off) {
    return Fail(ErrorKind::kInvalidArgument, "Versions {} to {} of a message are no range.", message.versions.min,
                message.versions.max);
  }
  return message;
}

Result<void> CheckAnswer(const FeatureMessage& query, const FeatureMessage& answer) {
  const bool welcome = query.kind == FeatureMessageKind::kHello;
  if (answer.kind != (welcome ? FeatureMessageKind::kWelcome : FeatureMessageKind::kAnswer)) {
    return Fail(ErrorKind::kInvalidArgument, "A message of kind {} does not answer one of kind {}.",
                static_cast<unsigned>(answer.kind), static_cast<unsigned>(query.kind));
  }
  if (answer.sequence != query.sequence || answer.id != query.id) {
    return Fail(ErrorKind::kInvalidArgument, "Message {} of feature {:#x} does not answer message {} of feature {:#x}.",
                answer.sequence, static_cast<UINT>(answer.id), query.sequence, static_cast<UINT>(query.id));
  }
  if (!answer.versions.empty() && (answer.versions.min < query.versions.min || answer.versions.max > query.versions.max)) {
    return Fail(ErrorKind::kInvalidArgument, "Versions {} to {} answer a question for {} to {}.", answer.versions.min,
                answer.versions.max, query.versions.min, query.versions.max);
  }
  if (welcome && answer.versions.min != answer.versions.max) {
    return Fail(ErrorKind::kInvalidArgument, "The host welcomes with protocols {} to {}; one is to be chosen.",
                answer.versions.min, answer.versions.max);
  }
  return {};
}

}  // namespace tandem::kernel
