// Frames as a YUV4MPEG2 video: BT.709 matrix, limited range.
#pragma once

#include <memory>
#include <string>

#include "outputs/headless/sink.h"

namespace tandem::outputs {

enum class Chroma { k420, k444 };

// The first frame decides the video's size. A frame of another size lies in its upper left corner: on black where it is smaller,
// cut off where it is larger.
[[nodiscard]] Result<std::unique_ptr<Sink>> CreateY4mSink(const std::string& path, Chroma chroma, double frames_per_second);

}  // namespace tandem::outputs
