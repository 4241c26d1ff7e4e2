// Our own X11 connection and its server's abilities.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <xcb/xcb.h>

#include "base/result.h"

namespace tandem::outputs {

struct FreeReply {
  void operator()(void* reply) const;
};
// A reply, event or error of xcb; each must be freed.
template <class T>
using Reply = std::unique_ptr<T, FreeReply>;

class X11Connection {
 public:
  // `display` has the form of $DISPLAY; empty means $DISPLAY itself. kSurfaceLost when no server answers.
  static Result<std::unique_ptr<X11Connection>> Open(const std::string& display);
  ~X11Connection();
  X11Connection(const X11Connection&) = delete;
  X11Connection& operator=(const X11Connection&) = delete;

  [[nodiscard]] xcb_connection_t* get() const { return connection_; }
  [[nodiscard]] bool broken() const;
  // MIT-SHM 1.2 on a local connection, which passes segments as descriptors.
  [[nodiscard]] bool passes_segments() const { return passes_segments_; }
  [[nodiscard]] std::uint8_t shm_completion_event() const { return shm_completion_event_; }
  // The period of the first active monitor; 60 Hz if RandR does not report it.
  [[nodiscard]] std::int64_t refresh_period_ns() const { return refresh_period_ns_; }

 private:
  explicit X11Connection(xcb_connection_t* connection) : connection_(connection) {}
  void QueryShm();
  void QueryRefresh();

  xcb_connection_t* connection_;
  bool passes_segments_ = false;
  std::uint8_t shm_completion_event_ = 0;
  std::int64_t refresh_period_ns_ = 16'666'667;
};

}  // namespace tandem::outputs
