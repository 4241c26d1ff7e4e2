// An X server without a screen, of the test's own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tandem::outputs::testing {

class Xvfb {
 public:
  // 640 x 480 pixels of 24 bits, and `options` of Xvfb's own. Null where Xvfb is not installed.
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
