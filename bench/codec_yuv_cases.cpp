#include <cstring>
#include <random>

#include <fmt/core.h>

#include "bench/codec_cases.h"
#include "bench/round_robin.h"
#include "color/fill.h"
#include "color/yuv.h"
#if TANDEM_BENCH_LIBYUV
#include <libyuv.h>
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tandem::bench {
namespace {

using color::YuvLayout;

constexpr std::uint64_t kRingBytes = 192ULL << 20;  // several times the last-level cache of the machines used

#if defined(__SSE2__)
// Reads all pixels of a frame in one run and writes all its planes in another, which is the fastest order. The stores cover
// whole cache lines if the processor has such stores. The processor's own prefetching beats prefetch instructions.
__attribute__((target("avx512f"))) void ReadPixelsWritePlanes512(std::byte* planes, const std::byte* pixels,
                                                                 std::uint64_t bytes) {
  __m512i sum = _mm512_setzero_si512();
  for (std::uint64_t x = 0; x + 512 <= bytes; x += 512, planes += 192) {
    for (std::uint64_t i = 0; i < 512; i += 64) sum = _mm512_xor_si512(sum, _mm512_loadu_si512(pixels + x + i));
    for (std::uint64_t i = 0; i < 192; i += 64) _mm512_stream_si512(reinterpret_cast<__m512i*>(planes + i), sum);
  }
  _mm_sfence();
}

void ReadPixelsWritePlanes(std::byte* planes, const std::byte* pixels, std::uint64_t bytes) {
  if (__builtin_cpu_supports("avx512f") != 0) return ReadPixelsWritePlanes512(planes, pixels, bytes);
  __m128i sum = _mm_setzero_si128();
  for (std::uint64_t x = 0; x + 128 <= bytes; x += 128, planes += 48) {
    for (std::uint64_t i = 0; i < 128; i += 16) {
      sum = _mm_xor_si128(sum, _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels + x + i)));
    }
    for (std::uint64_t i = 0; i < 48; i += 16) _mm_stream_si128(reinterpret_cast<__m128i*>(planes + i), sum);
  }
  _mm_sfence();
}

// Reads planes and writes pixels in the same way.
__attribute__((target("avx512f"))) void ReadPlanesWritePixels512(std::byte* pixels, const std::byte* planes,
                                                                 std::uint64_t bytes) {
  __m512i sum = _mm512_setzero_si512();
  for (std::uint64_t x = 0; x + 512 <= bytes; x += 512, planes += 192) {
    for (std::uint64_t i = 0; i < 192; i += 64) {
      _mm_prefetch(planes + i + 1024, _MM_HINT_T0);
      sum = _mm512_xor_si512(sum, _mm512_loadu_si512(planes + i));
    }
    for (std::uint64_t i = 0; i < 512; i += 64) _mm512_stream_si512(reinterpret_cast<__m512i*>(pixels + x + i), sum);
  }
  _mm_sfence();
}

void ReadPlanesWritePixels(std::byte* pixels, const std::byte* planes, std::uint64_t bytes) {
  if (__builtin_cpu_supports("avx512f") != 0) return ReadPlanesWritePixels512(pixels, planes, bytes);
  __m128i sum = _mm_setzero_si128();
  for (std::uint64_t x = 0; x + 128 <= bytes; x += 128, planes += 48) {
    _mm_prefetch(planes + 2048, _MM_HINT_T0);
    for (std::uint64_t i = 0; i < 48; i += 16) {
      sum = _mm_xor_si128(sum, _mm_loadu_si128(reinterpret_cast<const __m128i*>(planes + i)));
    }
    for (std::uint64_t i = 0; i < 128; i += 16) _mm_stream_si128(reinterpret_cast<__m128i*>(pixels + x + i), sum);
  }
  _mm_sfence();
}
#endif

#if TANDEM_BENCH_LIBYUV
std::uint8_t* Bytes(std::byte* bytes) { return reinterpret_cast<std::uint8_t*>(bytes); }
#endif

}  // namespace

void LimitLibyuv([[maybe_unused]] std::string_view target) {
#if TANDEM_BENCH_LIBYUV && defined(__SSE2__)
  constexpr int kSse4 =
      libyuv::kCpuHasX86 | libyuv::kCpuHasSSE2 | libyuv::kCpuHasSSSE3 | libyuv::kCpuHasSSE41 | libyuv::kCpuHasSSE42;
  constexpr int kAvx2 = kSse4 | libyuv::kCpuHasAVX | libyuv::kCpuHasAVX2 | libyuv::kCpuHasERMS | libyuv::kCpuHasFMA3;
  if (target == "SSE4") libyuv::MaskCpuFlags(kSse4);
  if (target == "AVX2") libyuv::MaskCpuFlags(kAvx2);
#endif
}

std::vector<Row> MeasureYuv(std::uint32_t width, std::uint32_t height, std::size_t rounds) {
  const std::uint64_t pixels = std::uint64_t{width} * height;
  const std::uint64_t frames = kRingBytes / (4 * pixels) + 1;
  const Buffer pixels_in(frames * 4 * pixels);
  const Buffer pixels_out(frames * 4 * pixels);
  const Buffer planes_in(frames * pixels * 3 / 2);
  const Buffer planes_out(frames * pixels * 3 / 2);
  std::mt19937 random(1);
  for (const Buffer* buffer : {&pixels_in, &planes_in}) {
    for (std::uint64_t i = 0; i + 4 <= buffer->size(); i += 4) {
      const auto value = static_cast<std::uint32_t>(random());
      std::memcpy(buffer->data() + i, &value, 4);
    }
  }
  const auto frame = [&](const Buffer& ring, std::size_t turn) { return ring.data() + turn % frames * (ring.size() / frames); };
  const auto nv12 = [&](std::byte* at) {
    return color::Yuv420<std::byte>{YuvLayout::kNv12, at, at + pixels, nullptr, width, width};
  };
  const auto three = [&](std::byte* at) {
    return color::Yuv420<std::byte>{YuvLayout::kThreePlanes, at, at + pixels, at + pixels * 5 / 4, width, width / 2};
  };
  const auto decode = [&](std::size_t turn, color::ChromaFilter filter) {
    const auto from = nv12(frame(planes_in, turn));
    color::DecodeYuv420({frame(pixels_out, turn), 4ULL * width, width, height},
                        {from.layout, from.y, from.u, from.v, from.y_pitch, from.chroma_pitch}, {}, filter);
  };
  const auto encode = [&](std::size_t turn, const color::Yuv420<std::byte>& to) {
    color::EncodeYuv420(to, {frame(pixels_in, turn), 4ULL * width, width, height}, {});
  };
  std::vector<Contender> contenders;
  contenders.push_back(
      {"memcpy of the frame", [&](std::size_t t) { std::memcpy(frame(pixels_out, t), frame(pixels_in, t), 4 * pixels); }});
  contenders.push_back({"to NV12", [&](std::size_t t) { encode(t, nv12(frame(planes_out, t))); }});
  contenders.push_back({"to three planes", [&](std::size_t t) { encode(t, three(frame(planes_out, t))); }});
  contenders.push_back({"from NV12", [&](std::size_t t) { decode(t, color::ChromaFilter::kNearest); }});
  contenders.push_back({"from NV12, bilinear", [&](std::size_t t) { decode(t, color::ChromaFilter::kBilinear); }});
  const std::size_t ours_end = contenders.size();
  std::size_t traffic = 0;
  std::size_t peer = 0;
#if defined(__SSE2__)
  traffic = contenders.size();
  contenders.push_back(
      {"traffic to NV12", [&](std::size_t t) { ReadPixelsWritePlanes(frame(planes_out, t), frame(pixels_in, t), 4 * pixels); }});
  contenders.push_back({"traffic from NV12",
                        [&](std::size_t t) { ReadPlanesWritePixels(frame(pixels_out, t), frame(planes_in, t), 4 * pixels); }});
  // An upper bound for every decoder: it writes pixels and reads nothing.
  contenders.push_back({"written, from nothing",
                        [&](std::size_t t) { color::FillRows(frame(pixels_out, t), 4ULL * width, 0, 4, width, height); }});
#endif
#if TANDEM_BENCH_LIBYUV
  peer = contenders.size();
  const int w = static_cast<int>(width);
  const int h = static_cast<int>(height);
  contenders.push_back({"libyuv to NV12 (601)", [&, w, h](std::size_t t) {
                          std::byte* const to = frame(planes_out, t);
                          libyuv::ARGBToNV12(Bytes(frame(pixels_in, t)), 4 * w, Bytes(to), w, Bytes(to + pixels), w, w, h);
                        }});
  contenders.push_back({"libyuv from NV12 (601)", [&, w, h](std::size_t t) {
                          std::byte* const from = frame(planes_in, t);
                          libyuv::NV12ToARGB(Bytes(from), w, Bytes(from + pixels), w, Bytes(frame(pixels_out, t)), 4 * w, w, h);
                        }});
#endif
  const auto figures = RunRoundRobin(contenders, rounds);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const bool back = figures[i].name.find("from") != std::string::npos;
    Row row{fmt::format("YUV 4:2:0, {} x {}", width, height), figures[i].name, figures[i].median_ms};
    row.gigabytes_per_second = 4e-6 * static_cast<double>(pixels) / figures[i].median_ms;
    row.times_memcpy = TimesFaster(figures[i], figures[0]);
    if (i > 0 && peer != 0) row.times_peer = TimesFaster(figures[i], figures[peer + (back ? 1 : 0)]);
    if (i > 0 && i < ours_end && traffic != 0) row.of_traffic = TimesFaster(figures[i], figures[traffic + (back ? 1 : 0)]);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace tandem::bench
