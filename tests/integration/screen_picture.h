// Pictures of whole screens, and the cards of scripts/vm.sh's machine that have such screens.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::test {

struct ScreenPicture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> rgb;  // rows without padding
};

[[nodiscard]] std::optional<ScreenPicture> ReadPpm(const std::string& path);

// The first pixel in which a screen of 640 x 480 pixels is not the test application's frame, or nothing.
[[nodiscard]] std::optional<std::string> FaultOf(const ScreenPicture& shot, std::uint32_t frame);
// The first pixel in which a larger screen does not show the frame of width x height pixels in its middle, and black around it.
[[nodiscard]] std::optional<std::string> FaultInTheMiddle(const ScreenPicture& shot, std::uint32_t frame, std::uint32_t width,
                                                          std::uint32_t height);

using ScreenJudge = std::function<std::optional<std::string>(const ScreenPicture&)>;

// Photographs an emulated screen ("virtio-gpu") until `fault_of` finds nothing, ten times at most; the last fault. A card shows a
// queued frame some refreshes later.
[[nodiscard]] std::optional<std::string> FaultOnScreen(const std::string& screen, const ScreenJudge& fault_of);

// The node of the card with this driver ("card1"), by what the kernel tells root of it, or nothing.
[[nodiscard]] std::optional<std::string> CardOf(const std::string& driver);
// The one connector of a card: "Virtual-2", for numbers count across cards.
[[nodiscard]] std::string ConnectorOf(const std::string& card);

}  // namespace tandem::test
