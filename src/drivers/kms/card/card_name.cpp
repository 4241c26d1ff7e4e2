#include "drivers/kms/card/card_name.h"

#include <algorithm>
#include <cstddef>

#include "base/printable.h"

namespace tandem::kms {
namespace {

constexpr std::size_t kMaxCardNameBytes = 128;
constexpr std::string_view kScheme = "kms";

bool IsNamePart(std::string_view part) {
  return part.find("..") == std::string_view::npos && std::ranges::all_of(part, [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

Result<CardName> ParseCardName(std::string_view text) {
  if (text.size() > kMaxCardNameBytes) {
    return Fail(ErrorKind::kInvalidArgument, "A card's name has {} bytes; {} is the limit.", text.size(), kMaxCardNameBytes);
  }
  std::string_view rest = text;
  if (rest == kScheme) return CardName{};
  if (rest.starts_with(kScheme) && rest[kScheme.size()] == ':') {
    rest.remove_prefix(kScheme.size() + 1);
  } else if (!rest.starts_with('/')) {
    return Fail(ErrorKind::kInvalidArgument, "'{}' is no card: kms, kms:CARD, kms:CARD:CONNECTOR and /dev/dri/cardN are.",
                Printable(text));
  }
  const std::size_t colon = rest.find(':');
  const std::string_view card = rest.substr(0, colon);
  const std::string_view connector = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  if (!IsNamePart(card) || !IsNamePart(connector) || connector.find(':') != std::string_view::npos) {
    return Fail(ErrorKind::kInvalidArgument, "'{}' names no card and connector: kms:card1:HDMI-A-1 does.", Printable(text));
  }
  return CardName{std::string(card), std::string(connector)};
}

}  // namespace tandem::kms
