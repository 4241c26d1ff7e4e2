// Compares CopyRows and rotations with memcpy, for rectangles of 4-byte pixels between surfaces with padded pitch. Sources and
// destinations change so that no cache contains them.
#include <cstdint>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

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

template <class Copy>
void Run(benchmark::State& state, Copy&& copy) {
  Surfaces surfaces(static_cast<std::uint64_t>(state.range(0)), static_cast<std::uint64_t>(state.range(1)));
  std::size_t turn = 0;
  for ([[maybe_unused]] auto each : state) {
    copy(surfaces, surfaces.destinations[turn % kBuffers].data(), surfaces.sources[turn % kBuffers].data());
    ++turn;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(turn * surfaces.row_bytes * surfaces.rows));
}

void CopyRows(benchmark::State& state) {
  Run(state, [](const Surfaces& s, std::byte* to, const std::byte* from) {
    tandem::color::CopyRows(to, s.pitch, from, s.pitch, s.row_bytes, s.rows);
  });
}

void Memcpy(benchmark::State& state) {
  Run(state, [](const Surfaces& s, std::byte* to, const std::byte* from) {
    for (std::uint64_t row = 0; row < s.rows; ++row) std::memcpy(to + row * s.pitch, from + row * s.pitch, s.row_bytes);
    benchmark::ClobberMemory();
  });
}

// Quarter turns use surfaces whose pitch fits the rotated picture, in the memory of the upright ones.
void Rotate(benchmark::State& state, tandem::color::Rotation rotation) {
  Run(state, [&](const Surfaces& s, std::byte* to, const std::byte* from) {
    tandem::color::BlitRequest request;
    request.source = from;
    request.source_pitch = s.pitch;
    request.source_format = request.destination_format = tandem::color::Format::kB8G8R8A8Unorm;
    request.destination_width = request.source_width = static_cast<std::uint32_t>(s.row_bytes / 4);
    request.destination_height = request.source_height = static_cast<std::uint32_t>(s.rows);
    request.destination = to;
    request.destination_pitch = rotation == tandem::color::Rotation::k180 ? s.pitch : (s.rows * 4 + 63) / 64 * 64;
    request.part = {0, 0, request.source_width, request.source_height};
    if (rotation != tandem::color::Rotation::k180) request.part.right -= request.part.right / 64;  // padding must fit
    request.rotation = rotation;
    tandem::color::Blit(request);
  });
}

void Extents(benchmark::internal::Benchmark* bench) {
  bench->Args({256, 256})->Args({512, 256})->Args({1280, 720})->Args({1920, 1080})->Args({3840, 2160});
}

BENCHMARK(CopyRows)->Apply(Extents);
BENCHMARK(Memcpy)->Apply(Extents);
BENCHMARK_CAPTURE(Rotate, 90, tandem::color::Rotation::k90)->Apply(Extents);
BENCHMARK_CAPTURE(Rotate, 180, tandem::color::Rotation::k180)->Apply(Extents);
BENCHMARK_CAPTURE(Rotate, 270, tandem::color::Rotation::k270)->Apply(Extents);

}  // namespace
