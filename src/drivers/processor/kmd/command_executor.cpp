#include "drivers/processor/kmd/command_executor.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/memory_map.h"
#include "base/sleep.h"
#include "color/blit.h"
#include "color/copy.h"
#include "color/fill.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/kmd/blit_request.h"
#include "drivers/processor/kmd/command_checks.h"
#include "drivers/processor/user_commands.h"

namespace tandem::processor {
namespace {

template <class Command>
Command Load(const std::byte* at) {
  Command command;
  std::memcpy(&command, at, sizeof(command));
  return command;
}

std::uint32_t SizeOf(std::uint32_t opcode) {
  switch (static_cast<Opcode>(opcode)) {
    case Opcode::kNop: return sizeof(CommandHeader);
    case Opcode::kCopyRect: return sizeof(CopyRectCommand);
    case Opcode::kFillRect: return sizeof(FillRectCommand);
    case Opcode::kDelay: return sizeof(DelayCommand);
    case Opcode::kBlit: return sizeof(BlitCommand);
    case Opcode::kEncode:
    case Opcode::kDecode: return sizeof(LinkCommand);
    case Opcode::kMapAperture: return sizeof(MapApertureCommand);
    case Opcode::kUnmapAperture: return sizeof(UnmapApertureCommand);
    case Opcode::kTransfer: return sizeof(TransferCommand);
    case Opcode::kFillBytes: return sizeof(FillBytesCommand);
  }
  return 0;
}

// Rows of one surface onto itself: in the order that reads each row before it is overwritten.
void CopyOverlapping(std::byte* destination, const std::byte* source, const CopyRectCommand& copy) {
  const bool downwards = std::less<>()(source, static_cast<const std::byte*>(destination));
  for (std::uint64_t i = 0; i < copy.rows; ++i) {
    const std::uint64_t row = downwards ? copy.rows - 1 - i : i;
    std::memmove(destination + row * copy.destination_pitch, source + row * copy.source_pitch, copy.row_bytes);
  }
}

}  // namespace

ExecutionResult CommandExecutor::Execute(std::span<const std::byte> commands, Privilege privilege, const std::atomic<Stop>& stop,
                                         Progress& progress) {
  if (progress.bytes > commands.size()) return kBad;
  commands = commands.subspan(progress.bytes);
  while (!commands.empty()) {
    const Stop wanted = stop.load(std::memory_order_acquire);
    if (wanted != Stop::kNone) return {wanted == Stop::kAbort ? Execution::kAborted : Execution::kPreempted, 0, false};
    if (commands.size() < sizeof(CommandHeader)) return kBad;
    const auto header = Load<CommandHeader>(commands.data());
    const auto opcode = static_cast<std::uint32_t>(header.opcode);
    const std::uint32_t expected = SizeOf(opcode);
    if (expected == 0 || header.size != expected || header.size > commands.size()) return kBad;
    if (privilege != Privilege::kPaging && opcode >= static_cast<std::uint32_t>(Opcode::kMapAperture)) return kBad;
    const ExecutionResult result = ExecuteOne(commands.data(), opcode, stop, progress);
    if (result.outcome != Execution::kDone) return result;
    commands = commands.subspan(header.size);
    progress = {progress.bytes + header.size, 0};
  }
  return {};
}

ExecutionResult CommandExecutor::ExecuteOne(const std::byte* command, std::uint32_t opcode, const std::atomic<Stop>& stop,
                                            Progress& progress) {
  switch (static_cast<Opcode>(opcode)) {
    case Opcode::kNop: return {};
    case Opcode::kCopyRect: return Copy(Load<CopyRectCommand>(command));
    case Opcode::kBlit: return Blit(Load<BlitCommand>(command));
    case Opcode::kFillRect: return Fill(Load<FillRectCommand>(command));
    case Opcode::kEncode:
    case Opcode::kDecode: return link_coder_.Run(Load<LinkCommand>(command));
    case Opcode::kDelay: return Delay(Load<DelayCommand>(command), stop, progress);
    case Opcode::kTransfer: return Transfer(Load<TransferCommand>(command));
    case Opcode::kFillBytes: return FillBytes(Load<FillBytesCommand>(command));
    case Opcode::kMapAperture:
    case Opcode::kUnmapAperture: return Page(command, opcode);
  }
  return kBad;
}

ExecutionResult CommandExecutor::Delay(const DelayCommand& delay, const std::atomic<Stop>& stop, Progress& progress) {
  if (delay.duration_ns > kMaxDelayNs || progress.delay_ns > delay.duration_ns) return kBad;
  constexpr std::int64_t kSliceNs = 1'000'000;  // how late a stop may be noticed
  const std::int64_t end_ns = clock_.NowNs() + static_cast<std::int64_t>(delay.duration_ns - progress.delay_ns);
  for (;;) {
    const std::int64_t left_ns = std::max<std::int64_t>(end_ns - clock_.NowNs(), 0);
    const Stop wanted = stop.load(std::memory_order_acquire);
    if (wanted == Stop::kAbort) return {Execution::kAborted, 0, false};
    if (wanted == Stop::kPreempt && delay.hangs == 0) {
      progress.delay_ns = delay.duration_ns - static_cast<std::uint64_t>(left_ns);
      return {Execution::kPreempted, 0, false};
    }
    if (left_ns == 0) return {};
    SleepFor(clock_, std::min(left_ns, kSliceNs));
  }
}

ExecutionResult CommandExecutor::Copy(const CopyRectCommand& copy) {
  if (copy.rows == 0 || copy.row_bytes == 0) return kBad;
  if (copy.source_pitch < copy.row_bytes || copy.destination_pitch < copy.row_bytes) return kBad;
  const std::uint64_t source_bytes = RectBytes(copy.source_pitch, copy.row_bytes, copy.rows);
  const std::uint64_t destination_bytes = RectBytes(copy.destination_pitch, copy.row_bytes, copy.rows);
  const auto source = memory_.Resolve(copy.source_address, source_bytes);
  if (!source) return ReadFault(copy.source_address);
  const auto destination = memory_.Resolve(copy.destination_address, destination_bytes);
  if (!destination) return WriteFault(copy.destination_address);
  if (Overlap(source->data(), source_bytes, destination->data(), destination_bytes)) {
    if (copy.source_pitch != copy.destination_pitch) return kBad;
    CopyOverlapping(destination->data(), source->data(), copy);
  } else {
    color::CopyRows(destination->data(), copy.destination_pitch, source->data(), copy.source_pitch, copy.row_bytes, copy.rows);
  }
  tally_.NoteCopy(copy.source_address, copy.destination_address, std::uint64_t{copy.row_bytes} * copy.rows);
  return {};
}

ExecutionResult CommandExecutor::Blit(const BlitCommand& blit) {
  auto request = ToRequest(blit);
  if (!request) return kBad;
  if (blit.chroma_distance != 0) return nv12_blitter_.Run(blit, *request);
  const bool turned = color::IsQuarterTurn(request->rotation);
  const std::uint64_t source_row = std::uint64_t{blit.source_width} * drivers::PixelBytes(request->source_format);
  const std::uint64_t columns = turned ? request->part.height() : request->part.width();
  const std::uint64_t rows = turned ? request->part.width() : request->part.height();
  const std::uint64_t destination_row = columns * color::BytesPerPixel(request->destination_format);
  if (blit.source_pitch < source_row || blit.destination_pitch < destination_row) return kBad;
  const std::uint64_t source_bytes = RectBytes(blit.source_pitch, source_row, blit.source_height);
  const std::uint64_t destination_bytes = RectBytes(blit.destination_pitch, destination_row, rows);
  const auto source = memory_.Resolve(blit.source_address, source_bytes);
  if (!source) return ReadFault(blit.source_address);
  const auto destination = memory_.Resolve(blit.destination_address, destination_bytes);
  if (!destination) return WriteFault(blit.destination_address);
  request->source = source->data();
  request->destination = destination->data();
  if (request->source_format == drivers::kPaletteFormat) {
    ColorSource(blit, *request);
    color::Blit(*request);
    tally_.NoteBlit(blit, destination_row * rows);
    return {};
  }
  if (!Overlap(source->data(), source_bytes, destination->data(), destination_bytes)) {
    color::Blit(*request);
    tally_.NoteBlit(blit, destination_row * rows);
    return {};
  }
  // Everything is read before anything is written.
  auto pages = RoundUpToPages(source_bytes);
  if (!pages.ok()) return kBad;
  auto snapshot = MemoryMap::CreateAnonymous(*pages);
  if (!snapshot.ok()) return kBad;
  std::memcpy(snapshot->data(), source->data(), source_bytes);
  request->source = snapshot->data();
  color::Blit(*request);
  tally_.NotePass({std::uint64_t{blit.source_width} * blit.source_height, source_bytes});
  tally_.NoteBlit(blit, destination_row * rows);
  return {};
}

// The rows of indexes that the part takes pixels from, as colours.
void CommandExecutor::ColorSource(const BlitCommand& blit, color::BlitRequest& request) {
  const std::uint64_t first = color::StretchedPosition(blit.part_top, blit.source_height, blit.destination_height);
  const std::uint64_t end = color::StretchedPosition(blit.part_bottom - 1, blit.source_height, blit.destination_height) + 1;
  const std::uint64_t pitch = std::uint64_t{blit.source_width} * sizeof(std::uint32_t);
  colored_.resize(blit.source_width * (end - first));
  drivers::ColorIndexes(owner_.PaletteOf(blit.palette), reinterpret_cast<std::byte*>(colored_.data()), pitch,
                        request.source + first * request.source_pitch, request.source_pitch, blit.source_width, end - first);
  request.source = reinterpret_cast<const std::byte*>(colored_.data()) - first * pitch;
  request.source_pitch = pitch;
  request.source_format = drivers::kPaletteColors;
}

ExecutionResult CommandExecutor::Fill(const FillRectCommand& fill) {
  if (fill.rows == 0 || fill.width == 0 || (fill.pixel_bytes != 1 && fill.pixel_bytes != 4 && fill.pixel_bytes != 8)) return kBad;
  const std::uint64_t row_bytes = std::uint64_t{fill.width} * fill.pixel_bytes;
  if (fill.pitch < row_bytes) return kBad;
  const auto surface = memory_.Resolve(fill.address, RectBytes(fill.pitch, row_bytes, fill.rows));
  if (!surface) return WriteFault(fill.address);
  tally_.NotePass({std::uint64_t{fill.width} * fill.rows, row_bytes * fill.rows});
  if (fill.pixel_bytes == 1) {
    for (std::uint64_t row = 0; row < fill.rows; ++row)
      std::memset(surface->data() + row * fill.pitch, static_cast<int>(fill.value), fill.width);
    return {};
  }
  color::FillRows(surface->data(), fill.pitch, fill.value, fill.pixel_bytes, fill.width, fill.rows);
  return {};
}

ExecutionResult CommandExecutor::Transfer(const TransferCommand& transfer) {
  if (transfer.bytes == 0) return kBad;
  const bool reads_host = transfer.source_is_host != 0;
  const bool writes_host = transfer.destination_is_host != 0;
  const auto source = reads_host ? std::nullopt : memory_.Resolve(transfer.source, transfer.bytes);
  if (!reads_host && !source) return ReadFault(transfer.source);
  const auto destination = writes_host ? std::nullopt : memory_.Resolve(transfer.destination, transfer.bytes);
  if (!writes_host && !destination) return WriteFault(transfer.destination);
  const std::byte* from = source ? source->data() : reinterpret_cast<const std::byte*>(transfer.source);
  std::byte* to = destination ? destination->data() : reinterpret_cast<std::byte*>(transfer.destination);
  if (Overlap(from, transfer.bytes, to, transfer.bytes)) {
    std::memmove(to, from, transfer.bytes);
  } else {
    color::CopyBytes(to, from, transfer.bytes);
  }
  return {};
}

ExecutionResult CommandExecutor::FillBytes(const FillBytesCommand& fill) {
  if (fill.bytes == 0) return kBad;
  const auto range = memory_.Resolve(fill.address, fill.bytes);
  if (!range) return WriteFault(fill.address);
  const auto pattern = static_cast<std::uint32_t>(fill.pattern);
  std::uint64_t done = 0;
  for (; done + sizeof(pattern) <= fill.bytes; done += sizeof(pattern))
    std::memcpy(range->data() + done, &pattern, sizeof(pattern));
  std::memcpy(range->data() + done, &pattern, fill.bytes - done);
  return {};
}

ExecutionResult CommandExecutor::Page(const std::byte* command, std::uint32_t opcode) {
  forgotten_.clear();
  bool done = false;
  if (static_cast<Opcode>(opcode) == Opcode::kMapAperture) {
    done = memory_.MapAperture(Load<MapApertureCommand>(command), forgotten_);
  } else {
    const auto unmap = Load<UnmapApertureCommand>(command);
    done = memory_.UnmapAperture(unmap.first_page, unmap.page_count, forgotten_);
  }
  for (const std::uint64_t id : forgotten_) owner_.OnMemoryForgotten(id);
  return done ? ExecutionResult{} : kBad;
}

}  // namespace tandem::processor
