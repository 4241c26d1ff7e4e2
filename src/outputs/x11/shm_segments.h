// Memory segments attached by the X server, keyed by surface id.
#pragma once

#include <cstdint>
#include <unordered_map>

#include <xcb/shm.h>

#include "base/result.h"
#include "outputs/x11/connection.h"

namespace tandem::outputs {

// Threads: one.
class ShmSegments {
 public:
  explicit ShmSegments(X11Connection& connection) : connection_(connection) {}
  ~ShmSegments();
  ShmSegments(const ShmSegments&) = delete;
  ShmSegments& operator=(const ShmSegments&) = delete;

  // The segment of surface `id`, attached at first use, read-only for the server. The caller keeps `fd`. kIo when no descriptor
  // is available, kUnsupported when the server refuses it, kSurfaceLost.
  Result<xcb_shm_seg_t> Attach(std::uint64_t id, int fd);
  void Detach(std::uint64_t id);

 private:
  X11Connection& connection_;
  std::unordered_map<std::uint64_t, xcb_shm_seg_t> segments_;
};

}  // namespace tandem::outputs
