// The cases of codec_bench.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::bench {

struct Row {
  std::string table;
  std::string name;
  double median_ms = 0;
  double gigabytes_per_second = 0;  // counts the frame's four-byte pixels
  double times_peer = 0;            // speed over libyuv's NV12, LZ4, or the table's peer; 0: the peer is not installed
  double times_memcpy = 0;          // speed over memcpy of the frame; 0: not compared
  double of_traffic = 0;            // speed over the same reads and writes without arithmetic; 0: not measured
  double of_whole = 0;              // time within a budget over the time of "encode tiles"; 0: no budget
  double ratio = 0;                 // bytes of the frame over coded bytes; 0: the case encodes nothing
};

struct Frame {
  std::string name;
  std::uint32_t width, height;
  std::vector<std::byte> pixels;  // B8G8R8X8, rows without padding
};

// The generated pictures, and the last frame of each raw stream (outputs/headless/raw_stream.h).
[[nodiscard]] std::vector<Frame> LoadFrames(const std::vector<std::string>& raw_streams);

// Limits libyuv to an instruction set, in Highway's words; nothing for those that it hardly uses.
void LimitLibyuv(std::string_view target);

// Conversion to YUV 4:2:0 and back against libyuv.
[[nodiscard]] std::vector<Row> MeasureYuv(std::uint32_t width, std::uint32_t height, std::size_t rounds);

// Lossless tiles against LZ4: unlimited, within budgets, on 4:2:0 planes, and a frame without changes.
[[nodiscard]] std::vector<Row> MeasureTiles(const Frame& frame, std::size_t rounds);

// Decodes frames into a rotated picture: directly, and by a copy after upright decoding.
[[nodiscard]] std::vector<Row> MeasureTurned(std::uint32_t width, std::uint32_t height, std::size_t rounds);

}  // namespace tandem::bench
