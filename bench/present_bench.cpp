// Measures a present's cost to its calling thread, and a copy against memcpy of the same bytes, on the soft driver.
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "conform/user_device.h"
#include "drivers/soft/soft_device.h"
#include "kernel/kernel.h"
#include "system/conformance_drivers.h"

namespace {

using namespace tandem;
using conform::Surface;
using conform::SurfaceUse;
using conform::UserDevice;

constexpr UINT kCopyNode = 1;
// Presents between two waits: as many as one engine accepts before the scheduler's queue fills up.
constexpr int kBatch = 4;

// The soft adapter, started, with one user-mode device on its copy node.
struct Machine {
  Machine() {
    kernel = *kernel::Kernel::Create(MonotonicClock());
    kernel::Driver* loaded = *kernel->LoadDriver(driver.entry, driver.name);
    const LUID luid = *kernel->AddAdapter(*loaded, &description, "bench");
    user = std::make_unique<UserDevice>(driver, conform::StartedAdapter{kernel.get(), luid}, kCopyNode);
  }

  const conform::DriverUnderTest& driver = system::SoftUnderTest();
  soft::DeviceDescription description;
  std::unique_ptr<kernel::Kernel> kernel;
  std::unique_ptr<UserDevice> user;
};

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A copy of one pixel.
struct PixelCopy {
  explicit PixelCopy(Machine& machine)
      : user(*machine.user),
        source(user.Create({64, 64, SurfaceUse::kImage})),
        destination(user.Create({64, 64, SurfaceUse::kCrossAdapter})) {}

  // Seconds of the calling thread for each of `count` presents.
  double Time(benchmark::State& state, int count) const {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      if (user.Copy(source, destination, kPixel) != STATUS_SUCCESS) state.SkipWithError("a present failed");
    }
    return SecondsSince(start) / count;
  }

  static constexpr std::array<RECT, 1> kPixel{RECT{0, 0, 1, 1}};
  UserDevice& user;
  const Surface source;
  const Surface destination;
};

// Thunk, kernel, DxgkDdiPresent, Patch and SubmitCommand without pixels. The engine sleeps between them, and its wake counts.
void PresentWithoutPixels(benchmark::State& state) {
  Machine machine;
  const PixelCopy copy(machine);
  for (auto _ : state) {
    state.SetIterationTime(copy.Time(state, kBatch));
    machine.user->Finish();
  }
}
BENCHMARK(PresentWithoutPixels)->UseManualTime()->Iterations(20000);

// Presents behind a large copy: the engine is at work, and no present wakes it.
void PresentWithoutPixelsBehindWork(benchmark::State& state) {
  Machine machine;
  const PixelCopy copy(machine);
  const Surface source = machine.user->Create({1920, 1080, SurfaceUse::kImage});
  const Surface destination = machine.user->Create({1920, 1080, SurfaceUse::kCrossAdapter});
  machine.user->Paint(source, 1);
  for (auto _ : state) {
    if (machine.user->Copy(source, destination, {}) != STATUS_SUCCESS) state.SkipWithError("a present failed");
    state.SetIterationTime(copy.Time(state, kBatch - 1));
    machine.user->Finish();
  }
}
BENCHMARK(PresentWithoutPixelsBehindWork)->UseManualTime()->Iterations(2000);

// A frame through kernel and engine, from start to fence.
void PresentFrame(benchmark::State& state) {
  Machine machine;
  const auto width = static_cast<std::uint32_t>(state.range(0));
  const auto height = static_cast<std::uint32_t>(state.range(1));
  const Surface source = machine.user->Create({width, height, SurfaceUse::kImage});
  const Surface destination = machine.user->Create({width, height, SurfaceUse::kCrossAdapter});
  machine.user->Paint(source, 1);
  for (auto _ : state) {
    if (machine.user->Copy(source, destination, {}) != STATUS_SUCCESS) state.SkipWithError("a present failed");
    machine.user->Finish();
  }
  state.SetBytesProcessed(state.iterations() * std::int64_t{width} * height * 4);
}
BENCHMARK(PresentFrame)->Args({1280, 720})->Args({1920, 1080})->Args({3840, 2160})->UseRealTime()->Unit(benchmark::kMillisecond);

// Copies the same bytes by memcpy.
void Memcpy(benchmark::State& state) {
  const std::size_t bytes = static_cast<std::size_t>(state.range(0)) * static_cast<std::size_t>(state.range(1)) * 4;
  std::vector<std::byte> source(bytes, std::byte{1});
  std::vector<std::byte> destination(bytes, std::byte{2});
  for (auto _ : state) {
    std::memcpy(destination.data(), source.data(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}
BENCHMARK(Memcpy)->Args({1280, 720})->Args({1920, 1080})->Args({3840, 2160})->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
