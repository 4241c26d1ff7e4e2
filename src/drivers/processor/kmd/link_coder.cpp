#include "drivers/processor/kmd/link_coder.h"

#include "base/log.h"
#include "color/blit.h"
#include "color/format.h"

namespace tandem::processor {

ExecutionResult LinkCoder::Run(const LinkCommand& command) {
  if (!IsExtent(command.width) || !IsExtent(command.height)) return kBad;
  const auto format = static_cast<color::Format>(command.picture_format);
  const bool encodes = command.header.opcode == Opcode::kEncode;
  if (command.rotation > (encodes ? 0U : static_cast<std::uint32_t>(color::Rotation::k270))) return kBad;
  const bool quarter = color::IsQuarterTurn(static_cast<color::Rotation>(command.rotation));
  const std::uint64_t row_bytes = std::uint64_t{quarter ? command.height : command.width} * color::BytesPerPixel(format);
  if (!link::CanCrossLink(format) || command.picture_pitch < row_bytes) return kBad;
  const auto picture = memory_.Resolve(command.picture_address,
                                       RectBytes(command.picture_pitch, row_bytes, quarter ? command.width : command.height));
  if (!picture) return encodes ? ReadFault(command.picture_address) : WriteFault(command.picture_address);
  const std::uint64_t surface_bytes = link::LinkSurfaceBytes(command.width, command.height);
  const auto surface = memory_.Resolve(command.surface_address, surface_bytes);
  if (!surface) return encodes ? WriteFault(command.surface_address) : ReadFault(command.surface_address);
  const link::LinkRows rows{{surface->data(), surface_bytes}, command.first_row, command.end_row};
  return encodes ? Encode(command, rows, picture->data()) : Decode(command, rows, picture->data());
}

ExecutionResult LinkCoder::Encode(const LinkCommand& command, const link::LinkRows& rows, const std::byte* picture) {
  const auto format = static_cast<color::Format>(command.picture_format);
  const auto encoded =
      link::EncodeLinkRows(rows, {picture, command.picture_pitch, format, command.width, command.height}, clock_, room_);
  if (!encoded.ok()) {
    Log(LogLevel::kWarn, "A frame is not sent: {}", encoded.error().message);
    return kBad;
  }
  tally_.NoteCrossing(encoded->crossing);
  tally_.NotePass(encoded->passes);
  if (link_ != nullptr) link::NoteLinkTime(rows, link_->TimeOf(encoded->crossing));
  return {};
}

ExecutionResult LinkCoder::Decode(const LinkCommand& command, const link::LinkRows& rows, std::byte* picture) {
  const auto format = static_cast<color::Format>(command.picture_format);
  const auto decoded = link::DecodeLinkRows(rows, {picture, command.picture_pitch, format, command.width, command.height}, clock_,
                                            room_, static_cast<color::Rotation>(command.rotation));
  if (!decoded.ok()) {
    Log(LogLevel::kWarn, "A frame is not shown: {}", decoded.error().message);
    return kBad;
  }
  tally_.NotePass(*decoded);
  return {};
}

}  // namespace tandem::processor
