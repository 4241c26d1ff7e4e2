// Contents of a DMA buffer of the processor. Commands follow one another, 8-byte aligned; `address` members are GPU
// addresses and the places of patch locations. The engine checks every address and length again when it executes them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::processor {

enum class Opcode : std::uint32_t {
  kNop = 0,
  kCopyRect = 1,
  kFillRect = 2,
  kDelay = 3,
  kBlit = 4,
  kEncode = 5,
  kDecode = 6,
  // Paging only: a buffer that was not submitted with Flags.Paging faults on these.
  kMapAperture = 0x100,
  kUnmapAperture = 0x101,
  kTransfer = 0x102,
  kFillBytes = 0x103,
};

struct CommandHeader {
  Opcode opcode = Opcode::kNop;
  std::uint32_t size = 0;  // bytes, this header included; a multiple of 8
};

struct CopyRectCommand {
  CommandHeader header{Opcode::kCopyRect, sizeof(CopyRectCommand)};
  std::uint64_t source_address = 0;
  std::uint64_t destination_address = 0;
  std::uint32_t source_pitch = 0;
  std::uint32_t destination_pitch = 0;
  std::uint32_t row_bytes = 0;
  std::uint32_t rows = 0;
};

struct FillRectCommand {
  CommandHeader header{Opcode::kFillRect, sizeof(FillRectCommand)};
  std::uint64_t address = 0;
  std::uint32_t pitch = 0;
  std::uint32_t pixel_bytes = 0;  // 4 or 8
  std::uint32_t width = 0;        // pixels
  std::uint32_t rows = 0;
  std::uint64_t value = 0;
};

// color::BlitRequest, with GPU addresses for its pointers. One side may be NV12: a source is taken as B8G8R8A8 then; a
// destination is not compared with a key, and its part begins and ends at even coordinates of the surface.
struct BlitCommand {
  CommandHeader header{Opcode::kBlit, sizeof(BlitCommand)};
  std::uint64_t source_address = 0;       // first pixel of the source rectangle
  std::uint64_t destination_address = 0;  // first byte of the part in memory
  std::uint32_t source_pitch = 0;
  std::uint32_t destination_pitch = 0;
  std::uint32_t source_format = 0;  // color::Format
  std::uint32_t destination_format = 0;
  std::uint32_t source_width = 0;
  std::uint32_t source_height = 0;
  std::uint32_t destination_width = 0;
  std::uint32_t destination_height = 0;
  std::uint32_t part_left = 0;
  std::uint32_t part_top = 0;
  std::uint32_t part_right = 0;
  std::uint32_t part_bottom = 0;
  std::uint32_t rotation = 0;         // color::Rotation
  std::uint32_t transfer = 0;         // color::Transfer
  std::uint32_t key = 0;              // color::ColorKey
  std::uint32_t chroma_distance = 0;  // of the side that is NV12: color::Nv12ChromaDistance; else 0
  std::uint32_t palette = 0;          // VidPn source whose palette a source of indexes (drivers::kPaletteFormat) has
  std::uint32_t dither = 0;           // 0 or 1
  std::uint64_t key_pixel = 0;
};
static_assert(sizeof(BlitCommand) == 104);

// Rows of a picture into a link surface (link/surface/link_surface.h), and back. Addresses are those of whole allocations, rows
// and extent the link surface's: what comes back may stand turned.
struct LinkCommand {
  CommandHeader header{Opcode::kEncode, sizeof(LinkCommand)};
  std::uint64_t picture_address = 0;
  std::uint64_t surface_address = 0;
  std::uint32_t picture_pitch = 0;
  std::uint32_t picture_format = 0;  // color::Format
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t first_row = 0;
  std::uint32_t end_row = 0;
  std::uint32_t rotation = 0;  // color::Rotation; of kEncode 0
  std::uint32_t reserved = 0;
};
static_assert(sizeof(LinkCommand) == 56);

struct DelayCommand {
  CommandHeader header{Opcode::kDelay, sizeof(DelayCommand)};
  std::uint64_t duration_ns = 0;
  std::uint64_t hangs = 0;  // not 0: cannot be preempted
};

struct MapApertureCommand {
  CommandHeader header{Opcode::kMapAperture, sizeof(MapApertureCommand)};
  std::uint64_t first_page = 0;
  std::uint64_t page_count = 0;
  std::uint64_t host_address = 0;
  std::uint64_t backing_offset = 0;
  std::int64_t backing_fd = -1;
  std::uint64_t is_dma_buf = 0;  // otherwise the descriptor is a memfd's
};

struct UnmapApertureCommand {
  CommandHeader header{Opcode::kUnmapAperture, sizeof(UnmapApertureCommand)};
  std::uint64_t first_page = 0;
  std::uint64_t page_count = 0;
};

// Each side is a GPU address or a host address (an MDL's).
struct TransferCommand {
  CommandHeader header{Opcode::kTransfer, sizeof(TransferCommand)};
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint64_t bytes = 0;
  std::uint32_t source_is_host = 0;
  std::uint32_t destination_is_host = 0;
};

struct FillBytesCommand {
  CommandHeader header{Opcode::kFillBytes, sizeof(FillBytesCommand)};
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t pattern = 0;  // the low 32 bits, repeated
};

// Appends commands to a DMA buffer that somebody else owns.
class CommandWriter {
 public:
  CommandWriter(void* begin, std::uint32_t size) : begin_(static_cast<std::byte*>(begin)), at_(begin_), end_(begin_ + size) {}

  template <class Command>
  [[nodiscard]] bool Fits() const {
    return static_cast<std::size_t>(end_ - at_) >= sizeof(Command);
  }
  // Only after Fits(). Returns the command's byte offset from the buffer's begin.
  template <class Command>
  std::uint32_t Append(const Command& command) {
    const auto offset = static_cast<std::uint32_t>(at_ - begin_);
    __builtin_memcpy(at_, &command, sizeof(command));
    at_ += sizeof(command);
    return offset;
  }
  [[nodiscard]] std::byte* position() const { return at_; }

 private:
  std::byte* begin_;
  std::byte* at_;
  std::byte* end_;
};

}  // namespace tandem::processor
