#include "tests/swapchain/soft_pair.h"

#include <utility>

#include <gtest/gtest.h>

#include "color/format.h"
#include "drivers/processor/umd/umd_device.h"
#include "drivers/processor/user_mode.h"

#include <d3dkmthk.h>

namespace tandem::swapchain_test {

ReadingOutput::ReadingOutput(std::int64_t refresh_period_ns, std::uint32_t opaque, std::function<void()> before_show)
    : info_{"test", "a reader of frames", refresh_period_ns}, opaque_(opaque), before_show_(std::move(before_show)) {
  const MutexLock lock(mutex_);
  numbers_.reserve(kMaxShown);
}

outputs::OutputStatus ReadingOutput::Status() const {
  outputs::OutputStatus status;
  status.state = lost_ ? outputs::OutputState::kLost : outputs::OutputState::kOk;
  return status;
}

Result<void> ReadingOutput::Show(const outputs::Surface& surface) {
  if (before_show_) before_show_();
  const auto read = [&](Turned turned) {
    return ReadNumber(surface.pixels, surface.width, surface.height, surface.pitch, color::BytesPerPixel(surface.format), turned,
                      opaque_);
  };
  auto number = read(turned_);
  for (const Turned turned : {Turned::kNot, Turned::k90, Turned::k180, Turned::k270}) {
    if (any_way_ && !number) number = read(turned);
  }
  const MutexLock lock(mutex_);
  last_width_ = surface.width;
  if (numbers_.size() < kMaxShown && (numbers_.empty() || number != numbers_.back()))
    numbers_.push_back(number.value_or(kBroken));
  return {};
}

std::vector<std::uint32_t> ReadingOutput::Numbers() const {
  const MutexLock lock(mutex_);
  return numbers_;
}

std::unique_ptr<SoftPair> SoftPair::Create(const PairOptions& options) {
  std::unique_ptr<SoftPair> pair(new SoftPair());
  return pair->Start(options) ? std::move(pair) : nullptr;
}

bool SoftPair::Start(const PairOptions& options) {
  auto kernel = kernel::Kernel::Create(MonotonicClock());
  if (!kernel.ok()) return ADD_FAILURE() << kernel.error().message, false;
  kernel_ = *std::move(kernel);
  auto driver = kernel_->LoadDriver(soft::SoftDriverEntry, "soft");
  if (!driver.ok()) return ADD_FAILURE() << driver.error().message, false;
  driver_ = *driver;
  output_ = std::make_shared<ReadingOutput>(options.refresh_period_ns, options.opaque, options.before_show);
  connectors_ = soft::CreateConnectors(options.connectors);
  if (!connectors_->Plug(options.output ? options.output : output_).ok())
    return ADD_FAILURE() << "The output cannot be plugged.", false;
  render_description_.tier = options.render_tier;
  render_description_.link_bytes_per_second = options.link_bytes_per_second;
  display_description_.tier = options.display_tier;
  display_description_.scan_out_bytes_per_second = options.scan_out_bytes_per_second;
  render_description_.dithers = options.dithers;
  display_description_.dithers = options.dithers;
  display_description_.scans_out_nv12 = options.scans_out_nv12;
  display_description_.connectors = connectors_;
  auto render = kernel_->AddAdapter(**driver, &render_description_, "render");
  if (!render.ok()) return ADD_FAILURE() << render.error().message, false;
  auto display = kernel_->AddAdapter(**driver, &display_description_, "display");
  if (!display.ok()) return ADD_FAILURE() << display.error().message, false;
  render_luid_ = *render;
  display_luid_ = *display;
  auto render_device = swapchain::RuntimeDevice::Create(
      {render_luid_, processor::ProcessorOpenAdapter10_2, "render", {}, options.link_bytes_per_second});
  if (!render_device.ok()) return ADD_FAILURE() << render_device.error().message, false;
  auto display_device = swapchain::RuntimeDevice::Create({display_luid_, options.open_display, "display", {}, 0});
  if (!display_device.ok()) return ADD_FAILURE() << display_device.error().message, false;
  render_ = *std::move(render_device);
  display_ = *std::move(display_device);
  return true;
}

std::unique_ptr<swapchain::RuntimeDevice> SoftPair::OpenDisplay() {
  auto device = swapchain::RuntimeDevice::Create({display_luid_, processor::ProcessorOpenAdapter10_2, "display", {}});
  EXPECT_TRUE(device.ok()) << device.error().message;
  return device.ok() ? *std::move(device) : nullptr;
}

std::unique_ptr<Spare> SoftPair::AddDisplay(const PairOptions& options) {
  auto spare = std::make_unique<Spare>();
  spare->output = std::make_shared<ReadingOutput>(options.refresh_period_ns, options.opaque, options.before_show);
  spare->description.connectors = soft::CreateConnectors(options.connectors);
  spare->description.tier = options.display_tier;
  spare->description.scans_out_nv12 = options.scans_out_nv12;
  if (!spare->description.connectors->Plug(spare->output).ok())
    return ADD_FAILURE() << "The spare output cannot be plugged.", nullptr;
  auto luid = kernel_->AddAdapter(*driver_, &spare->description, "spare");
  if (!luid.ok()) return ADD_FAILURE() << luid.error().message, nullptr;
  spare->luid = *luid;
  auto device = swapchain::RuntimeDevice::Create({spare->luid, processor::ProcessorOpenAdapter10_2, "spare", {}, 0});
  if (!device.ok()) return ADD_FAILURE() << device.error().message, nullptr;
  spare->device = *std::move(device);
  return spare;
}

SoftPair::~SoftPair() {
  render_.reset();
  display_.reset();
  kernel_.reset();
}

void SoftPair::RemoveRender() { EXPECT_TRUE(kernel_->RemoveAdapter(render_luid_).ok()); }
void SoftPair::RemoveDisplay() { EXPECT_TRUE(kernel_->RemoveAdapter(display_luid_).ok()); }

TestApplication::TestApplication(swapchain::RuntimeDevice& render, const swapchain::SwapChain& chain,
                                 const swapchain::SwapChainDesc& desc, std::uint32_t opaque)
    : render_(render) {
  for (std::uint32_t i = 0; i < chain.image_count(); ++i) {
    const processor::UmdResource& image = processor::FromHandle(chain.image(i));
    D3DKMT_LOCK2 lock{};
    lock.hDevice = render.kernel_device();
    lock.hAllocation = image.allocation;
    EXPECT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
    allocations_.push_back(image.allocation);
    pictures_.push_back({static_cast<std::byte*>(lock.pData), desc.width, desc.height, image.data.pitch,
                         color::BytesPerPixel(static_cast<color::Format>(desc.format)), opaque});
  }
}

TestApplication::~TestApplication() {
  for (const D3DKMT_HANDLE allocation : allocations_) {
    const D3DKMT_UNLOCK2 unlock{render_.kernel_device(), allocation};
    static_cast<void>(D3DKMTUnlock2(&unlock));
  }
}

Result<void> PresentFrames(swapchain::SwapChain& chain, const TestApplication& application, std::uint32_t first,
                           std::uint32_t count) {
  for (std::uint32_t number = first; number < first + count; ++number) {
    const auto image = chain.Acquire(kPatienceNs);
    if (!image.ok()) return image.error();
    application.Draw(*image, number);
    if (auto presented = chain.Present(*image, number); !presented.ok()) return presented;
  }
  return {};
}

void ShowFrames(SoftPair& pair, const swapchain::SwapChainDesc& desc, std::uint32_t first, std::uint32_t count) {
  auto chain = swapchain::SwapChain::Create(pair.render(), pair.display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair.render(), **chain, desc);
  const auto presented = PresentFrames(**chain, application, first, count);
  ASSERT_TRUE(presented.ok()) << presented.error().message;
  const auto shown = (*chain)->WaitForPresent(first + count - 1, kPatienceNs);
  ASSERT_TRUE(shown.ok()) << shown.error().message;
}

}  // namespace tandem::swapchain_test
