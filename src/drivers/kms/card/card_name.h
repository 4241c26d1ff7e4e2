// A user's words for a card and one of its connectors.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tandem::kms {

struct CardName {
  std::string card;       // "card1", a driver's name ("vkms") or a path ("/dev/dri/card1"); empty: the first card that shows
  std::string connector;  // "HDMI-A-1"; empty: the card's first connected one
};

// "kms", "kms:card1", "kms:vkms", "kms:card1:HDMI-A-1", "kms::HDMI-A-1", "/dev/dri/card1", "/dev/dri/card1:HDMI-A-1". Takes any
// bytes. kInvalidArgument for other forms, for more than 128 bytes, and for a ".." or control character in a part.
[[nodiscard]] Result<CardName> ParseCardName(std::string_view text);

}  // namespace tandem::kms
