// Compares cross-adapter scan-out with composition by copy: frame rate, display latency and bytes moved on the one-copy and the
// two-copy path. Both run on two software adapters. caso_bench [--json FILE]. Every round runs both paths once; the output is
// each round's ratio and the median ratio.
//
// A program that draws nothing presents as fast as images return, to a 2000 Hz display that reads nothing. The result is
// therefore the cost of presents. Latency is the time from Present() to the vertical blank that shows the frame, the median of
// a run.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "drivers/processor/user_mode.h"
#include "drivers/soft/soft_device.h"
#include "kernel/kernel.h"
#include "swapchain/swap_chain.h"

namespace {

using namespace tandem;
using swapchain::PathRequest;
using Json = nlohmann::ordered_json;

constexpr std::size_t kRounds = 9;
constexpr std::int64_t kRefreshPeriodNs = 500'000;
constexpr std::int64_t kPatienceNs = 10'000'000'000;

struct Size {
  const char* name;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t frames;  // frames of one run
};
constexpr std::array<Size, 2> kSizes{{{"1080p", 1920, 1080, 400}, {"2160p", 3840, 2160, 150}}};

// A display whose controller reads nothing and takes no time.
class FreeOutput final : public outputs::Output {
 public:
  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return {}; }
  Result<void> Show(const outputs::Surface& /*surface*/) override { return {}; }
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }

 private:
  const outputs::OutputInfo info_{"bench", "a fast display", kRefreshPeriodNs};
};

template <class T>
T OrExit(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "caso_bench: %s\n", result.error().message.c_str());
  std::exit(1);
}
void OrExit(const Result<void>& result) {
  if (result.ok()) return;
  std::fprintf(stderr, "caso_bench: %s\n", result.error().message.c_str());
  std::exit(1);
}

struct Machine {
  Machine() {
    display_description.connectors = soft::CreateConnectors(1);
    OrExit(display_description.connectors->Plug(std::make_shared<FreeOutput>()));
    kernel = OrExit(kernel::Kernel::Create(MonotonicClock()));
    kernel::Driver* const driver = OrExit(kernel->LoadDriver(soft::SoftDriverEntry, "soft"));
    const LUID render_luid = OrExit(kernel->AddAdapter(*driver, &render_description, "render"));
    const LUID display_luid = OrExit(kernel->AddAdapter(*driver, &display_description, "display"));
    render = OrExit(swapchain::RuntimeDevice::Create({render_luid, processor::ProcessorOpenAdapter10_2, "render", {}}));
    display = OrExit(swapchain::RuntimeDevice::Create({display_luid, processor::ProcessorOpenAdapter10_2, "display", {}}));
  }

  soft::DeviceDescription render_description;
  soft::DeviceDescription display_description;
  std::unique_ptr<kernel::Kernel> kernel;
  std::unique_ptr<swapchain::RuntimeDevice> render;
  std::unique_ptr<swapchain::RuntimeDevice> display;
};

struct Run {
  double frames_per_second = 0;
  double latency_ms = 0;
  double megabytes_per_frame = 0;  // 10^6 bytes
};

void Present(swapchain::SwapChain& chain, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t id = first; id <= last; ++id) OrExit(chain.Present(OrExit(chain.Acquire(kPatienceNs)), id));
  OrExit(chain.WaitForPresent(last, kPatienceNs));
}

Run Measure(Machine& machine, const Size& size, PathRequest path) {
  constexpr std::uint64_t kWarmUp = 10;  // covers page faults and the mode change
  swapchain::SwapChainDesc desc;
  desc.width = size.width;
  desc.height = size.height;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = path;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  desc.refresh_period_ns = kRefreshPeriodNs;
  auto chain = OrExit(swapchain::SwapChain::Create(*machine.render, *machine.display, desc, MonotonicClock()));
  Present(*chain, 1, kWarmUp);
  const std::int64_t start_ns = MonotonicClock().NowNs();
  Present(*chain, kWarmUp + 1, kWarmUp + size.frames);
  const std::int64_t took_ns = MonotonicClock().NowNs() - start_ns;
  const auto statistics = chain->statistics();
  return {size.frames * 1e9 / static_cast<double>(took_ns), static_cast<double>(statistics.latency_p50_ns) / 1e6,
          static_cast<double>(statistics.bytes_moved) / 1e6 / static_cast<double>(statistics.frames_shown)};
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Json Compare(Machine& machine, const Size& size) {
  std::printf("%s, %zu rounds of %u frames\n", size.name, kRounds, size.frames);
  std::printf("  one-copy: frames/s  latency ms   two-copy: frames/s  latency ms   frames  latency\n");
  std::vector<double> frames;
  std::vector<double> latencies;
  Json rounds = Json::array();
  Run one;
  Run two;
  for (std::size_t round = 0; round < kRounds; ++round) {
    one = Measure(machine, size, PathRequest::kOneCopy);
    two = Measure(machine, size, PathRequest::kTwoCopy);
    frames.push_back(one.frames_per_second / two.frames_per_second);
    latencies.push_back(one.latency_ms / two.latency_ms);
    std::printf("  %18.1f %11.2f %20.1f %11.2f %8.2fx %7.2fx\n", one.frames_per_second, one.latency_ms, two.frames_per_second,
                two.latency_ms, frames.back(), latencies.back());
    rounds.push_back({{"one_copy", {{"frames_per_second", one.frames_per_second}, {"latency_ms", one.latency_ms}}},
                      {"two_copy", {{"frames_per_second", two.frames_per_second}, {"latency_ms", two.latency_ms}}}});
  }
  const double more_frames = Median(frames) - 1;
  const double less_latency = 1 - Median(latencies);
  std::printf("  median: %.0f %% more frames, %.0f %% less latency; %.1f MB moved a frame in place of %.1f\n", more_frames * 100,
              less_latency * 100, one.megabytes_per_frame, two.megabytes_per_frame);
  return {{"more_frames", more_frames},
          {"less_latency", less_latency},
          {"one_copy_megabytes_per_frame", one.megabytes_per_frame},
          {"two_copy_megabytes_per_frame", two.megabytes_per_frame},
          {"rounds", std::move(rounds)}};
}

}  // namespace

int main(int argc, char** argv) {
  Machine machine;
  Json json;
  for (const Size& size : kSizes) json[size.name] = Compare(machine, size);
  if (argc == 3 && std::strcmp(argv[1], "--json") == 0) std::ofstream(argv[2]) << json.dump(2) << '\n';
  return 0;
}
