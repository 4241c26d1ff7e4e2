// Compares conversions of half floats with the copy of their bytes, for the processor's best instruction set and for AVX2.
// Sources and destinations change so that no cache contains them.
#include <cstdint>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include "color/blit.h"
#include "color/copy.h"

namespace {

constexpr std::size_t kBuffers = 4;

struct Surfaces {
  Surfaces(std::uint64_t width, std::uint64_t height) : row_bytes(width * 4), pitch((width * 4 + 255) / 256 * 256), rows(height) {
    for (std::size_t i = 0; i < kBuffers; ++i) {
      sources.emplace_back(pitch * rows, std::byte{1});
      destinations.emplace_back(pitch * rows, std::byte{2});
    }
  }
  std::uint64_t row_bytes, pitch, rows;
  std::vector<std::vector<std::byte>> sources, destinations;
};

// Half floats that become four bytes a pixel while they are copied, beside the copy of their eight bytes.
struct Halves {
  tandem::color::Format to;
  tandem::color::Transfer transfer;
  bool dither;
};

void Convert(benchmark::State& state, const Halves& halves, std::int64_t target) {
  if (target != 0) {
    if ((hwy::SupportedTargets() & target) == 0) return state.SkipWithError("This processor does not have that instruction set.");
    hwy::GetChosenTarget().Update(target);
  }
  const auto width = static_cast<std::uint32_t>(state.range(0));
  const auto height = static_cast<std::uint32_t>(state.range(1));
  Surfaces surfaces(std::uint64_t{width} * 2, height);  // rows of eight bytes a pixel
  for (auto& source : surfaces.sources) {
    const std::uint16_t values[] = {0x3800, 0x2E66, 0x3A00, 0x3C00};
    for (std::size_t at = 0; at + sizeof(values) <= source.size(); at += sizeof(values)) {
      std::memcpy(source.data() + at, values, sizeof(values));
    }
  }
  std::size_t turn = 0;
  for ([[maybe_unused]] auto each : state) {
    tandem::color::BlitRequest request;
    request.source = surfaces.sources[turn % kBuffers].data();
    request.source_pitch = surfaces.pitch;
    request.source_format = tandem::color::Format::kR16G16B16A16Float;
    request.source_width = request.destination_width = width;
    request.source_height = request.destination_height = height;
    request.destination = surfaces.destinations[turn % kBuffers].data();
    request.destination_pitch = surfaces.pitch / 2;
    request.destination_format = halves.to;
    request.part = {0, 0, width, height};
    request.transfer = halves.transfer;
    request.dither = halves.dither;
    tandem::color::Blit(request);
    ++turn;
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void CopyHalves(benchmark::State& state) {
  Surfaces surfaces(static_cast<std::uint64_t>(state.range(0)) * 2, static_cast<std::uint64_t>(state.range(1)));
  std::size_t turn = 0;
  for ([[maybe_unused]] auto each : state) {
    tandem::color::CopyRows(surfaces.destinations[turn % kBuffers].data(), surfaces.pitch,
                            surfaces.sources[turn % kBuffers].data(), surfaces.pitch, surfaces.row_bytes, surfaces.rows);
    ++turn;
  }
}

using tandem::color::Format;
using tandem::color::Transfer;
BENCHMARK(CopyHalves)->Args({1920, 1080})->Args({3840, 2160});
#define TANDEM_HALVES(name, ...)                                                                    \
  BENCHMARK_CAPTURE(Convert, name, Halves{__VA_ARGS__}, 0)->Args({1920, 1080})->Args({3840, 2160}); \
  BENCHMARK_CAPTURE(Convert, name##_avx2, Halves{__VA_ARGS__}, HWY_AVX2)->Args({1920, 1080})->Args({3840, 2160})
TANDEM_HALVES(values, Format::kB8G8R8A8Unorm, Transfer::kPassThrough, false);
TANDEM_HALVES(curve, Format::kB8G8R8A8Unorm, Transfer::kLinearToSrgb, false);
TANDEM_HALVES(dithered, Format::kB8G8R8A8Unorm, Transfer::kLinearToSrgb, true);
TANDEM_HALVES(ten_bits, Format::kR10G10B10A2Unorm, Transfer::kLinearToSrgb, false);

}  // namespace
