// A test's own virtual X server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/process.h"

struct xcb_connection_t;

namespace tandem::test {

class XServer {
 public:
  // With GLX the server loads Mesa's driver and LLVM, which takes longer than all else of its start.
  enum class Glx { kWithout, kWith };
  // Null when Xvfb is not installed or does not start.
  static std::unique_ptr<XServer> Start(Glx glx = Glx::kWithout);
  ~XServer();

  [[nodiscard]] const std::string& display() const { return display_; }  // ":12"
  void Stop();

 private:
  std::unique_ptr<Process> process_;
  std::string display_;
};

// The picture of the topmost mapped window of this size, 32 bits a pixel in the server's order, rows without padding. Empty if
// there is no such window.
[[nodiscard]] std::vector<std::uint32_t> Screenshot(const std::string& display, std::uint32_t width, std::uint32_t height);

}  // namespace tandem::test
