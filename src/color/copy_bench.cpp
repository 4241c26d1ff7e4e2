// CopyRows against memcpy, for rectangles of 4-byte pixels between surfaces of a padded pitch; sources and destinations change so
// that no cache holds them.
#include <cstdint>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

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

void Extents(benchmark::internal::Benchmark* bench) {
  bench->Args({256, 256})->Args({512, 256})->Args({1280, 720})->Args({1920, 1080})->Args({3840, 2160});
}

BENCHMARK(CopyRows)->Apply(Extents);
BENCHMARK(Memcpy)->Apply(Extents);

}  // namespace
