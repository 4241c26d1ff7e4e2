#include "outputs/headless/y4m_stream.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "color/convert.h"
#include "color/yuv.h"
#include "outputs/eight_bits.h"
#include "outputs/headless/file_writer.h"

namespace tandem::outputs {
namespace {

class Y4mSink final : public Sink {
 public:
  Y4mSink(FileWriter file, double frames_per_second)
      : file_(std::move(file)), frames_per_1000_s_(std::lround(frames_per_second * 1000)) {}

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
    if constexpr (color::kHasYuv420) FillPlanes();
    if (auto written = file_.Write(frame_); !written.ok()) return std::move(written).error();
    return bgra_.size() + frame_.size() - kFrameHeader.size();
  }

 private:
  static constexpr std::string_view kFrameHeader = "FRAME\n";

  // Sets the video's size last, so that a failed allocation leaves it unset.
  void Measure(const Surface& surface) {
    const std::uint32_t width = surface.width;
    const std::uint32_t height = surface.height;
    bgra_.resize(std::size_t{4} * width * height);
    frame_.resize(kFrameHeader.size() + std::size_t{width} * height +
                  std::size_t{2} * color::ChromaExtent(width) * color::ChromaExtent(height));
    std::memcpy(frame_.data(), kFrameHeader.data(), kFrameHeader.size());
    header_ = "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + " F" + std::to_string(frames_per_1000_s_) +
              ":1000 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n";
    width_ = width;
    height_ = height;
  }

  void FillPlanes() {
    const std::size_t chroma = std::size_t{color::ChromaExtent(width_)} * color::ChromaExtent(height_);
    std::byte* const luma = frame_.data() + kFrameHeader.size();
    std::byte* const cb = luma + std::size_t{width_} * height_;
    color::EncodeYuv420({color::YuvLayout::kThreePlanes, luma, cb, cb + chroma, width_, color::ChromaExtent(width_)},
                        {bgra_.data(), std::uint64_t{4} * width_, width_, height_},
                        {color::YuvMatrix::kBt709, color::YuvRange::kLimited});
  }

  FileWriter file_;
  long frames_per_1000_s_;
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::string header_;
  bool started_ = false;  // the header is written
  std::vector<std::byte> bgra_;
  std::vector<std::byte> frame_;  // header and planes, written in one call
};

}  // namespace

Result<std::unique_ptr<Sink>> CreateY4mSink(const std::string& path, double frames_per_second) {
  if constexpr (!color::kHasYuv420) {
    return Fail(ErrorKind::kUnsupported, "y4m needs YUV 4:2:0, which this build leaves out (TANDEM_YUV420=OFF); raw does not.");
  }
  auto file = FileWriter::Create(path);
  if (!file.ok()) return std::move(file).error();
  return std::make_unique<Y4mSink>(*std::move(file), frames_per_second);
}

}  // namespace tandem::outputs
