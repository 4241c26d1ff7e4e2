// An output without a screen: nothing, a picture, a video, or a raw stream that tests read back.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "outputs/output.h"

namespace tandem::outputs {

enum class HeadlessKind {
  kNone,  // frames are dropped unread
  kPng,   // `path` holds the last shown frame: written at most once a second while frames come, and when the output goes;
          // replaced by rename, so a reader never sees half a picture
  kY4m,   // YUV4MPEG2 4:2:0 (BT.709, limited range, centred chroma), for ffmpeg and mpv; a video has one size
  kRaw,   // the stream of raw_stream.h: unconverted frames behind headers
};

struct HeadlessOptions {
  HeadlessKind kind = HeadlessKind::kNone;
  std::string path;          // file to write; ignored for kNone
  double refresh_hz = 60.0;  // 1..1000; of the virtual vertical blank, which the driver keeps
  // How the window stands that the frames were drawn for, from any thread, never blocking; empty: there is none, and frames of
  // any extent fit.
  std::function<OutputStatus()> window_status = {};
};

// The file of an output of this kind is there or could be made; nothing of it is touched. kIo with path and errno, kUnsupported
// for a picture that would replace something else than a file.
[[nodiscard]] Result<void> CheckHeadlessFile(HeadlessKind kind, const std::string& path);

// Opens the file where there is one. kInvalidArgument for a refresh rate outside the range or an empty path, kIo with path and
// errno. Show answers kIo when the file can no longer be written, kUnsupported for a format without 8-bit conversion.
[[nodiscard]] Result<std::unique_ptr<Output>> CreateHeadlessOutput(const HeadlessOptions& options);

}  // namespace tandem::outputs
