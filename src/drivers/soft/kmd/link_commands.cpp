// The part of CommandExecutor that brings frames over a link.
#include "base/log.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/soft/kmd/command_checks.h"
#include "link/surface/link_surface.h"

namespace tandem::soft {

void CommandExecutor::NoteCrossing(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes) {
  if (source < kApertureBase && destination >= kApertureBase) crossed_bytes_ += bytes;
}

ExecutionResult CommandExecutor::Link(const LinkCommand& link) {
  if (!IsExtent(link.width) || !IsExtent(link.height)) return kBad;
  const auto format = static_cast<color::Format>(link.picture_format);
  const bool encodes = link.header.opcode == Opcode::kEncode;
  if (link.rotation > (encodes ? 0U : static_cast<std::uint32_t>(color::Rotation::k270))) return kBad;
  const auto rotation = static_cast<color::Rotation>(link.rotation);
  const bool quarter = color::IsQuarterTurn(rotation);
  const std::uint64_t row_bytes = std::uint64_t{quarter ? link.height : link.width} * color::BytesPerPixel(format);
  if (!link::CanCrossLink(format) || link.picture_pitch < row_bytes) return kBad;
  const auto picture = memory_.Resolve(link.picture_address,
                                       std::uint64_t{(quarter ? link.width : link.height) - 1} * link.picture_pitch + row_bytes);
  if (!picture) return encodes ? ReadFault(link.picture_address) : WriteFault(link.picture_address);
  const std::uint64_t surface_bytes = link::LinkSurfaceBytes(link.width, link.height);
  const auto surface = memory_.Resolve(link.surface_address, surface_bytes);
  if (!surface) return encodes ? WriteFault(link.surface_address) : ReadFault(link.surface_address);
  const link::LinkRows rows{{surface->data(), surface_bytes}, link.first_row, link.end_row};
  if (!encodes) {
    const auto decoded = link::DecodeLinkRows(rows, {picture->data(), link.picture_pitch, format, link.width, link.height},
                                              clock_, room_, rotation);
    if (!decoded.ok()) Log(LogLevel::kWarn, "A frame is not shown: {}", decoded.error().message);
    if (!decoded.ok()) return kBad;
    passes_ += *decoded;
    return {};
  }
  const auto encoded =
      link::EncodeLinkRows(rows, {picture->data(), link.picture_pitch, format, link.width, link.height}, clock_, room_);
  if (!encoded.ok()) {
    Log(LogLevel::kWarn, "A frame is not sent: {}", encoded.error().message);
    return kBad;
  }
  crossed_bytes_ += encoded->crossing;
  passes_ += encoded->passes;
  if (link_ != nullptr) link::NoteLinkTime(rows, link_->TimeOf(encoded->crossing));
  return {};
}

}  // namespace tandem::soft
