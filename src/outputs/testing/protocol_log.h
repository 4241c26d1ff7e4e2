// Messages between a test's Wayland compositor and its clients, as they pass.
#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>

#include <wayland-server-core.h>

namespace tandem::outputs::testing {

// Created on the compositor's thread or before it runs, destroyed before the display. The other functions: any thread.
class ProtocolLog {
 public:
  // A client that makes the request `dies_at` is thrown out after it.
  ProtocolLog(wl_display* display, std::string dies_at);
  ~ProtocolLog() { wl_protocol_logger_destroy(logger_); }
  ProtocolLog(const ProtocolLog&) = delete;
  ProtocolLog& operator=(const ProtocolLog&) = delete;

  [[nodiscard]] std::size_t errors() {
    const std::lock_guard lock(mutex_);
    return errors_;
  }
  [[nodiscard]] std::set<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void See(wl_protocol_logger_type direction, const wl_protocol_logger_message& message);

  wl_display* const display_;
  const std::string dies_at_;
  std::mutex mutex_;
  std::size_t errors_ = 0;
  std::set<std::string> requests_;
  wl_protocol_logger* const logger_;
};

}  // namespace tandem::outputs::testing
