#include "tests/integration/screen_picture.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/integration/tandem_run.h"
#include "tests/programs/pattern.h"

namespace tandem::test {

std::optional<ScreenPicture> ReadPpm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  ScreenPicture shot;
  int maximum = 0;
  if (!(file >> magic >> shot.width >> shot.height >> maximum) || magic != "P6" || maximum != 255) return std::nullopt;
  file.get();
  shot.rgb.resize(std::size_t{3} * shot.width * shot.height);
  if (!file.read(reinterpret_cast<char*>(shot.rgb.data()), static_cast<std::streamsize>(shot.rgb.size()))) return std::nullopt;
  return shot;
}

std::optional<std::string> FaultOf(const ScreenPicture& shot, std::uint32_t frame) {
  if (shot.width != 640 || shot.height != 480) {
    return "The screenshot has " + std::to_string(shot.width) + "x" + std::to_string(shot.height) + " pixels.";
  }
  return FaultInTheMiddle(shot, frame, shot.width, shot.height);
}

std::optional<std::string> FaultInTheMiddle(const ScreenPicture& shot, std::uint32_t frame, std::uint32_t width,
                                            std::uint32_t height) {
  if (shot.width < width || shot.height < height) {
    return "The screenshot has " + std::to_string(shot.width) + "x" + std::to_string(shot.height) + " pixels.";
  }
  const std::uint32_t left = (shot.width - width) / 2, top = (shot.height - height) / 2;
  for (std::uint32_t y = 0; y < shot.height; ++y) {
    for (std::uint32_t x = 0; x < shot.width; ++x) {
      const bool inside = x >= left && x < left + width && y >= top && y < top + height;
      const std::uint32_t expected = inside ? PatternWord(frame, x - left, y - top) & 0xFFFFFF : 0;
      const std::uint8_t* const at = &shot.rgb[3 * (std::size_t{y} * shot.width + x)];
      const std::uint32_t shown = std::uint32_t{at[0]} << 16 | std::uint32_t{at[1]} << 8 | at[2];
      if (shown == expected) continue;
      char text[160];
      std::snprintf(text, sizeof text, "Pixel %u, %u of a screen of %ux%u is %06x; frame %u has %06x.", x, y, shot.width,
                    shot.height, shown, frame, expected);
      return text;
    }
  }
  return std::nullopt;
}

std::optional<std::string> FaultOnScreen(const std::string& screen, const ScreenJudge& fault_of) {
  const ScratchFolder folder;
  const std::string file = folder.File("screen.ppm");
  std::optional<std::string> fault = "There was no photograph.";
  for (int attempt = 0; fault && attempt < 10; ++attempt) {
    static_cast<void>(RunProcess({"sh", "-c", "$TANDEM_VM_SCREENDUMP " + screen + " " + file}, {}, 60'000));
    if (const auto shot = ReadPpm(file)) fault = fault_of(*shot);
  }
  return fault;
}

std::optional<std::string> CardOf(const std::string& driver) {
  for (int number = 0; number < 8; ++number) {
    std::ifstream file("/sys/kernel/debug/dri/" + std::to_string(number) + "/name");
    std::string name;
    if (file >> name && name == driver) return "card" + std::to_string(number);
  }
  return std::nullopt;
}

std::string ConnectorOf(const std::string& card) {
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/drm")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(card + "-")) return name.substr(card.size() + 1);
  }
  return {};
}

}  // namespace tandem::test
