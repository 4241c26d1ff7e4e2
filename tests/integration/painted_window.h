// A window that tandem_paint fills, looked at through the X server.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/integration/process.h"
#include "tests/integration/x_server.h"

namespace tandem::test {

struct PaintedWindow {
  std::vector<std::string> words;  // of `tandem run`, a wrapper behind "--" included
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t frames = 12;
  std::string stretched{};  // size of frames that are stretched to the window, WIDTHxHEIGHT; empty: the window's
};

// Paints the frames and takes screenshots of the last one until `look` is content, or for some time.
void LookAtPainted(const XServer& server, Environment environment, const PaintedWindow& window,
                   const std::function<bool(const std::vector<std::uint32_t>& shot)>& look);

}  // namespace tandem::test
