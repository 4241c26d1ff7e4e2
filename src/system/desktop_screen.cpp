#include "system/desktop_screen.h"

#include <utility>

#include "bus/frame_place.h"
#include "swapchain/status.h"

namespace tandem::system {

using swapchain::CheckStatus;

Result<std::unique_ptr<DesktopScreen>> DesktopScreen::Create(kernel::Kernel& kernel, LUID adapter, std::uint32_t width,
                                                             std::uint32_t height) {
  std::unique_ptr<DesktopScreen> screen(new DesktopScreen());
  const auto mode = kernel.ClosestMode(adapter, 0, width, height);
  if (!mode.ok()) return mode.error();
  screen->mode_ = *mode;
  if (auto opened = screen->Open(adapter); !opened.ok()) return std::move(opened).error();
  for (D3DKMT_HANDLE& primary : screen->primaries_) {
    const auto made = screen->CreateSurface(kernel, adapter, kernel::StandardSurface::kSharedPrimary);
    if (!made.ok()) return made.error();
    primary = *made;
  }
  const auto shadow = screen->CreateSurface(kernel, adapter, kernel::StandardSurface::kShadow);
  if (!shadow.ok()) return shadow.error();
  screen->shadow_ = *shadow;
  const std::uint64_t row_bytes = std::uint64_t{screen->mode_.width} * bus::kScreenPixelBytes;
  if (screen->pitch_ < row_bytes) {
    return Fail(ErrorKind::kUnsupported, "The driver describes a shadow surface of {} bytes a row; {} pixels have {}.",
                screen->pitch_, screen->mode_.width, row_bytes);
  }
  if (auto set = screen->SetMode(); !set.ok()) return std::move(set).error();
  return screen;
}

Result<void> DesktopScreen::Open(LUID adapter) {
  D3DKMT_OPENADAPTERFROMLUID open{adapter, 0};
  if (auto done = CheckStatus("Opening the adapter", D3DKMTOpenAdapterFromLuid(&open)); !done.ok()) return done;
  adapter_ = open.hAdapter;
  D3DKMT_CREATEDEVICE device{};
  device.hAdapter = adapter_;
  if (auto done = CheckStatus("Creating a device", D3DKMTCreateDevice(&device)); !done.ok()) return done;
  device_ = device.hDevice;
  D3DKMT_CREATECONTEXT context{};
  context.hDevice = device_;
  if (auto done = CheckStatus("Creating a context", D3DKMTCreateContext(&context)); !done.ok()) return done;
  context_ = context.hContext;
  auto fence = swapchain::MonitoredFence::Create(device_);
  if (!fence.ok()) return std::move(fence).error();
  fence_ = *std::move(fence);
  return {};
}

Result<D3DKMT_HANDLE> DesktopScreen::CreateSurface(kernel::Kernel& kernel, LUID adapter, kernel::StandardSurface type) {
  auto data = kernel.DescribeStandardSurface(adapter, {type, mode_.width, mode_.height, mode_.format, 0});
  if (!data.ok()) return std::move(data).error();
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pPrivateDriverData = data->allocation_data.data();
  info.PrivateDriverDataSize = static_cast<UINT>(data->allocation_data.size());
  info.Flags.Primary = type == kernel::StandardSurface::kSharedPrimary ? 1 : 0;
  D3DKMT_CREATEALLOCATION create{};
  create.hDevice = device_;
  create.pPrivateDriverData = data->resource_data.data();
  create.PrivateDriverDataSize = static_cast<UINT>(data->resource_data.size());
  create.NumAllocations = 1;
  create.pAllocationInfo2 = &info;
  create.Flags.CreateResource = 1;
  if (auto done = CheckStatus("Creating a surface", D3DKMTCreateAllocation2(&create)); !done.ok()) return std::move(done).error();
  pitch_ = data->pitch;  // the shadow surface is made last
  return info.hAllocation;
}

Result<void> DesktopScreen::SetMode() const {
  D3DKMT_SETDISPLAYMODE mode{};
  mode.hDevice = device_;
  mode.hPrimaryAllocation = primaries_[1 - back_];
  mode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  mode.DisplayOrientation = D3DDDI_ROTATION_IDENTITY;
  return CheckStatus("Setting the mode", D3DKMTSetDisplayMode(&mode));
}

// The device's end destroys its context and its surfaces.
DesktopScreen::~DesktopScreen() {
  fence_.reset();
  if (device_ != 0) {
    const D3DKMT_DESTROYDEVICE destroy{device_};
    static_cast<void>(D3DKMTDestroyDevice(&destroy));
  }
  if (adapter_ != 0) {
    const D3DKMT_CLOSEADAPTER close{adapter_};
    static_cast<void>(D3DKMTCloseAdapter(&close));
  }
}

Result<std::byte*> DesktopScreen::Lock() {
  if (auto shown = AwaitShown(); !shown.ok()) return std::move(shown).error();
  D3DKMT_LOCK2 lock{};
  lock.hDevice = device_;
  lock.hAllocation = shadow_;
  if (auto locked = CheckStatus("Locking the shadow surface", D3DKMTLock2(&lock)); !locked.ok()) return std::move(locked).error();
  return static_cast<std::byte*>(lock.pData);
}

void DesktopScreen::Unlock() {
  const D3DKMT_UNLOCK2 unlock{device_, shadow_};
  static_cast<void>(D3DKMTUnlock2(&unlock));
}

Result<void> DesktopScreen::Show() {
  if (auto copied = Copy(); !copied.ok()) return copied;
  if (auto flipped = Flip(); !flipped.ok()) return flipped;
  back_ = 1 - back_;
  if (auto queued = fence_->SignalAfter(context_, ++flips_); !queued.ok()) return queued;
  return waits_for_blanks() ? Result<void>() : AwaitShown();
}

Result<void> DesktopScreen::Copy() const {
  D3DKMT_PRESENT copy{};
  copy.hContext = context_;
  copy.hSource = shadow_;
  copy.hDestination = primaries_[back_];
  copy.Flags.Blt = 1;
  return CheckStatus("Copying to the primary", D3DKMTPresent(&copy));
}

Result<void> DesktopScreen::Flip() {
  D3DKMT_PRESENT flip{};
  flip.hContext = context_;
  flip.hSource = primaries_[back_];
  flip.FlipInterval = interval_;
  flip.Flags.Flip = 1;
  NTSTATUS status = D3DKMTPresent(&flip);
  if (status == STATUS_NOT_SUPPORTED && interval_ == D3DDDI_FLIPINTERVAL_IMMEDIATE) {
    flip.FlipInterval = interval_ = D3DDDI_FLIPINTERVAL_ONE;
    status = D3DKMTPresent(&flip);
  }
  return CheckStatus("Flipping to the primary", status);
}

Result<void> DesktopScreen::AwaitShown() {
  const swapchain::FenceTarget shown{fence_.get(), flips_};
  return swapchain::WaitForAny(device_, {&shown, 1});
}

}  // namespace tandem::system
