// The card of the display side: with one connector that a desktop lends, by a seat's session, or by itself.
#pragma once

#include <memory>

#include "base/result.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/card/card_name.h"
#include "drivers/kms/card/seat_session.h"

namespace tandem::kms {

// Asks a desktop first, where $WAYLAND_DISPLAY or $DISPLAY is set and another program is the card's master: the Wayland
// compositor, else the X server, lends the connector that `name` has ("HDMI-A-1"), or the first connected one that is no
// desktop's, such as a headset. The result shows the leased objects alone, and the lease ends with it. Otherwise as FindCard,
// with the desktop's answers in the message.
[[nodiscard]] Result<std::unique_ptr<Card>> OpenCard(const CardName& name, SeatListener& seat);

}  // namespace tandem::kms
