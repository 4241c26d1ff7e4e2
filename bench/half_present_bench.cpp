// Presents of half floats out of images that the processor does not read where they are: rows that it copies out a few at a time,
// beside a whole frame that the device copies out first. SwiftShader is such a device (TANDEM_TEST_SWIFTSHADER_ICD).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "color/format.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/fake_kernel.h"

namespace {

using namespace tandem::vulkan;

void Present(benchmark::State& state, bool by_host) {
  std::string why_not;
  const auto application = testing::Application::Create(testing::Icd::kSwiftShader, why_not, testing::Validation::kOff);
  if (application == nullptr) return state.SkipWithError(why_not.c_str());
  DeviceDescription description;
  description.borrowed = application->Borrow();
  description.borrowed->host_image_copy = description.borrowed->host_image_copy && by_host;
  const auto kernel = testing::FakeKernel::Start(description, testing::Pages::kMemfd);
  if (kernel == nullptr) return state.SkipWithError("The adapter does not start.");
  const auto width = static_cast<std::uint32_t>(state.range(0));
  const auto height = static_cast<std::uint32_t>(state.range(1));
  const auto make = [&](AllocationKind kind, tandem::color::Format format) {
    auto data = *DescribeSurface(kind, width, height, format, 0);
    if (kind == AllocationKind::kImage) data.image_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return kernel->CreateRaw(data);
  };
  auto image = make(AllocationKind::kImage, tandem::color::Format::kR16G16B16A16Float);
  auto shared = make(AllocationKind::kLinear, tandem::color::Format::kB8G8R8A8Unorm);
  DXGKARG_PRESENT args{};
  args.SrcRect = args.DstRect = {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)};
  args.Flags.ColorFill = 1;
  args.Color = 0xFF407FBF;
  const bool filled = kernel->WaitFence(kernel->Present(nullptr, *image, args));
  args = {};
  args.SrcRect = args.DstRect = {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)};
  args.Flags.Blt = 1;
  args.Flags.LinearToSrgb = 1;
  bool shown = filled;
  const auto& passes = *reinterpret_cast<const Allocation*>(static_cast<std::uintptr_t>(shared->data.object))->passes;
  const std::uint64_t before = passes.count().bytes;
  for ([[maybe_unused]] auto each : state) shown = shown && kernel->WaitFence(kernel->Present(image.get(), *shared, args));
  if (!shown) state.SkipWithError("A present does not end.");
  state.counters["bytes_per_pixel"] =
      static_cast<double>(passes.count().bytes - before) / (static_cast<double>(state.iterations()) * width * height);
  kernel->Destroy(std::move(image));
  kernel->Destroy(std::move(shared));
}

BENCHMARK_CAPTURE(Present, rows_by_processor, true)
    ->Args({1920, 1080})
    ->Args({3840, 2160})
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(Present, frame_by_device, false)
    ->Args({1920, 1080})
    ->Args({3840, 2160})
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
