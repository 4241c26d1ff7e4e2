// DxgkDdiRender: command buffers of user mode, believed in nothing.
#include <cstring>

#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/surface_commands.h"
#include "drivers/processor/user_commands.h"

namespace tandem::processor {
namespace {

drivers::PixelRect ToRect(const UserRect& rect) { return {rect.left, rect.top, rect.right, rect.bottom}; }

// A command is read once, into our own memory: the program can change its buffer while we look at it.
template <class Command>
bool Load(const DXGKARG_RENDER& render, UINT offset, const UserHeader& header, Command& command) {
  if (header.size != sizeof(Command)) return false;
  std::memcpy(&command, static_cast<const std::byte*>(render.pCommand) + offset, sizeof(command));
  return true;
}

// The surface that a command writes or reads; `data` null when the command may not.
enum class Access : std::uint8_t { kRead, kWrite };
SurfaceReference Resolve(const DXGKARG_RENDER& render, std::uint32_t index, Access access) {
  if (index >= render.AllocationListSize) return {};
  SurfaceReference surface = ReferenceTo(render.pAllocationList, index);
  if (access == Access::kWrite && surface.entry->WriteOperation == 0) surface.data = nullptr;
  if (surface.data != nullptr && drivers::PixelBytes(surface.data->format) == 0) surface.data = nullptr;
  return surface;
}

NTSTATUS Written(bool fits) { return fits ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; }

NTSTATUS RenderFill(const DXGKARG_RENDER& render, const UserFill& fill, SurfaceCommandWriter& writer) {
  const SurfaceReference surface = Resolve(render, fill.allocation, Access::kWrite);
  if (surface.data == nullptr) return STATUS_INVALID_HANDLE;
  const drivers::PixelRect rect = ToRect(fill.rect);
  if (!rect.Inside(WholeOf(*surface.data))) return STATUS_INVALID_PARAMETER;
  return Written(writer.Fill(surface, rect, fill.value));
}

NTSTATUS RenderCopy(const DXGKARG_RENDER& render, const UserCopy& copy, SurfaceCommandWriter& writer) {
  const SurfaceReference source = Resolve(render, copy.source, Access::kRead);
  const SurfaceReference destination = Resolve(render, copy.destination, Access::kWrite);
  if (source.data == nullptr || destination.data == nullptr) return STATUS_INVALID_HANDLE;
  const drivers::PixelRect rect = ToRect(copy.rect);
  const drivers::PixelRect read{copy.source_left, copy.source_top, copy.source_left + rect.width(),
                                copy.source_top + rect.height()};
  if (!rect.Inside(WholeOf(*destination.data)) || !read.Inside(WholeOf(*source.data))) return STATUS_INVALID_PARAMETER;
  if (!SameBits(source.data->format, destination.data->format)) return STATUS_INVALID_PARAMETER;
  return Written(writer.Copy(source, read.left, read.top, destination, rect));
}

NTSTATUS RenderOne(const DXGKARG_RENDER& render, UINT offset, const UserHeader& header, SurfaceCommandWriter& writer) {
  switch (header.opcode) {
    case UserOpcode::kNop: return STATUS_SUCCESS;
    case UserOpcode::kFill: {
      UserFill fill;
      return Load(render, offset, header, fill) ? RenderFill(render, fill, writer) : STATUS_INVALID_USER_BUFFER;
    }
    case UserOpcode::kCopy: {
      UserCopy copy;
      return Load(render, offset, header, copy) ? RenderCopy(render, copy, writer) : STATUS_INVALID_USER_BUFFER;
    }
    case UserOpcode::kDelay: {
      UserDelay delay;
      if (!Load(render, offset, header, delay)) return STATUS_INVALID_USER_BUFFER;
      return delay.duration_ns > kMaxDelayNs ? STATUS_INVALID_PARAMETER : Written(writer.Delay(delay.duration_ns, delay.hangs));
    }
  }
  return STATUS_ILLEGAL_INSTRUCTION;
}

}  // namespace

NTSTATUS ProcessorRender(HANDLE /*context*/, DXGKARG_RENDER* render) {
  if (render->pDmaBuffer == nullptr || (render->CommandLength > 0 && render->pCommand == nullptr))
    return STATUS_INVALID_PARAMETER;
  BeginBufferData(render->pDmaBufferPrivateData, render->DmaBufferPrivateDataSize, nullptr);
  SurfaceCommandWriter writer(render->pDmaBuffer, render->DmaSize, render->pPatchLocationListOut,
                              render->PatchLocationListOutSize);
  UINT offset = render->MultipassOffset;
  NTSTATUS status = STATUS_SUCCESS;
  while (status == STATUS_SUCCESS && offset < render->CommandLength) {
    UserHeader header;
    if (render->CommandLength - offset < sizeof(header)) return STATUS_INVALID_USER_BUFFER;
    std::memcpy(&header, static_cast<const std::byte*>(render->pCommand) + offset, sizeof(header));
    if (header.size < sizeof(header) || header.size % 8 != 0 || header.size > render->CommandLength - offset) {
      return STATUS_INVALID_USER_BUFFER;
    }
    status = RenderOne(*render, offset, header, writer);
    if (status == STATUS_SUCCESS) offset += header.size;
  }
  if (status != STATUS_SUCCESS && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) return status;
  render->pDmaBuffer = writer.dma_end();
  render->pPatchLocationListOut = writer.patch_end();
  render->MultipassOffset = offset;
  return status;
}

}  // namespace tandem::processor
