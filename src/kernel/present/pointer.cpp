#include "kernel/present/pointer.h"

#include <cstddef>

#include "base/status_name.h"
#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::byte kReplaces{0}, kCombines{0xFF};

DXGK_POINTERFLAGS FlagOf(PointerKind kind) {
  DXGK_POINTERFLAGS flags{};
  switch (kind) {
    case PointerKind::kMonochrome: flags.Monochrome = 1; break;
    case PointerKind::kColor: flags.Color = 1; break;
    case PointerKind::kMaskedColor: flags.MaskedColor = 1; break;
  }
  return flags;
}

Result<void> CheckSource(const Adapter& adapter, std::uint32_t vidpn_source) {
  if (vidpn_source < adapter.vidpn_source_count()) return {};
  return Fail(ErrorKind::kNotFound, "Source {} is not one of the adapter's {}.", vidpn_source, adapter.vidpn_source_count());
}

Result<void> CheckMasks(const PointerShape& shape) {
  for (std::uint32_t y = 0; y < shape.height; ++y) {
    for (std::uint32_t x = 0; x < shape.width; ++x) {
      const std::byte mask = shape.pixels[std::size_t{y} * shape.pitch + std::size_t{x} * kPixelBytes + kPixelBytes - 1];
      if (mask == kReplaces || mask == kCombines) continue;
      return Fail(ErrorKind::kInvalidArgument, "Mask 0x{:02X} of pixel ({}, {}) is neither 0 nor 0xFF.",
                  std::to_integer<unsigned>(mask), x, y);
    }
  }
  return {};
}

Result<void> CheckShape(const PointerShape& shape, const PointerCaps& caps) {
  if (caps.shapes.Value == 0) return Fail(ErrorKind::kUnsupported, "The driver has no pointer.");
  if ((caps.shapes.Value & FlagOf(shape.kind).Value) == 0) {
    return Fail(ErrorKind::kUnsupported, "Pointer flag 0x{:X} is not among the driver's PointerCaps 0x{:X}.",
                FlagOf(shape.kind).Value, caps.shapes.Value);
  }
  if (shape.width == 0 || shape.height == 0 || shape.width > caps.max_width || shape.height > caps.max_height) {
    return Fail(ErrorKind::kInvalidArgument, "A pointer of {} x {} pixels is not within 1 x 1 and {} x {}.", shape.width,
                shape.height, caps.max_width, caps.max_height);
  }
  if (shape.hot_x >= shape.width || shape.hot_y >= shape.height) {
    return Fail(ErrorKind::kInvalidArgument, "The hot spot ({}, {}) is not in the pointer of {} x {} pixels.", shape.hot_x,
                shape.hot_y, shape.width, shape.height);
  }
  const bool monochrome = shape.kind == PointerKind::kMonochrome;
  const std::uint64_t row_bytes = monochrome ? (std::uint64_t{shape.width} + 7) / 8 : std::uint64_t{shape.width} * kPixelBytes;
  const std::uint64_t rows = std::uint64_t{shape.height} * (monochrome ? 2 : 1);
  if (shape.pitch < row_bytes || (rows - 1) * shape.pitch + row_bytes > shape.pixels.size()) {
    return Fail(ErrorKind::kInvalidArgument, "{} rows of {} bytes, {} from row to row, are not in {} bytes.", rows, row_bytes,
                shape.pitch, shape.pixels.size());
  }
  return shape.kind == PointerKind::kMaskedColor ? CheckMasks(shape) : Result<void>();
}

Result<void> ToResult(const Adapter& adapter, const char* ddi, NTSTATUS status) {
  if (const std::string broken = adapter.violation(); !broken.empty()) return Fail(ErrorKind::kDeviceLost, "{}", broken);
  if (NT_SUCCESS(status)) return {};
  return Fail(status == STATUS_DEVICE_REMOVED ? ErrorKind::kDeviceLost : ErrorKind::kInternal, "{} answered {}.", ddi,
              StatusText(status));
}

}  // namespace

PointerCaps PointerCapsOf(const Adapter& adapter) {
  const DRIVER_INITIALIZATION_DATA& ddi = adapter.ddi();
  if (ddi.DxgkDdiSetPointerPosition == nullptr || ddi.DxgkDdiSetPointerShape == nullptr) return {};
  const DXGK_DRIVERCAPS& caps = adapter.caps();
  return {caps.PointerCaps, caps.MaxPointerWidth, caps.MaxPointerHeight};
}

Result<void> SetPointerShape(Adapter& adapter, std::uint32_t vidpn_source, const PointerShape& shape) {
  if (auto exists = CheckSource(adapter, vidpn_source); !exists.ok()) return exists;
  if (auto sane = CheckShape(shape, PointerCapsOf(adapter)); !sane.ok()) return sane;
  DXGKARG_SETPOINTERSHAPE args{};
  args.Flags = FlagOf(shape.kind);
  args.Width = shape.width;
  args.Height = shape.height;
  args.Pitch = shape.pitch;
  args.VidPnSourceId = vidpn_source;
  args.pPixels = shape.pixels.data();
  args.XHot = shape.hot_x;
  args.YHot = shape.hot_y;
  const NTSTATUS status = CallDdi(adapter, Ddi::kSetPointerShape, adapter.ddi().DxgkDdiSetPointerShape,
                                  adapter.miniport_context(), static_cast<const DXGKARG_SETPOINTERSHAPE*>(&args));
  return ToResult(adapter, "DxgkDdiSetPointerShape", status);
}

Result<void> SetPointerPosition(Adapter& adapter, std::uint32_t vidpn_source, const PointerPosition& position) {
  if (auto exists = CheckSource(adapter, vidpn_source); !exists.ok()) return exists;
  if (PointerCapsOf(adapter).shapes.Value == 0) return Fail(ErrorKind::kUnsupported, "The driver has no pointer.");
  DXGKARG_SETPOINTERPOSITION args{vidpn_source, position.x, position.y, {}};
  args.Flags.Visible = position.visible ? 1 : 0;
  const NTSTATUS status = CallDdi(adapter, Ddi::kSetPointerPosition, adapter.ddi().DxgkDdiSetPointerPosition,
                                  adapter.miniport_context(), static_cast<const DXGKARG_SETPOINTERPOSITION*>(&args));
  return ToResult(adapter, "DxgkDdiSetPointerPosition", status);
}

}  // namespace tandem::kernel
