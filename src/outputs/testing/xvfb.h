// A test's own X server without a screen.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tandem::outputs::testing {

class Xvfb {
 public:
  // A screen of 640 x 480 pixels with 24 bits; `options` are passed to Xvfb. Null if Xvfb is not installed.
  static std::unique_ptr<Xvfb> Start(const std::vector<std::string>& options);
  ~Xvfb() { Stop(); }
  Xvfb(const Xvfb&) = delete;
  Xvfb& operator=(const Xvfb&) = delete;

  [[nodiscard]] const std::string& display() const { return display_; }
  void Stop();

 private:
  Xvfb(pid_t process, std::string display) : process_(process), display_(std::move(display)) {}

  pid_t process_;
  std::string display_;
};

}  // namespace tandem::outputs::testing
