#include <algorithm>
#include <cstring>
#include <fstream>

#include <fmt/core.h>

#include "base/check.h"
#include "bench/codec_cases.h"
#include "bench/round_robin.h"
#include "codec/pictures/pictures.h"
#include "codec/tiles/tile_decoder.h"
#include "codec/tiles/tile_encoder.h"
#include "codec/yuv/yuv_tiles.h"
#include "color/yuv.h"
#include "outputs/headless/raw_stream.h"
#if TANDEM_BENCH_LZ4
#include <lz4.h>
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tandem::bench {
namespace {

using codec::TileContent;

constexpr std::uint64_t kRingBytes = 128ULL << 20;

#if defined(__SSE2__)
// Reads a frame's pixels and writes as many bytes as its coded form has, without any arithmetic.
void ReadPixelsWriteCoded(std::byte* coded, std::uint64_t coded_bytes, const std::byte* pixels, std::uint64_t bytes) {
  std::uint64_t written = 0;
  for (std::uint64_t x = 0; x + 64 <= bytes; x += 64) {
    __m128i sum = _mm_setzero_si128();
    for (std::uint64_t i = 0; i < 64; i += 16) {
      sum = _mm_xor_si128(sum, _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels + x + i)));
    }
    for (; written + 16 <= (x + 64) * coded_bytes / bytes; written += 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(coded + written), sum);
    }
  }
}

// Writes a row of tiles back in tile order, with streaming stores of cache lines in eight rows. The stores cover whole lines if
// the processor has such stores.
__attribute__((target("avx512f"))) void ReadCodedWriteRow512(std::byte* pixels, std::uint64_t pitch, const std::byte* coded,
                                                             std::uint64_t coded_bytes) {
  __m512i sum = _mm512_setzero_si512();
  std::uint64_t read = 0;
  for (std::uint64_t x = 0; x < pitch; x += 64) {
    for (; read + 64 <= (x + 64) * coded_bytes / pitch; read += 64) {
      sum = _mm512_xor_si512(sum, _mm512_loadu_si512(coded + read));
    }
    for (std::uint64_t y = 0; y < 8; ++y) _mm512_stream_si512(reinterpret_cast<__m512i*>(pixels + y * pitch + x), sum);
  }
}

void ReadCodedWriteRow(std::byte* pixels, std::uint64_t pitch, const std::byte* coded, std::uint64_t coded_bytes) {
  if (__builtin_cpu_supports("avx512f") != 0) return ReadCodedWriteRow512(pixels, pitch, coded, coded_bytes);
  __m128i sum = _mm_setzero_si128();
  std::uint64_t read = 0;
  for (std::uint64_t x = 0; x < pitch; x += 64) {
    for (; read + 16 <= (x + 64) * coded_bytes / pitch; read += 16) {
      sum = _mm_xor_si128(sum, _mm_loadu_si128(reinterpret_cast<const __m128i*>(coded + read)));
    }
    for (std::uint64_t y = 0; y < 8; ++y) {
      for (std::uint64_t i = 0; i < 64; i += 16) _mm_stream_si128(reinterpret_cast<__m128i*>(pixels + y * pitch + x + i), sum);
    }
  }
}

void ReadCodedWritePixels(std::byte* pixels, std::uint64_t pitch, std::uint64_t height, const std::byte* coded,
                          std::uint64_t coded_bytes) {
  const std::uint64_t rows = height / 8;
  for (std::uint64_t row = 0; row < rows; ++row) {
    ReadCodedWriteRow(pixels + row * 8 * pitch, pitch, coded + row * (coded_bytes / rows), coded_bytes / rows);
  }
  _mm_sfence();
}
#endif

// One slice that covers the whole surface.
struct Slice {
  Slice(std::uint32_t width, std::uint32_t height)
      : bytes(codec::TileSliceCapacity(TileContent::kBgrx8, width, codec::TileRows(height))),
        room(codec::TileBudgetRoomBytes(width, codec::TileRows(height))) {}

  void Encode(const std::byte* samples, std::uint64_t pitch, std::uint32_t width, std::uint32_t height,
              const std::byte* reference) {
    codec::TileSliceJob job;
    job.frame = {samples, pitch, width, height};
    if (reference != nullptr) job.reference = {reference, pitch, width, height};
    job.frame_number = 2;
    job.reference_number = reference != nullptr ? 1 : 0;
    job.row_count = codec::TileRows(height);
    if (budget != 0) job.budget_bytes = std::max(budget, codec::TileSliceFloor(job.content, width, job.row_count));
    job.budget_room = room;
    const auto summary = codec::EncodeTileSlice(job, bytes);
    TANDEM_CHECK(summary.ok());
    size = summary->bytes;
  }

  void Decode(std::byte* samples, std::uint64_t pitch, std::uint32_t width, std::uint32_t height) const {
    const auto checked = codec::CheckTileSlice(std::span(bytes).first(size));
    TANDEM_CHECK(checked.ok());
    codec::DecodeTileSlice(*checked, {samples, pitch, width, height}, {samples, pitch, width, height});
  }

  std::vector<std::byte> bytes;
  std::vector<std::byte> room;
  std::uint64_t budget = 0;  // 0: none
  std::uint64_t size = 0;
};

// 4:2:0 planes of a frame, each encoded in tiles.
struct CodedPlanes {
  CodedPlanes(std::uint32_t width, std::uint32_t height)
      : bytes(codec::YuvTilesCapacity(width, height, {})), room(codec::YuvTilesRoomBytes(width, height, codec::FullChroma{})) {}

  void Encode(const std::byte* pixels, std::uint32_t width, std::uint32_t height) {
    const auto summary = codec::EncodeYuvTiles({{pixels, 4ULL * width, width, height}, 1, {}, {}}, bytes, room);
    TANDEM_CHECK(summary.ok());
    size = summary->bytes;
  }

  void Decode(std::byte* pixels, std::uint32_t width, std::uint32_t height) {
    const auto checked = codec::CheckYuvTiles(std::span(bytes).first(size));
    TANDEM_CHECK(checked.ok());
    codec::DecodeYuvTiles(*checked, {pixels, 4ULL * width, width, height}, {}, color::ChromaFilter::kNearest, room);
  }

  std::vector<std::byte> bytes;
  std::vector<std::byte> room;
  std::uint64_t size = 0;
};

// Loads the last complete frame.
void LoadRawStream(const std::string& path, std::vector<Frame>& frames) {
  std::ifstream file(path, std::ios::binary);
  Frame last{path, 0, 0, {}};
  std::array<std::byte, outputs::kRawHeaderBytes> bytes{};
  while (file.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) {
    const auto header = outputs::DecodeRawHeader(bytes);
    if (!header.ok() || color::BytesPerPixel(header->format) != 4) break;
    std::vector<std::byte> pixels(header->bytes);
    if (!file.read(reinterpret_cast<char*>(pixels.data()), static_cast<std::streamsize>(pixels.size()))) break;
    last.width = header->width;
    last.height = header->height;
    last.pixels = std::move(pixels);
  }
  if (!last.pixels.empty()) frames.push_back(std::move(last));
}

}  // namespace

std::vector<Frame> LoadFrames(const std::vector<std::string>& raw_streams) {
  std::vector<Frame> frames;
  for (const codec::Picture picture : codec::kPictures) {
    frames.push_back({std::string(ToString(picture)), 1920, 1080, codec::DrawPicture(picture, 1920, 1080, 1)});
  }
  for (const std::string& path : raw_streams) LoadRawStream(path, frames);
  return frames;
}

std::vector<Row> MeasureTiles(const Frame& frame, std::size_t rounds) {
  const std::uint32_t width = frame.width;
  const std::uint32_t height = frame.height;
  const std::uint64_t pitch = 4ULL * width;
  const std::uint64_t bytes = frame.pixels.size();
  const std::uint64_t count = kRingBytes / bytes + 1;
  const Buffer in(count * bytes);
  const Buffer out(count * bytes);
  for (std::uint64_t i = 0; i < count; ++i) std::memcpy(in.data() + i * bytes, frame.pixels.data(), bytes);
  const auto at = [&](const Buffer& ring, std::size_t turn) { return ring.data() + turn % count * bytes; };
  Slice slice(width, height);
  Slice still(width, height);
  Slice coded(width, height);
  coded.Encode(frame.pixels.data(), pitch, width, height, nullptr);
  CodedPlanes planes(width, height);
  std::vector<Contender> contenders;
  std::vector<std::uint64_t*> sizes;
  std::uint64_t coded_planes = 0;
  [[maybe_unused]] std::uint64_t lz4_size = 0;  // stays unused without LZ4
  const auto add = [&](const char* name, std::uint64_t* size, std::function<void(std::size_t)> run) {
    contenders.push_back({name, std::move(run)});
    sizes.push_back(size);
  };
  add("memcpy of the frame", nullptr, [&](std::size_t t) { std::memcpy(at(out, t), at(in, t), bytes); });
  add("encode tiles", &slice.size, [&](std::size_t t) { slice.Encode(at(in, t), pitch, width, height, nullptr); });
  Slice most(width, height);
  most.budget = coded.size * 9 / 10;
  add("encode within 90 %", &most.size, [&](std::size_t t) { most.Encode(at(in, t), pitch, width, height, nullptr); });
  Slice half(width, height);
  half.budget = coded.size / 2;
  add("encode within 50 %", &half.size, [&](std::size_t t) { half.Encode(at(in, t), pitch, width, height, nullptr); });
  add("encode unchanged tiles", &still.size,
      [&](std::size_t t) { still.Encode(at(in, t), pitch, width, height, at(in, t + 1)); });
  add("encode 4:2:0 and tiles", &coded_planes, [&](std::size_t t) {
    planes.Encode(at(in, t), width, height);
    coded_planes = planes.size;
  });
  add("decode tiles", nullptr, [&](std::size_t t) { coded.Decode(at(out, t), pitch, width, height); });
  add("decode 4:2:0 and tiles", nullptr, [&](std::size_t t) { planes.Decode(at(out, t), width, height); });
  std::size_t traffic = 0;
#if defined(__SSE2__)
  if (pitch % 64 == 0) {
    traffic = contenders.size();
    add("traffic to tiles", nullptr,
        [&](std::size_t t) { ReadPixelsWriteCoded(slice.bytes.data(), coded.size, at(in, t), bytes); });
    add("traffic from tiles", nullptr,
        [&](std::size_t t) { ReadCodedWritePixels(at(out, t), pitch, height, coded.bytes.data(), coded.size); });
  }
#endif
  std::size_t peer = 0;
#if TANDEM_BENCH_LZ4
  peer = contenders.size();
  const int whole = static_cast<int>(bytes);
  std::vector<char> lz4(static_cast<std::size_t>(LZ4_compressBound(whole)));
  const auto chars = [](std::byte* of) { return reinterpret_cast<char*>(of); };
  add("encode LZ4", &lz4_size, [&](std::size_t t) {
    lz4_size =
        static_cast<std::uint64_t>(LZ4_compress_default(chars(at(in, t)), lz4.data(), whole, static_cast<int>(lz4.size())));
  });
  add("decode LZ4", nullptr,
      [&](std::size_t t) { LZ4_decompress_safe(lz4.data(), chars(at(out, t)), static_cast<int>(lz4_size), whole); });
#endif
  const auto figures = RunRoundRobin(contenders, rounds);
  const auto& whole_tiles = *std::ranges::find(figures, "encode tiles", &Figures::name);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    Row row{fmt::format("Tiles, {}, {} x {}", frame.name, width, height), figures[i].name, figures[i].median_ms};
    row.gigabytes_per_second = 1e-6 * static_cast<double>(bytes) / figures[i].median_ms;
    row.times_memcpy = TimesFaster(figures[i], figures[0]);
    const bool back = figures[i].name.starts_with("decode") || figures[i].name == "traffic from tiles";
    if (traffic != 0 && figures[i].name == "encode tiles") row.of_traffic = TimesFaster(figures[i], figures[traffic]);
    if (traffic != 0 && figures[i].name == "decode tiles") row.of_traffic = TimesFaster(figures[i], figures[traffic + 1]);
    if (figures[i].name.starts_with("encode within")) row.of_whole = TimesFaster(whole_tiles, figures[i]);
    if (i > 0 && peer != 0) row.times_peer = TimesFaster(figures[i], figures[peer + (back ? 1 : 0)]);
    if (sizes[i] != nullptr && *sizes[i] != 0) row.ratio = static_cast<double>(bytes) / static_cast<double>(*sizes[i]);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace tandem::bench
