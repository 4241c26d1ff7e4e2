// The machine's cards, and the one that a name means.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/card/card_name.h"
#include "drivers/kms/card/seat_session.h"

namespace tandem::kms {

// A card's node, known without opening it: no GPU wakes.
struct CardNode {
  std::string path;    // "/dev/dri/card0"
  std::string driver;  // in sysfs ("amdgpu"); for a device without one the device's name ("vkms")
};

// Sorted by number. Empty without /sys/class/drm, which is looked for below `root`; "" is the machine's own.
[[nodiscard]] std::vector<CardNode> ListCardNodes(const std::string& root = {});

// The connectors of the node that something is plugged into, or may be, sorted: "HDMI-A-1". Known without opening it.
[[nodiscard]] std::vector<std::string> ConnectedTo(const CardNode& node);

// The node that CardName::card means, which is not empty. kNotFound lists the machine's cards.
[[nodiscard]] Result<std::string> FindCardPath(const std::string& name);

// The node that `name` means, by what sysfs tells: without a card's name the first with a connected display, at the connector if
// there is one. kNotFound as above.
[[nodiscard]] Result<std::string> FindNode(const CardName& name);

// Opens the card that `name` means. Without a card's name: the first with a connected connector (`name.connector` if there is
// one), else the first that can be opened. With a listener, a user who is not root gets the card through a session of the seat
// where there is one; the listener outlives the card. kNotFound lists the machine's cards; otherwise Card::Open's errors.
[[nodiscard]] Result<std::unique_ptr<Card>> FindCard(const CardName& name, SeatListener* seat = nullptr);

}  // namespace tandem::kms
