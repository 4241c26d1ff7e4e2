#include "bus/framebuffer.h"

#include <cstring>
#include <utility>

#include "base/limits.h"
#include "color/format.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint32_t kPitchAlignment = 256;  // bytes; a firmware's rows have room behind them

std::uint32_t PitchOf(std::uint32_t width) {
  return (width * kPixelBytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
}

// 0 for an address that 32 bits do not name.
std::uint32_t LowAddressOf(const std::byte* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return address <= 0xFFFFFFFF ? static_cast<std::uint32_t>(address) : 0;
}

}  // namespace

Framebuffer::Framebuffer(LowMemory memory, std::uint32_t width, std::uint32_t height, std::shared_ptr<outputs::Output> output)
    : memory_(std::move(memory)),
      width_(width),
      height_(height),
      pitch_(PitchOf(width)),
      output_(std::move(output)),
      registers_(width, height, memory_.size_bytes(), LowAddressOf(memory_.data())) {
  device_.Size = sizeof(device_);
  device_.MonitorCount = 1;
  device_.RefreshPeriodNs = static_cast<UINT64>(output_->info().refresh_period_ns);
  resources_.Count = 1;
  resources_.List[0].InterfaceType = Internal;
  CM_PARTIAL_RESOURCE_LIST& list = resources_.List[0].PartialResourceList;
  list.Version = list.Revision = 1;
  list.Count = 1;
  CM_PARTIAL_RESOURCE_DESCRIPTOR& range = list.PartialDescriptors[0];
  range.Type = CmResourceTypeMemory;
  range.ShareDisposition = CmResourceShareDeviceExclusive;
  range.Flags = CM_RESOURCE_MEMORY_READ_WRITE;
  range.u.Memory.Start.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(memory_.data()));
  range.u.Memory.Length = static_cast<ULONG>(memory_.size_bytes());
}

Result<std::unique_ptr<Framebuffer>> Framebuffer::Create(std::uint32_t width, std::uint32_t height,
                                                         std::shared_ptr<outputs::Output> output) {
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "A frame buffer of {} x {} pixels is not within 1 x 1 and {} x {}.", width, height,
                kMaxSurfaceExtent, kMaxSurfaceExtent);
  }
  auto memory = LowMemory::Create(std::size_t{PitchOf(width)} * height);
  if (!memory.ok()) return std::move(memory).error();
  return std::unique_ptr<Framebuffer>(new Framebuffer(*std::move(memory), width, height, std::move(output)));
}

Result<void> Framebuffer::Show(const color::BlitRect& part) {
  BochsRegisters::Picture picture{width_, height_, pitch_, 0};
  {
    const MutexLock lock(mutex_);
    picture = registers_.picture().value_or(picture);
  }
  if (part.right > picture.width || part.bottom > picture.height) {
    return Fail(ErrorKind::kSurfaceLost, "The driver has not set the mode on the frame buffer that it says.");
  }
  outputs::Surface surface;
  surface.id = reinterpret_cast<std::uintptr_t>(memory_.data());
  surface.pixels = memory_.data() + picture.offset + std::size_t{part.top} * picture.pitch + std::size_t{part.left} * kPixelBytes;
  surface.width = part.width();
  surface.height = part.height();
  surface.pitch = picture.pitch;
  surface.format = color::Format::kB8G8R8X8Unorm;
  return output_->Show(surface);
}

NTSTATUS Framebuffer::AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& information) {
  information.Width = width_;
  information.Height = height_;
  information.Pitch = pitch_;
  information.ColorFormat = D3DDDIFMT_A8R8G8B8;
  information.PhysicAddress.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(memory_.data()));
  information.TargetId = 0;
  information.AcpiId = 0;
  return STATUS_SUCCESS;
}

bool Framebuffer::ReadPort(std::uint32_t port, ULONG size, ULONG& value) {
  const MutexLock lock(mutex_);
  return registers_.ReadPort(port, size, value);
}

bool Framebuffer::WritePort(std::uint32_t port, ULONG size, ULONG value) {
  const MutexLock lock(mutex_);
  const bool known = registers_.WritePort(port, size, value);
  if (!registers_.TakeClear()) return known;
  if (const auto picture = registers_.picture()) std::memset(memory_.data(), 0, std::size_t{picture->pitch} * picture->height);
  return known;
}

NTSTATUS Framebuffer::MapMemory(PHYSICAL_ADDRESS address, ULONG length, PVOID& mapped) {
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(memory_.data());
  const auto at = static_cast<std::uint64_t>(address.QuadPart);
  if (length == 0 || at < begin || at - begin > memory_.size_bytes() || length > memory_.size_bytes() - (at - begin)) {
    return STATUS_INVALID_PARAMETER;
  }
  const MutexLock lock(mutex_);
  ++mappings_;
  mapped = memory_.data() + (at - begin);
  return STATUS_SUCCESS;
}

NTSTATUS Framebuffer::UnmapMemory(PVOID mapped) {
  const auto* const at = static_cast<const std::byte*>(mapped);
  const MutexLock lock(mutex_);
  if (mappings_ == 0 || at < memory_.data() || at >= memory_.data() + memory_.size_bytes()) return STATUS_INVALID_PARAMETER;
  --mappings_;
  return STATUS_SUCCESS;
}

}  // namespace tandem::bus
