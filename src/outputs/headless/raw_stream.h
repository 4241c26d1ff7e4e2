// The raw stream, by which tests and benches compare frames. Each frame is a header of 44 bytes, little endian, and its rows:
//   offset  size  field
//        0     8  "TNDMRAW1"
//        8     8  frame index, from 0
//       16     4  width in pixels
//       20     4  height in pixels
//       24     4  DXGI format
//       28     4  pitch in bytes: always width * bytes per pixel
//       32     8  bytes that follow the header: pitch * height
//       40     4  0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "color/format.h"
#include "outputs/headless/file_writer.h"
#include "outputs/headless/sink.h"

namespace tandem::outputs {

inline constexpr std::size_t kRawHeaderBytes = 44;

struct RawHeader {
  std::uint64_t frame_index = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  color::Format format = color::Format::kUnknown;
  std::uint32_t pitch = 0;
  std::uint64_t bytes = 0;
};

[[nodiscard]] std::array<std::byte, kRawHeaderBytes> EncodeRawHeader(const RawHeader& header);
// kInvalidArgument for fewer than kRawHeaderBytes bytes, a wrong magic, or contradictory sizes.
[[nodiscard]] Result<RawHeader> DecodeRawHeader(std::span<const std::byte> bytes);

[[nodiscard]] Result<std::unique_ptr<Sink>> CreateRawSink(const std::string& path);

}  // namespace tandem::outputs
