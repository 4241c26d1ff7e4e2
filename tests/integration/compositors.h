// Compositors that people use, without a screen or on a DRM card, each with a folder, a socket and a screenshot of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/screen_picture.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {

struct CompositorKind {
  std::string name;
  std::vector<std::string> programs;  // that it and its screenshot need
  std::string start;                  // shell command; its socket is $XDG_RUNTIME_DIR/wayland-1
  std::string photograph;             // shell command that writes shot.ppm into $XDG_RUNTIME_DIR
  bool root = true;                   // false if the compositor refuses to run as root
};

[[nodiscard]] CompositorKind Sway();          // headless, wl_shm alone
[[nodiscard]] CompositorKind WestonPixman();  // headless, wl_shm alone
[[nodiscard]] CompositorKind WestonGl();      // headless; takes dma-bufs with Mesa 25
[[nodiscard]] CompositorKind Kwin();          // virtual, wl_shm; dma-bufs with Mesa 25
// On a DRM card as root, drawn by the processor. `card` is the name of its node; `screen`, if not empty, is the emulator's name
// for the screen, which is then photographed from outside.
[[nodiscard]] CompositorKind WestonOnCard(const std::string& card, const std::string& screen);

class Compositor {
 public:
  // Starts it with a screen of 640x480 and waits for its socket; on failure `why` is a sentence.
  static std::unique_ptr<Compositor> Start(const CompositorKind& kind, std::string& why);
  ~Compositor();
  Compositor(const Compositor&) = delete;
  Compositor& operator=(const Compositor&) = delete;

  // For programs that show windows there.
  [[nodiscard]] Environment environment() const;
  [[nodiscard]] std::optional<ScreenPicture> Photograph() const;
  [[nodiscard]] std::string log() const;

 private:
  explicit Compositor(const CompositorKind& kind) : kind_(kind) {}

  const CompositorKind kind_;
  ScratchFolder folder_;
  std::unique_ptr<Process> process_;
};

// The name of a missing program, or nothing.
[[nodiscard]] std::optional<std::string> MissingProgram(const CompositorKind& kind);

}  // namespace tandem::test
