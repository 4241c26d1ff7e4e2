// What codec_bench measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::bench {

struct Row {
  std::string table;
  std::string name;
  double median_ms = 0;
  double gigabytes_per_second = 0;  // of the frame's four-byte pixels
  double times_peer = 0;    // how many times faster than libyuv's NV12, LZ4, or the peer that the table names; 0: it is not here
  double times_memcpy = 0;  // than memcpy of the frame; 0: not compared with it
  double of_traffic = 0;    // of the speed of the same reads and writes without arithmetic; 0: not measured
  double of_whole = 0;      // the time within a budget over that of "encode tiles"; 0: no budget
  double ratio = 0;         // bytes of the frame over bytes coded; 0: not a coding
};

struct Frame {
  std::string name;
  std::uint32_t width, height;
  std::vector<std::byte> pixels;  // B8G8R8X8, rows one after the other
};

// The generated pictures, and the last frame of each raw stream (outputs/headless/raw_stream.h).
[[nodiscard]] std::vector<Frame> LoadFrames(const std::vector<std::string>& raw_streams);

// Conversion to YUV 4:2:0 and back against libyuv.
[[nodiscard]] std::vector<Row> MeasureYuv(std::uint32_t width, std::uint32_t height, std::size_t rounds);

// Lossless tiles, the same within budgets, on 4:2:0 planes, and a frame without changes, against LZ4.
[[nodiscard]] std::vector<Row> MeasureTiles(const Frame& frame, std::size_t rounds);

// Frames that come out of a link and stand turned: at once, and by a copy behind an upright one.
[[nodiscard]] std::vector<Row> MeasureTurned(std::uint32_t width, std::uint32_t height, std::size_t rounds);

}  // namespace tandem::bench
