#include "outputs/headless/y4m_stream.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "color/convert.h"
#include "outputs/eight_bits.h"
#include "outputs/headless/file_writer.h"

namespace tandem::outputs {
namespace {

// BT.709 with limited range, coefficients scaled by 2^16; each luma row sums to 219, each chroma row to 0.
struct Coefficients {
  std::int32_t r, g, b;
};
constexpr Coefficients kLuma{11966, 40254, 4064};
constexpr Coefficients kCb{-6596, -22189, 28784};
constexpr Coefficients kCr{28784, -26145, -2639};

std::uint8_t Weigh(const Coefficients& c, std::int32_t r, std::int32_t g, std::int32_t b, std::int32_t offset) {
  const std::int32_t value = ((c.r * r + c.g * g + c.b * b + (1 << 15)) >> 16) + offset;
  return static_cast<std::uint8_t>(std::clamp(value, 0, 255));
}

struct Pixel {
  std::int32_t r, g, b;
};

class Y4mSink final : public Sink {
 public:
  Y4mSink(FileWriter file, Chroma chroma, double frames_per_second)
      : file_(std::move(file)), chroma_(chroma), frames_per_1000_s_(std::lround(frames_per_second * 1000)) {}

  Result<std::uint64_t> Write(const Surface& surface) override {
    if (!color::ConvertsToBgra8(surface.format)) {
      return Fail(ErrorKind::kUnsupported, "Format {} cannot be written to a video.", static_cast<std::uint32_t>(surface.format));
    }
    if (width_ == 0) Measure(surface);
    if (!started_) {
      if (auto started = file_.Write(std::as_bytes(std::span(header_))); !started.ok()) return std::move(started).error();
      started_ = true;
    }
    Surface shown = surface;
    shown.width = std::min(surface.width, width_);
    shown.height = std::min(surface.height, height_);
    if (shown.width < width_ || shown.height < height_) std::fill(bgra_.begin(), bgra_.end(), std::byte{0});
    ToBgra8(bgra_.data(), std::uint64_t{4} * width_, shown, 0, shown.height, color::Alpha::kOpaque);
    FillPlanes();
    if (auto written = file_.Write(frame_); !written.ok()) return std::move(written).error();
    return bgra_.size() + frame_.size() - kFrameHeader.size();
  }

 private:
  static constexpr std::string_view kFrameHeader = "FRAME\n";

  // The video's size is known when there is memory for its frames.
  void Measure(const Surface& surface) {
    const std::uint32_t width = surface.width;
    const std::uint32_t height = surface.height;
    chroma_width_ = chroma_ == Chroma::k420 ? (width + 1) / 2 : width;
    chroma_height_ = chroma_ == Chroma::k420 ? (height + 1) / 2 : height;
    bgra_.resize(std::size_t{4} * width * height);
    frame_.resize(kFrameHeader.size() + std::size_t{width} * height + std::size_t{2} * chroma_width_ * chroma_height_);
    std::memcpy(frame_.data(), kFrameHeader.data(), kFrameHeader.size());
    header_ = "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + " F" + std::to_string(frames_per_1000_s_) +
              ":1000 Ip A1:1 " + (chroma_ == Chroma::k420 ? "C420mpeg2" : "C444") + " XCOLORRANGE=LIMITED\n";
    width_ = width;
    height_ = height;
  }

  [[nodiscard]] Pixel At(std::uint32_t x, std::uint32_t y) const {
    const std::byte* p = bgra_.data() + (std::size_t{y} * width_ + x) * 4;
    return {static_cast<std::int32_t>(p[2]), static_cast<std::int32_t>(p[1]), static_cast<std::int32_t>(p[0])};
  }

  // MPEG-2 siting: the chroma sample lies on the left pixel of its pair and between its two rows.
  [[nodiscard]] Pixel Average(std::uint32_t x, std::uint32_t y) const {
    const std::uint32_t left = x == 0 ? 0 : x - 1;
    const std::uint32_t right = std::min(x + 1, width_ - 1);
    const std::uint32_t below = std::min(y + 1, height_ - 1);
    Pixel sum{4, 4, 4};
    for (const std::uint32_t row : {y, below}) {
      for (const auto& [column, weight] : {std::pair{left, 1}, std::pair{x, 2}, std::pair{right, 1}}) {
        const Pixel p = At(column, row);
        sum = {sum.r + weight * p.r, sum.g + weight * p.g, sum.b + weight * p.b};
      }
    }
    return {sum.r >> 3, sum.g >> 3, sum.b >> 3};
  }

  void FillPlanes() {
    auto* luma = reinterpret_cast<std::uint8_t*>(frame_.data() + kFrameHeader.size());
    for (std::uint32_t y = 0; y < height_; ++y) {
      for (std::uint32_t x = 0; x < width_; ++x) {
        const Pixel p = At(x, y);
        *luma++ = Weigh(kLuma, p.r, p.g, p.b, 16);
      }
    }
    std::uint8_t* cb = luma;
    std::uint8_t* cr = cb + std::size_t{chroma_width_} * chroma_height_;
    for (std::uint32_t y = 0; y < chroma_height_; ++y) {
      for (std::uint32_t x = 0; x < chroma_width_; ++x) {
        const Pixel p = chroma_ == Chroma::k420 ? Average(2 * x, 2 * y) : At(x, y);
        *cb++ = Weigh(kCb, p.r, p.g, p.b, 128);
        *cr++ = Weigh(kCr, p.r, p.g, p.b, 128);
      }
    }
  }

  FileWriter file_;
  Chroma chroma_;
  long frames_per_1000_s_;
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::uint32_t chroma_width_ = 0;
  std::uint32_t chroma_height_ = 0;
  std::string header_;
  bool started_ = false;  // the header is written
  std::vector<std::byte> bgra_;
  std::vector<std::byte> frame_;  // header and planes, one write for each frame
};

}  // namespace

Result<std::unique_ptr<Sink>> CreateY4mSink(const std::string& path, Chroma chroma, double frames_per_second) {
  auto file = FileWriter::Create(path);
  if (!file.ok()) return std::move(file).error();
  return std::make_unique<Y4mSink>(*std::move(file), chroma, frames_per_second);
}

}  // namespace tandem::outputs
