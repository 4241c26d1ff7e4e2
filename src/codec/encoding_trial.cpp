#include "codec/encoding_trial.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/check.h"
#include "codec/tile_decoder.h"
#include "codec/tile_encoder.h"

namespace tandem::codec {
namespace {

constexpr int kRuns = 5;

template <class Work>
std::int64_t FastestOf(Clock& clock, Work&& work) {
  std::int64_t fastest = std::numeric_limits<std::int64_t>::max();
  for (int run = 0; run < kRuns; ++run) {
    const std::int64_t start = clock.NowNs();
    work();
    fastest = std::min(fastest, clock.NowNs() - start);
  }
  return fastest;
}

// A surface as one slice.
class Slice {
 public:
  Slice(TileContent content, std::uint32_t width, std::uint32_t height)
      : content_(content), bytes_(TileSliceCapacity(content, width, TileRows(height))) {}

  void Encode(const SampleSurface<const std::byte>& surface, std::uint64_t budget_bytes) {
    TileSliceJob job;
    job.content = content_;
    job.frame = surface;
    job.frame_number = 1;
    job.row_count = TileRows(surface.height);
    job.budget_bytes = budget_bytes;
    const auto summary = EncodeTileSlice(job, bytes_);
    TANDEM_CHECK(summary.ok());
    size_ = summary->bytes;
  }

  void Decode(const SampleSurface<std::byte>& surface) const {
    const auto checked = CheckTileSlice(std::span(bytes_).first(size_));
    TANDEM_CHECK(checked.ok());
    DecodeTileSlice(*checked, surface, {});
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  TileContent content_;
  std::vector<std::byte> bytes_;
  std::uint64_t size_ = 0;
};

void TryTiles(const color::Bgra8<const std::byte>& picture, std::uint64_t divisor, Clock& clock, EncodingTrial& trial) {
  const SampleSurface<const std::byte> from{picture.pixels, picture.pitch, picture.width, picture.height};
  Slice slice(TileContent::kBgrx8, picture.width, picture.height);
  slice.Encode(from, 0);
  const std::uint64_t floor = TileSliceFloor(TileContent::kBgrx8, picture.width, TileRows(picture.height));
  const std::uint64_t budget = divisor == 1 ? 0 : std::max(floor, slice.size() / divisor);
  trial.encode_ns = FastestOf(clock, [&] { slice.Encode(from, budget); });
  trial.decode_ns = FastestOf(clock, [&] {
    slice.Decode({trial.decoded.data(), 4ULL * picture.width, picture.width, picture.height});
  });
  trial.bytes = slice.size();
}

void TryYuv(const color::Bgra8<const std::byte>& picture, color::ChromaFilter filter, bool tiles, Clock& clock,
            EncodingTrial& trial) {
  const std::uint32_t chroma_width = color::ChromaExtent(picture.width);
  const std::uint32_t chroma_height = color::ChromaExtent(picture.height);
  std::vector<std::byte> y(std::size_t{picture.width} * picture.height);
  std::vector<std::byte> u(2 * std::size_t{chroma_width} * chroma_height);
  std::vector<std::byte> v(u.size() / 2);
  const auto layout = tiles ? color::YuvLayout::kThreePlanes : color::YuvLayout::kNv12;
  const std::uint64_t chroma_pitch = tiles ? chroma_width : 2ULL * chroma_width;
  Slice luma(TileContent::kPlane8, picture.width, picture.height);
  Slice blue(TileContent::kPlane8, chroma_width, chroma_height);
  Slice red(TileContent::kPlane8, chroma_width, chroma_height);
  trial.encode_ns = FastestOf(clock, [&] {
    color::EncodeYuv420({layout, y.data(), u.data(), v.data(), picture.width, chroma_pitch}, picture, {});
    if (!tiles) return;
    luma.Encode({y.data(), picture.width, picture.width, picture.height}, 0);
    blue.Encode({u.data(), chroma_width, chroma_width, chroma_height}, 0);
    red.Encode({v.data(), chroma_width, chroma_width, chroma_height}, 0);
  });
  trial.decode_ns = FastestOf(clock, [&] {
    if (tiles) {
      luma.Decode({y.data(), picture.width, picture.width, picture.height});
      blue.Decode({u.data(), chroma_width, chroma_width, chroma_height});
      red.Decode({v.data(), chroma_width, chroma_width, chroma_height});
    }
    color::DecodeYuv420({trial.decoded.data(), 4ULL * picture.width, picture.width, picture.height},
                        {layout, y.data(), u.data(), v.data(), picture.width, chroma_pitch}, {}, filter);
  });
  trial.bytes = tiles ? luma.size() + blue.size() + red.size() : y.size() + u.size();
}

}  // namespace

std::string_view ToString(Encoding encoding) {
  switch (encoding) {
    case Encoding::kTiles: return "tiles";
    case Encoding::kTilesHalf: return "tiles, half the bytes";
    case Encoding::kYuv420: return "4:2:0";
    case Encoding::kYuv420Smooth: return "4:2:0, bilinear";
    case Encoding::kYuv420Tiles: return "4:2:0 in tiles";
  }
  return "unknown";
}

EncodingTrial TryEncoding(Encoding encoding, const color::Bgra8<const std::byte>& picture, Clock& clock) {
  EncodingTrial trial;
  trial.decoded.resize(4ULL * picture.width * picture.height);
  switch (encoding) {
    case Encoding::kTiles: TryTiles(picture, 1, clock, trial); break;
    case Encoding::kTilesHalf: TryTiles(picture, 2, clock, trial); break;
    case Encoding::kYuv420: TryYuv(picture, color::ChromaFilter::kNearest, false, clock, trial); break;
    case Encoding::kYuv420Smooth: TryYuv(picture, color::ChromaFilter::kBilinear, false, clock, trial); break;
    case Encoding::kYuv420Tiles: TryYuv(picture, color::ChromaFilter::kNearest, true, clock, trial); break;
  }
  return trial;
}

}  // namespace tandem::codec
