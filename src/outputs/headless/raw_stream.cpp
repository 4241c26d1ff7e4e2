#include "outputs/headless/raw_stream.h"

#include <cstring>
#include <vector>

#include "base/limits.h"
#include "color/copy.h"

namespace tandem::outputs {
namespace {

constexpr char kMagic[] = "TNDMRAW1";
constexpr std::size_t kMagicBytes = 8;

template <class T>
void Put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(value));
}

template <class T>
T Get(const std::byte* at) {
  T value{};
  std::memcpy(&value, at, sizeof(value));
  return value;
}

class RawSink final : public Sink {
 public:
  explicit RawSink(FileWriter file) : file_(std::move(file)) {}

  Result<std::uint64_t> Write(const Surface& surface) override {
    const std::uint32_t pitch = surface.width * color::BytesPerPixel(surface.format);
    const std::uint64_t bytes = std::uint64_t{pitch} * surface.height;
    const RawHeader header{next_index_, surface.width, surface.height, surface.format, pitch, bytes};
    // One buffer and one write, so that a reader of a pipe sees whole frames.
    frame_.resize(kRawHeaderBytes + bytes);
    const auto encoded = EncodeRawHeader(header);
    std::memcpy(frame_.data(), encoded.data(), encoded.size());
    color::CopyRows(frame_.data() + kRawHeaderBytes, pitch, surface.pixels, surface.pitch, pitch, surface.height);
    if (auto written = file_.Write(frame_); !written.ok()) return std::move(written).error();
    ++next_index_;
    return bytes;
  }

 private:
  FileWriter file_;
  std::vector<std::byte> frame_;
  std::uint64_t next_index_ = 0;
};

}  // namespace

std::array<std::byte, kRawHeaderBytes> EncodeRawHeader(const RawHeader& header) {
  std::array<std::byte, kRawHeaderBytes> bytes{};
  std::memcpy(bytes.data(), kMagic, kMagicBytes);
  Put(bytes.data() + 8, header.frame_index);
  Put(bytes.data() + 16, header.width);
  Put(bytes.data() + 20, header.height);
  Put(bytes.data() + 24, static_cast<std::uint32_t>(header.format));
  Put(bytes.data() + 28, header.pitch);
  Put(bytes.data() + 32, header.bytes);
  return bytes;
}

Result<RawHeader> DecodeRawHeader(std::span<const std::byte> bytes) {
  if (bytes.size() < kRawHeaderBytes) {
    return Fail(ErrorKind::kInvalidArgument, "A raw frame's header has {} bytes, not {}.", kRawHeaderBytes, bytes.size());
  }
  if (std::memcmp(bytes.data(), kMagic, kMagicBytes) != 0) {
    return Fail(ErrorKind::kInvalidArgument, "A raw frame begins with {}; these bytes do not.", kMagic);
  }
  RawHeader header;
  header.frame_index = Get<std::uint64_t>(bytes.data() + 8);
  header.width = Get<std::uint32_t>(bytes.data() + 16);
  header.height = Get<std::uint32_t>(bytes.data() + 20);
  header.format = static_cast<color::Format>(Get<std::uint32_t>(bytes.data() + 24));
  header.pitch = Get<std::uint32_t>(bytes.data() + 28);
  header.bytes = Get<std::uint64_t>(bytes.data() + 32);
  const std::uint32_t pixel_bytes = color::BytesPerPixel(header.format);
  const bool extent_fits =
      header.width >= 1 && header.width <= kMaxSurfaceExtent && header.height >= 1 && header.height <= kMaxSurfaceExtent;
  if (pixel_bytes == 0 || !extent_fits || header.pitch != header.width * pixel_bytes ||
      header.bytes != std::uint64_t{header.pitch} * header.height) {
    return Fail(ErrorKind::kInvalidArgument, "A raw frame of {} x {} pixels, pitch {} and {} bytes contradicts itself.",
                header.width, header.height, header.pitch, header.bytes);
  }
  return header;
}

Result<std::unique_ptr<Sink>> CreateRawSink(const std::string& path) {
  auto file = FileWriter::Create(path);
  if (!file.ok()) return std::move(file).error();
  return std::make_unique<RawSink>(*std::move(file));
}

}  // namespace tandem::outputs
