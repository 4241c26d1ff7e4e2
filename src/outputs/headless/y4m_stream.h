// Frames as a YUV4MPEG2 video: 4:2:0 with centred chroma, BT.709 matrix, limited range.
#pragma once

#include <memory>
#include <string>

#include "outputs/headless/sink.h"

namespace tandem::outputs {

// The first frame sets the video's size. A frame of another size is placed in the upper left corner: a smaller one on black, a
// larger one cropped. kUnsupported in a build without YUV 4:2:0, kIo with path and errno.
[[nodiscard]] Result<std::unique_ptr<Sink>> CreateY4mSink(const std::string& path, double frames_per_second);

}  // namespace tandem::outputs
