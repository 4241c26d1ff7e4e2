// Measures the driver contract's cost on the soft driver. Presents of one frame run against the best copy of the same bytes;
// presents of many rectangles, allocations and paging follow. contract_bench [--json FILE].
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/memory_map.h"
#include "bench/round_robin.h"
#include "color/copy.h"
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
constexpr std::size_t kRounds = 41;
constexpr std::uint32_t kWidth = 3840;
constexpr std::uint32_t kHeight = 2160;
constexpr std::uint64_t kFrameBytes = std::uint64_t{kWidth} * kHeight * 4;

// The soft adapter with `local_bytes` of its own memory, and one user-mode device on its copy node.
struct Machine {
  explicit Machine(std::uint64_t local_bytes) {
    description.local_memory_bytes = local_bytes;
    kernel = *kernel::Kernel::Create(MonotonicClock());
    kernel::Driver* loaded = *kernel->LoadDriver(driver.entry, driver.name);
    const LUID luid = *kernel->AddAdapter(*loaded, &description, "bench");
    user = std::make_unique<UserDevice>(driver, conform::StartedAdapter{kernel.get(), luid}, kCopyNode);
  }
  ~Machine() { user.reset(); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const conform::DriverUnderTest& driver = system::SoftUnderTest();
  soft::DeviceDescription description;
  std::unique_ptr<kernel::Kernel> kernel;
  std::unique_ptr<UserDevice> user;
};

double Microseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

template <class Work>
double TimeUs(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return Microseconds(std::chrono::steady_clock::now() - start);
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Pages like the backing stores of cross-adapter surfaces: a memfd with small pages, unless the system gives shared memory huge
// pages (/sys/kernel/mm/transparent_hugepage/shmem_enabled).
MemoryMap SharedPages() {
  MemoryMap map = *MemoryMap::MapShared(*CreateSharedPages("bench", kFrameBytes), 0, kFrameBytes, MapAccess::kReadWrite);
  std::memset(map.data(), 1, map.size_bytes());
  return map;
}

// Whole frames through thunk, kernel, engine and fence wait, against a direct copy of the same bytes.
nlohmann::ordered_json Frames() {
  Machine machine(512ULL << 20);
  UserDevice& user = *machine.user;
  std::array<Surface, 2> sources;
  std::array<Surface, 2> destinations;
  std::array<Surface, 4> own;
  for (Surface& surface : sources) surface = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
  for (Surface& surface : destinations) surface = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
  for (Surface& surface : own) surface = user.Create({kWidth, kHeight, SurfaceUse::kImage});
  for (const auto* some : {&sources, &destinations}) {
    for (const Surface& surface : *some) user.Paint(surface, 1);
  }
  for (const Surface& surface : own) user.Paint(surface, 1);
  std::array<bench::Buffer, 4> memory{bench::Buffer(kFrameBytes), bench::Buffer(kFrameBytes), bench::Buffer(kFrameBytes),
                                      bench::Buffer(kFrameBytes)};
  const std::array<MemoryMap, 4> shared{SharedPages(), SharedPages(), SharedPages(), SharedPages()};
  const std::vector<bench::Contender> contenders{
      {"copy by hand",
       [&](std::size_t turn) { color::CopyBytes(memory[2 + turn % 2].data(), memory[turn % 2].data(), kFrameBytes); }},
      {"present copy",
       [&](std::size_t turn) {
         conform::RequireSuccess(user.Copy(sources[turn % 2], destinations[turn % 2], {}), "a copy");
         user.Finish();
       }},
      {"memset", [&](std::size_t turn) { std::memset(memory[turn % 4].data(), static_cast<int>(turn), kFrameBytes); }},
      {"present fill",
       [&](std::size_t turn) {
         conform::RequireSuccess(user.Fill(destinations[turn % 2], static_cast<UINT>(turn), {}), "a fill");
         user.Finish();
       }},
      {"present copy, own",
       [&](std::size_t turn) {
         conform::RequireSuccess(user.Copy(own[turn % 2], own[2 + turn % 2], {}), "a copy");
         user.Finish();
       }},
      {"present fill, own",
       [&](std::size_t turn) {
         conform::RequireSuccess(user.Fill(own[turn % 4], static_cast<UINT>(turn), {}), "a fill");
         user.Finish();
       }},
      {"memcpy", [&](std::size_t turn) { std::memcpy(memory[2 + turn % 2].data(), memory[turn % 2].data(), kFrameBytes); }},
      {"copy, same pages",
       [&](std::size_t turn) { color::CopyBytes(shared[2 + turn % 2].data(), shared[turn % 2].data(), kFrameBytes); }},
      {"memset, same pages",
       [&](std::size_t turn) { std::memset(shared[turn % 4].data(), static_cast<int>(turn), kFrameBytes); }},
  };
  const std::vector<bench::Figures> figures = bench::RunRoundRobin(contenders, kRounds, bench::CpuTime::kProcess);
  // The faster of the two copies depends on the processor.
  const bench::Figures& best = figures[0].median_ms <= figures[6].median_ms ? figures[0] : figures[6];
  const double copy = 1 / bench::TimesFaster(figures[1], best);
  const double fill = 1 / bench::TimesFaster(figures[3], figures[2]);
  const double same_copy = 1 / bench::TimesFaster(figures[1], figures[7]);
  const double same_fill = 1 / bench::TimesFaster(figures[3], figures[8]);
  const double own_copy = 1 / bench::TimesFaster(figures[4], best);
  const double own_loop = 1 / bench::TimesFaster(figures[4], figures[0]);
  const double own_fill = 1 / bench::TimesFaster(figures[5], figures[2]);
  std::printf("frames of %u x %u, %zu rounds\n", kWidth, kHeight, kRounds);
  for (const bench::Figures& figure : figures) std::printf("  %-18s %8.2f ms\n", figure.name.c_str(), figure.median_ms);
  std::printf(
      "  in the adapter's own memory a present copies in %.2f x the best copy (%.2f x the same by hand), fills in %.2f x "
      "memset\n",
      own_copy, own_loop, own_fill);
  std::printf("  in shared surfaces in %.2f x and %.2f x; of the time on pages of the same kind, %.2f x and %.2f x\n", copy, fill,
              same_copy, same_fill);
  return {{"own_copy_ratio", own_copy},
          {"own_copy_ratio_same_loop", own_loop},
          {"own_fill_ratio", own_fill},
          {"copy_ratio", copy},
          {"fill_ratio", fill},
          {"copy_ratio_same_pages", same_copy},
          {"fill_ratio_same_pages", same_fill}};
}

// The calling thread's time for a present of `count` rectangles of one pixel.
double PresentUs(UserDevice& user, const Surface& source, const Surface& destination, std::size_t count) {
  std::vector<RECT> rects;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<LONG>(i % 128);
    const auto y = static_cast<LONG>(i / 128);
    rects.push_back({x, y, x + 1, y + 1});
  }
  std::vector<double> times;
  for (std::size_t i = 0; i < (count > 1000 ? 100U : 2000U); ++i) {
    times.push_back(TimeUs([&] { conform::RequireSuccess(user.Copy(source, destination, rects), "a copy"); }));
    user.Finish();
  }
  return Median(std::move(times));
}

nlohmann::ordered_json Rectangles() {
  Machine machine(64ULL << 20);
  const Surface source = machine.user->Create({128, 128, SurfaceUse::kImage});
  const Surface destination = machine.user->Create({128, 128, SurfaceUse::kCrossAdapter});
  nlohmann::ordered_json json;
  std::printf("presents of rectangles of one pixel, the caller's time\n");
  const double one = PresentUs(*machine.user, source, destination, 1);
  std::printf("  %6d %8.2f us\n", 1, one);
  json["1"] = one;
  for (const std::size_t count : {100U, 10'000U}) {
    const double us = PresentUs(*machine.user, source, destination, count);
    const double further_ns = (us - one) * 1000 / static_cast<double>(count - 1);
    std::printf("  %6zu %8.2f us, %.0f ns for each further one\n", count, us, further_ns);
    json[std::to_string(count)] = us;
  }
  return json;
}

nlohmann::ordered_json Allocations() {
  Machine machine(64ULL << 20);
  std::vector<double> times;
  for (int i = 0; i < 500; ++i) {
    times.push_back(TimeUs([&] {
      const Surface surface = machine.user->Create({256, 256, SurfaceUse::kImage});
      conform::RequireSuccess(machine.user->Destroy(surface), "the end of an allocation");
    }));
  }
  const double us = Median(std::move(times));
  std::printf("an allocation of 256 KiB made and destroyed: %.1f us\n", us);
  return us;
}

// Two allocations of 64 MiB share room for one, so each switch between them moves both.
nlohmann::ordered_json Residency() {
  Machine machine(96ULL << 20);
  UserDevice& user = *machine.user;
  const std::array<Surface, 2> surfaces{user.Create({4096, 4096, SurfaceUse::kImage}),
                                        user.Create({4096, 4096, SurfaceUse::kImage})};
  const Surface destination = user.Create({16, 16, SurfaceUse::kCrossAdapter});
  D3DKMT_PRESENT present{};
  present.hDestination = destination.allocation;
  present.SrcRect = present.DstRect = {0, 0, 1, 1};
  present.Flags.Blt = present.Flags.SrcRectValid = present.Flags.DstRectValid = 1;
  std::vector<double> times;
  for (std::size_t i = 0; i < 31; ++i) {
    present.hSource = surfaces[i % 2].allocation;
    times.push_back(TimeUs([&] {
      conform::RequireSuccess(user.KmtPresent(present), "a copy");
      user.Finish();
    }));
  }
  const double ms = Median(std::move(times)) / 1000;
  std::printf("64 MiB out and 64 MiB in: %.1f ms\n", ms);
  return ms;
}

}  // namespace

int main(int argc, char** argv) {
  nlohmann::ordered_json json;
  json["frames"] = Frames();
  json["present_us"] = Rectangles();
  json["allocation_us"] = Allocations();
  json["residency_64_mib_ms"] = Residency();
  if (argc == 3 && std::strcmp(argv[1], "--json") == 0) std::ofstream(argv[2]) << json.dump(2) << '\n';
  return 0;
}
