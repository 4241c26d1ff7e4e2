// The pointer of a head, on its CRTC's cursor plane.
//
// Linux' cursor ioctl moves the plane beside the head's commits. A commit for a move would keep the CRTC busy until its next
// vertical blank, and delay a flip by a refresh. The ioctl waits for a flip that is on its way, on drivers that cannot move a
// plane in between, and has the CRTC locked meanwhile: so the pointer is held still from a commit to its vertical blank.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/memory_map.h"
#include "base/result.h"
#include "base/thread.h"
#include "color/blit.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/kmd/picture_place.h"

#include <d3dkmddi.h>

namespace tandem::kms {

// Threads: any, at PASSIVE_LEVEL. The card outlives it. Does nothing before the first shape, so the CRTC may have no cursor
// plane.
class Cursor {
 public:
  Cursor(const Card& card, std::uint32_t crtc_id) : card_(card), crtc_id_(crtc_id) {}
  ~Cursor() { SetPlace(std::nullopt); }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // Precondition: the shape is a color one within the card's largest cursor.
  void SetShape(const DXGKARG_SETPOINTERSHAPE& shape);
  // Pixels of the frame, of the upper left corner.
  void SetPosition(std::int32_t x, std::int32_t y, bool visible);
  // The frame that the CRTC shows from now on; nothing: the CRTC goes dark, and the pointer is hidden before.
  void SetPlace(const std::optional<PicturePlace>& place);
  // Between the two, the pointer stays as it is; its latest state follows with Release().
  void Hold();
  void Release();
  // Another session may have had the plane.
  void Forget();

 private:
  // Memory that the card shows; rows lie one behind the other, as the ioctl has no pitch.
  struct Image {
    DumbBuffer buffer;
    MemoryMap map;
    std::uint32_t width = 0;  // pixels
    std::uint32_t height = 0;
  };
  void Update() TANDEM_REQUIRES(mutex_);
  // Writes the shape, turned, into the image that is not shown, which becomes the shown one.
  Result<void> WriteImage(color::Rotation rotation) TANDEM_REQUIRES(mutex_);
  Result<void> MakeImage(Image& image) const TANDEM_REQUIRES(mutex_);
  // True if the card took it. `flags`: DRM_MODE_CURSOR_*. A null image hides the pointer.
  bool Call(std::uint32_t flags, const ScreenPoint& at, const Image* image) TANDEM_REQUIRES(mutex_);
  void LogOnce(const Error& refusal) TANDEM_REQUIRES(mutex_);

  const Card& card_;
  const std::uint32_t crtc_id_;

  Mutex mutex_;
  PointerRect rect_ TANDEM_GUARDED_BY(mutex_);
  bool visible_ TANDEM_GUARDED_BY(mutex_) = false;
  std::vector<std::uint32_t> pixels_ TANDEM_GUARDED_BY(mutex_);  // ARGB8888, premultiplied, rect_'s extent; empty: no shape
  std::uint32_t hot_x_ TANDEM_GUARDED_BY(mutex_) = 0, hot_y_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::optional<PicturePlace> place_ TANDEM_GUARDED_BY(mutex_);
  std::array<Image, 2> images_ TANDEM_GUARDED_BY(mutex_);
  std::size_t latest_ TANDEM_GUARDED_BY(mutex_) = 0;  // of the images
  std::optional<color::Rotation> written_
      TANDEM_GUARDED_BY(mutex_);  // of the shape in the latest image; nothing: another shape's
  bool held_ TANDEM_GUARDED_BY(mutex_) = false;
  bool stale_ TANDEM_GUARDED_BY(mutex_) = false;  // changed while it was held
  bool shown_ TANDEM_GUARDED_BY(mutex_) = false;  // the plane has the latest image
  bool refusal_was_logged_ TANDEM_GUARDED_BY(mutex_) = false;
};

}  // namespace tandem::kms
