// Words for a card of the kernel's mode setting: "kms", "kms:card1", "kms:vkms", "kms:card1:HDMI-A-1", "/dev/dri/card1".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/adapter_info.h"

namespace tandem::config {

// AdapterInfo::kind and ::driver of such cards. They show for those who name them, because a desktop may be on them.
inline constexpr std::string_view kCardKind = "kms";

[[nodiscard]] bool IsCardSelector(std::string_view text);

// The position of the card that is meant: among several, the first with something plugged into it, or into the connector that is
// named. Precondition: IsCardSelector. kNotFound with what there is and what to do.
[[nodiscard]] Result<std::size_t> FindCard(std::string_view text, std::span<const AdapterInfo> adapters);

// The driver's words for a chosen card: "kms:card1", or "kms:card1:HDMI-A-1" if `text`, a selector of any form, names a
// connector.
[[nodiscard]] std::string NameOfCard(std::string_view text, const AdapterInfo& adapter);

}  // namespace tandem::config
