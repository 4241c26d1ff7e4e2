// Our own X11 connection and its server's abilities.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <xcb/xcb.h>

#include "base/result.h"
#include "outputs/x11/extension_libraries.h"

namespace tandem::outputs {

struct FreeReply {
  void operator()(void* reply) const;
};
// A reply, event or error of xcb; each must be freed.
template <class T>
using Reply = std::unique_ptr<T, FreeReply>;

// xcb_connect, for any number of threads at once. `display` as for X11Connection::Open; errors are the connection's.
[[nodiscard]] xcb_connection_t* ConnectToX11(const std::string& display);
// The reason for a failed ConnectToX11: kSurfaceLost. A sandbox may refuse sockets.
[[nodiscard]] Error NotConnectedToX11(const std::string& display);

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
  // The server makes pixmaps over segments.
  [[nodiscard]] bool shares_pixmaps() const { return shares_pixmaps_; }
  // Null when server or client lacks the Present extension.
  [[nodiscard]] const XcbPresent* present() const { return present_; }
  [[nodiscard]] std::uint8_t present_opcode() const { return present_opcode_; }
  // Null when server or client lacks DRI3, or the connection passes no descriptors.
  [[nodiscard]] const XcbDri3* dri3() const { return dri3_; }
  // DRI3 1.2, which names the modifier of a buffer.
  [[nodiscard]] bool names_modifiers() const { return names_modifiers_; }
  // The period of the first active monitor; 60 Hz if RandR does not report it.
  [[nodiscard]] std::int64_t refresh_period_ns() const { return refresh_period_ns_; }

 private:
  explicit X11Connection(xcb_connection_t* connection) : connection_(connection) {}
  void QueryShm();
  void QueryPresent();
  void QueryDri3();
  void QueryRefresh();

  xcb_connection_t* connection_;
  const XcbPresent* present_ = nullptr;
  const XcbDri3* dri3_ = nullptr;
  bool passes_segments_ = false;
  bool shares_pixmaps_ = false;
  bool names_modifiers_ = false;
  std::uint8_t present_opcode_ = 0;
  std::uint8_t shm_completion_event_ = 0;
  std::int64_t refresh_period_ns_ = 16'666'667;
};

}  // namespace tandem::outputs
