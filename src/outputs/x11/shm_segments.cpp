#include "outputs/x11/shm_segments.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>

namespace tandem::outputs {

ShmSegments::~ShmSegments() {
  for (const auto& [id, segment] : segments_) xcb_shm_detach(connection_.get(), segment);
  xcb_flush(connection_.get());
}

Result<xcb_shm_seg_t> ShmSegments::Attach(std::uint64_t id, int fd) {
  if (const auto found = segments_.find(id); found != segments_.end()) return found->second;
  // xcb closes the descriptor that it sends.
  const int sent = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (sent < 0) return Fail(ErrorKind::kIo, "The descriptor of a surface cannot be duplicated: {}.", std::strerror(errno));
  const xcb_shm_seg_t segment = xcb_generate_id(connection_.get());
  const Reply<xcb_generic_error_t> error(
      xcb_request_check(connection_.get(), xcb_shm_attach_fd_checked(connection_.get(), segment, sent, 1 /* read-only */)));
  if (connection_.broken()) return Fail(ErrorKind::kSurfaceLost, "The X server went away.");
  if (error) return Fail(ErrorKind::kUnsupported, "The X server does not attach shared pages (X error {}).", error->error_code);
  segments_.emplace(id, segment);
  return segment;
}

void ShmSegments::Detach(std::uint64_t id) {
  const auto found = segments_.find(id);
  if (found == segments_.end()) return;
  xcb_shm_detach(connection_.get(), found->second);
  xcb_flush(connection_.get());
  segments_.erase(found);
}

}  // namespace tandem::outputs
