// An output without a screen: nothing, a picture, a video, or a raw stream that tests read.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "outputs/output.h"

namespace tandem::outputs {

enum class HeadlessKind {
  kNone,  // frames are dropped unread
  kPng,   // `path` holds the last shown frame: written at most once a second during frames, and at the output's end;
          // replaced by rename, so a reader never sees half a picture
  kY4m,   // YUV4MPEG2 4:2:0 (BT.709, limited range, centred chroma), for ffmpeg and mpv; a video has one size
  kRaw,   // the stream of raw_stream.h: unconverted frames behind headers
};

struct HeadlessOptions {
  HeadlessKind kind = HeadlessKind::kNone;
  std::string path;          // file to write; ignored for kNone
  double refresh_hz = 60.0;  // 1..1000; rate of the virtual vertical blank, which the driver generates
  // The status of the window that the frames were drawn for. Called on any thread; never blocks. Empty: there is no window, and
  // frames of any extent fit.
  std::function<OutputStatus()> window_status = {};
};

// Succeeds if the file for this kind of output exists or can be created; the file is not changed. kIo with path and errno;
// kUnsupported for a picture that would replace anything but a regular file.
[[nodiscard]] Result<void> CheckHeadlessFile(HeadlessKind kind, const std::string& path);

// Opens the file, if the kind has one. kInvalidArgument for a refresh rate out of range or an empty path, kIo with path and
// errno. Show returns kIo when the file can no longer be written, kUnsupported for a format without 8-bit conversion.
[[nodiscard]] Result<std::unique_ptr<Output>> CreateHeadlessOutput(const HeadlessOptions& options);

}  // namespace tandem::outputs
