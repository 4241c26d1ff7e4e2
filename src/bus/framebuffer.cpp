#include "bus/framebuffer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/limits.h"
#include "color/format.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint32_t kPitchAlignment = 256;            // bytes; a firmware's rows have room behind them
constexpr std::uint32_t kLeastMemory = 16 * 1024 * 1024;  // bytes, as QEMU's standard VGA has

std::uint32_t PitchOf(std::uint32_t width) {
  return (width * kPixelBytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
}

// 0 for an address that 32 bits do not name.
std::uint32_t LowAddressOf(const std::byte* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return address <= 0xFFFFFFFF ? static_cast<std::uint32_t>(address) : 0;
}

}  // namespace

Framebuffer::Framebuffer(LowMemory memory, StandardVga vga, std::uint32_t width, std::uint32_t height,
                         std::shared_ptr<outputs::Output> output)
    : memory_(std::move(memory)),
      width_(width),
      height_(height),
      pitch_(PitchOf(width)),
      output_(std::move(output)),
      vga_(std::move(vga)),
      registers_(width, height, memory_.size_bytes(), LowAddressOf(memory_.data())) {
  device_.Size = sizeof(device_);
  device_.MonitorCount = 1;
  device_.RefreshPeriodNs = static_cast<UINT64>(output_->info().refresh_period_ns);
}

Result<std::unique_ptr<Framebuffer>> Framebuffer::Create(std::uint32_t width, std::uint32_t height,
                                                         std::shared_ptr<outputs::Output> output) {
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "A frame buffer of {} x {} pixels is not within 1 x 1 and {} x {}.", width, height,
                kMaxSurfaceExtent, kMaxSurfaceExtent);
  }
  const std::uint32_t bytes = std::max(std::bit_ceil(PitchOf(width) * height), kLeastMemory);
  auto memory = LowMemory::Create(bytes);
  if (!memory.ok()) return std::move(memory).error();
  auto vga = StandardVga::Create(reinterpret_cast<std::uintptr_t>(memory->data()), bytes);
  if (!vga.ok()) return std::move(vga).error();
  return std::unique_ptr<Framebuffer>(new Framebuffer(*std::move(memory), *std::move(vga), width, height, std::move(output)));
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
  ClearNewMode();
  return known;
}

void Framebuffer::ClearNewMode() {
  if (!registers_.TakeClear()) return;
  if (const auto picture = registers_.picture()) std::memset(memory_.data(), 0, std::size_t{picture->pitch} * picture->height);
}

NTSTATUS Framebuffer::ReadConfiguration(ULONG offset, void* buffer, ULONG length, ULONG& done) {
  const MutexLock lock(mutex_);
  done = static_cast<ULONG>(vga_.config().Read(offset, {static_cast<std::byte*>(buffer), length}));
  return STATUS_SUCCESS;
}

NTSTATUS Framebuffer::WriteConfiguration(ULONG offset, const void* buffer, ULONG length, ULONG& done) {
  const MutexLock lock(mutex_);
  done = static_cast<ULONG>(vga_.config().Write(offset, {static_cast<const std::byte*>(buffer), length}));
  return STATUS_SUCCESS;
}

// Mode registers have two bytes; a wider access is one of several. The BAR's other registers read as 0.
bool Framebuffer::ReadRegister(std::uintptr_t address, ULONG size, UINT64& value) {
  if (!HasRegister(address)) return false;
  value = 0;
  const MutexLock lock(mutex_);
  for (ULONG at = 0; at + 2 <= size; at += 2) {
    if (const auto index = vga_.ModeRegisterAt(address + at)) value |= UINT64{registers_.Read(*index)} << (8 * at);
  }
  return true;
}

bool Framebuffer::WriteRegister(std::uintptr_t address, ULONG size, UINT64 value) {
  if (!HasRegister(address)) return false;
  const MutexLock lock(mutex_);
  for (ULONG at = 0; at + 2 <= size; at += 2) {
    if (const auto index = vga_.ModeRegisterAt(address + at))
      registers_.Write(*index, static_cast<std::uint16_t>(value >> (8 * at)));
  }
  ClearNewMode();
  return true;
}

NTSTATUS Framebuffer::MapMemory(PHYSICAL_ADDRESS address, ULONG length, PVOID& mapped) {
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(memory_.data());
  const auto at = static_cast<std::uint64_t>(address.QuadPart);
  const RegisterWindow& registers = vga_.registers();
  if (registers.Has(at) && length != 0 && length <= registers.address() + registers.bytes() - at) {
    mapped = reinterpret_cast<PVOID>(at);
    return STATUS_SUCCESS;
  }
  if (length == 0 || at < begin || at - begin > memory_.size_bytes() || length > memory_.size_bytes() - (at - begin)) {
    return STATUS_INVALID_PARAMETER;
  }
  const MutexLock lock(mutex_);
  ++mappings_;
  mapped = memory_.data() + (at - begin);
  return STATUS_SUCCESS;
}

NTSTATUS Framebuffer::UnmapMemory(PVOID mapped) {
  if (HasRegister(reinterpret_cast<std::uintptr_t>(mapped))) return STATUS_SUCCESS;
  const auto* const at = static_cast<const std::byte*>(mapped);
  const MutexLock lock(mutex_);
  if (mappings_ == 0 || at < memory_.data() || at >= memory_.data() + memory_.size_bytes()) return STATUS_INVALID_PARAMETER;
  --mappings_;
  return STATUS_SUCCESS;
}

}  // namespace tandem::bus
