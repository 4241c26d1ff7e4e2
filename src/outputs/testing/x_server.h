// A test's own X server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tandem::outputs::testing {

class XServer {
 public:
  // A screen of 640 x 480 pixels with 24 bits in memory; `options` are passed to Xvfb. Null if Xvfb is not installed.
  static std::unique_ptr<XServer> StartXvfb(const std::vector<std::string>& options);
  // Xorg on a DRM card, for example "/dev/dri/card0". It has DRI3 on a software renderer too, as it does for a second card, so it
  // needs `other_card`. Null if Xorg is not installed or shows nothing there.
  static std::unique_ptr<XServer> StartXorg(const std::string& card, const std::string& other_card);
  ~XServer() { Stop(); }
  XServer(const XServer&) = delete;
  XServer& operator=(const XServer&) = delete;

  [[nodiscard]] const std::string& display() const { return display_; }
  void Stop();

 private:
  XServer(pid_t process, std::string display) : process_(process), display_(std::move(display)) {}
  static std::unique_ptr<XServer> Start(std::vector<std::string> words);

  pid_t process_;
  std::string display_;
};

}  // namespace tandem::outputs::testing
