#include "link/trial/encoding_trial.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/check.h"
#include "codec/bc1/bc1.h"
#include "codec/packed/packed_rgb.h"
#include "codec/tiles/tile_decoder.h"
#include "codec/tiles/tile_encoder.h"
#include "codec/yuv/yuv_tiles.h"

namespace tandem::link {
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

color::Bgra8<std::byte> DecodedOf(EncodingTrial& trial, const color::Bgra8<const std::byte>& picture) {
  return {trial.decoded.data(), 4ULL * picture.width, picture.width, picture.height};
}

// A surface coded as one slice.
class Slice {
 public:
  Slice(codec::TileContent content, std::uint32_t width, std::uint32_t height)
      : content_(content),
        bytes_(codec::TileSliceCapacity(content, width, codec::TileRows(height))),
        room_(codec::TileBudgetRoomBytes(width, codec::TileRows(height))) {}

  void Encode(const codec::SampleSurface<const std::byte>& surface, std::uint64_t budget_bytes) {
    codec::TileSliceJob job;
    job.content = content_;
    job.frame = surface;
    job.frame_number = 1;
    job.row_count = codec::TileRows(surface.height);
    job.budget_bytes = budget_bytes;
    job.budget_room = room_;
    const auto summary = codec::EncodeTileSlice(job, bytes_);
    TANDEM_CHECK(summary.ok());
    size_ = summary->bytes;
  }

  void Decode(const codec::SampleSurface<std::byte>& surface) const {
    const auto checked = codec::CheckTileSlice(std::span(bytes_).first(size_));
    TANDEM_CHECK(checked.ok());
    codec::DecodeTileSlice(*checked, surface, {});
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  codec::TileContent content_;
  std::vector<std::byte> bytes_;
  std::vector<std::byte> room_;
  std::uint64_t size_ = 0;
};

void TryTiles(const color::Bgra8<const std::byte>& picture, std::uint64_t divisor, Clock& clock, EncodingTrial& trial) {
  const codec::SampleSurface<const std::byte> from{picture.pixels, picture.pitch, picture.width, picture.height};
  Slice slice(codec::TileContent::kBgrx8, picture.width, picture.height);
  slice.Encode(from, 0);
  const std::uint64_t floor = codec::TileSliceFloor(codec::TileContent::kBgrx8, picture.width, codec::TileRows(picture.height));
  const std::uint64_t budget = divisor == 1 ? 0 : std::max(floor, slice.size() / divisor);
  trial.encode_ns = FastestOf(clock, [&] { slice.Encode(from, budget); });
  trial.decode_ns = FastestOf(clock, [&] {
    slice.Decode({trial.decoded.data(), 4ULL * picture.width, picture.width, picture.height});
  });
  trial.bytes = slice.size();
}

[[maybe_unused]] void TryYuv(const color::Bgra8<const std::byte>& picture, color::ChromaFilter filter, Clock& clock,
                             EncodingTrial& trial) {
  const std::uint64_t chroma_pitch = 2ULL * color::ChromaExtent(picture.width);
  std::vector<std::byte> y(std::size_t{picture.width} * picture.height);
  std::vector<std::byte> pairs(chroma_pitch * color::ChromaExtent(picture.height));
  const color::Yuv420<std::byte> planes{color::YuvLayout::kNv12, y.data(), pairs.data(), nullptr, picture.width, chroma_pitch};
  trial.encode_ns = FastestOf(clock, [&] { color::EncodeYuv420(planes, picture, {}); });
  trial.decode_ns = FastestOf(clock, [&] {
    color::DecodeYuv420(DecodedOf(trial, picture), {planes.layout, y.data(), pairs.data(), nullptr, picture.width, chroma_pitch},
                        {}, filter);
  });
  trial.bytes = y.size() + pairs.size();
}

[[maybe_unused]] void TryYuvTiles(const color::Bgra8<const std::byte>& picture, codec::FullChroma full_chroma, Clock& clock,
                                  EncodingTrial& trial) {
  std::vector<std::byte> bytes(codec::YuvTilesCapacity(picture.width, picture.height, full_chroma));
  std::vector<std::byte> room(codec::YuvTilesRoomBytes(picture.width, picture.height, full_chroma));
  trial.encode_ns = FastestOf(clock, [&] {
    const auto summary = codec::EncodeYuvTiles({picture, 1, {}, full_chroma}, bytes, room);
    TANDEM_CHECK(summary.ok());
    trial.bytes = summary->bytes;
  });
  trial.decode_ns = FastestOf(clock, [&] {
    const auto checked = codec::CheckYuvTiles(std::span(bytes).first(trial.bytes));
    TANDEM_CHECK(checked.ok());
    codec::DecodeYuvTiles(*checked, DecodedOf(trial, picture), {}, color::ChromaFilter::kNearest, room);
  });
}

void TryAnyYuv(Encoding encoding, const color::Bgra8<const std::byte>& picture, Clock& clock, EncodingTrial& trial) {
  TANDEM_CHECK(IsBuilt(encoding));
  if constexpr (color::kHasYuv420) {
    constexpr std::uint32_t kEighth = 125;
    if (encoding == Encoding::kYuv420) TryYuv(picture, color::ChromaFilter::kNearest, clock, trial);
    if (encoding == Encoding::kYuv420Smooth) TryYuv(picture, color::ChromaFilter::kBilinear, clock, trial);
    if (encoding == Encoding::kYuv420Tiles) TryYuvTiles(picture, {}, clock, trial);
    if (encoding == Encoding::kYuv420FullChroma) TryYuvTiles(picture, {kEighth, codec::FullChroma{}.least_step}, clock, trial);
  } else {
    static_cast<void>(picture);
    static_cast<void>(clock);
    static_cast<void>(trial);
  }
}

void TryPacked(const color::Bgra8<const std::byte>& picture, Clock& clock, EncodingTrial& trial) {
  const std::uint64_t row_bytes = codec::PackedRowBytes(codec::PackedRgb::k24, picture.width);
  std::vector<std::byte> packed(row_bytes * picture.height);
  trial.encode_ns = FastestOf(clock, [&] {
    codec::PackRgb(codec::PackedRgb::k24, packed.data(), row_bytes, picture.pixels, picture.pitch, picture.width, picture.height);
  });
  trial.decode_ns = FastestOf(clock, [&] {
    codec::UnpackRgb(codec::PackedRgb::k24, trial.decoded.data(), 4ULL * picture.width, packed.data(), row_bytes, picture.width,
                     picture.height);
  });
  trial.bytes = packed.size();
}

void TryBlocks(const color::Bgra8<const std::byte>& picture, Clock& clock, EncodingTrial& trial) {
  std::vector<std::byte> blocks(codec::Bc1Bytes(picture.width, picture.height));
  const std::uint64_t row_bytes = codec::Bc1RowBytes(picture.width);
  trial.encode_ns = FastestOf(clock, [&] { codec::EncodeBc1(blocks.data(), row_bytes, picture); });
  trial.decode_ns = FastestOf(clock, [&] { codec::DecodeBc1(DecodedOf(trial, picture), blocks.data(), row_bytes); });
  trial.bytes = blocks.size();
}

}  // namespace

std::string_view ToString(Encoding encoding) {
  switch (encoding) {
    case Encoding::kPacked: return "packed";
    case Encoding::kTiles: return "lossless";
    case Encoding::kTilesHalf: return "tiles, half the bytes";
    case Encoding::kYuv420: return "420";
    case Encoding::kYuv420Smooth: return "420, bilinear";
    case Encoding::kYuv420Tiles: return "420-tiles, none in full";
    case Encoding::kYuv420FullChroma: return "420-tiles";
    case Encoding::kBlocks: return "bc1";
  }
  return "unknown";
}

EncodingTrial TryEncoding(Encoding encoding, const color::Bgra8<const std::byte>& picture, Clock& clock) {
  EncodingTrial trial;
  trial.decoded.resize(4ULL * picture.width * picture.height);
  switch (encoding) {
    case Encoding::kPacked: TryPacked(picture, clock, trial); break;
    case Encoding::kTiles: TryTiles(picture, 1, clock, trial); break;
    case Encoding::kTilesHalf: TryTiles(picture, 2, clock, trial); break;
    case Encoding::kYuv420:
    case Encoding::kYuv420Smooth:
    case Encoding::kYuv420Tiles:
    case Encoding::kYuv420FullChroma: TryAnyYuv(encoding, picture, clock, trial); break;
    case Encoding::kBlocks: TryBlocks(picture, clock, trial); break;
  }
  return trial;
}

}  // namespace tandem::link
