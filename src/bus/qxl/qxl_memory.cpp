#include "bus/qxl/qxl_memory.h"

#include <bit>
#include <iterator>
#include <utility>

#include "bus/millimetres.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kRomMagic = 0x4F525851, kRamMagic = 0x41525851;  // "QXRO", "QXRA"
constexpr std::uint32_t kPageBytes = 4096, kPixelBytes = 4, kBits = 32;
constexpr std::uint32_t kCommandBytes = 16 << 20;  // of the RAM at least, beside the primary surface
constexpr std::uint32_t kHeaderBytes = 2 * kPageBytes;
constexpr std::uint32_t kRomBytes = 8192, kModesOffset = 4096;
static_assert(sizeof(QXLRam) <= kHeaderBytes && sizeof(QXLRom) <= kModesOffset);
constexpr std::uint32_t kSlotBits = 8, kGenerationBits = 8;
constexpr std::uint64_t kOffsetMask = ~std::uint64_t{0} >> (kSlotBits + kGenerationBits);

struct Extent {
  std::uint32_t width, height;
};
constexpr Extent kModes[] = {{640, 480},   {800, 600},   {1024, 768},  {1280, 720}, {1280, 1024},
                             {1600, 1200}, {1920, 1080}, {2560, 1440}, {3840, 2160}};

std::size_t SurfaceBytes(std::uint32_t width, std::uint32_t height) {
  const std::size_t bytes = std::size_t{width} * height * kPixelBytes;
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

template <class Ring>
void Empty(Ring& ring) {
  ring = {};
  ring.num_items = static_cast<std::uint32_t>(std::size(ring.items));
  ring.notify_on_prod = 1;
}

}  // namespace

// The VRAM has room for the bitmaps of two pictures.
Result<QxlMemory> QxlMemory::Create(std::uint32_t width, std::uint32_t height) {
  const std::size_t surface_bytes = SurfaceBytes(width, height);
  auto ram = LowMemory::Create(std::bit_ceil(surface_bytes + kCommandBytes + kHeaderBytes));
  if (!ram.ok()) return std::move(ram).error();
  auto vram = LowMemory::Create(std::bit_ceil(2 * surface_bytes + kCommandBytes));
  if (!vram.ok()) return std::move(vram).error();
  auto rom = LowMemory::Create(kRomBytes);
  if (!rom.ok()) return std::move(rom).error();
  QxlMemory memory(*std::move(ram), *std::move(vram), *std::move(rom));
  memory.FillRom(width, height);
  memory.Reset();
  return memory;
}

QxlMemory::QxlMemory(LowMemory ram, LowMemory vram, LowMemory rom)
    : ram_(std::move(ram)),
      vram_(std::move(vram)),
      rom_(std::move(rom)),
      header_offset_(static_cast<std::uint32_t>(ram_.size_bytes()) - kHeaderBytes) {}

std::vector<MemoryBar> QxlMemory::Bars() const {
  const auto bar = [](std::uint32_t index, const LowMemory& memory) {
    return MemoryBar{index, memory.data(), static_cast<std::uint32_t>(memory.size_bytes())};
  };
  return {bar(QXL_RAM_RANGE_INDEX, ram_), bar(QXL_VRAM_RANGE_INDEX, vram_), bar(QXL_ROM_RANGE_INDEX, rom_)};
}

void QxlMemory::FillRom(std::uint32_t width, std::uint32_t height) {
  QXLRom rom{};
  rom.magic = kRomMagic;
  rom.modes_offset = kModesOffset;
  rom.surface0_area_size = static_cast<std::uint32_t>(SurfaceBytes(width, height));
  rom.num_pages = (header_offset_ - rom.surface0_area_size) / kPageBytes;
  rom.ram_header_offset = header_offset_;
  rom.n_surfaces = 1;
  rom.slots_start = kFirstSlot;
  rom.slots_end = kSlots - 1;
  rom.slot_gen_bits = kGenerationBits;
  rom.slot_id_bits = kSlotBits;
  rom.client_present = 1;
  std::memcpy(rom_.data(), &rom, sizeof(rom));

  std::vector<Extent> modes{{width, height}};
  for (const Extent& mode : kModes) {
    const bool fits = mode.width <= width && mode.height <= height;
    if (fits && (mode.width != width || mode.height != height)) modes.push_back(mode);
  }
  std::byte* at = rom_.data() + kModesOffset;
  const auto count = static_cast<std::uint32_t>(modes.size());
  std::memcpy(at, &count, sizeof(count));
  at += sizeof(count);
  for (std::uint32_t id = 0; id < count; ++id, at += sizeof(QXLMode)) {
    const Extent& extent = modes[id];
    const QXLMode mode{
        id, extent.width, extent.height, kBits, extent.width * kPixelBytes, Millimetres(extent.width), Millimetres(extent.height),
        0};
    std::memcpy(at, &mode, sizeof(mode));
  }
}

void QxlMemory::Reset() {
  QXLRam& header = ram();
  header = {};
  header.magic = kRamMagic;
  Empty(header.cmd_ring);
  Empty(header.cursor_ring);
  Empty(header.release_ring);
  slots_ = {};
}

bool QxlMemory::AddSlot(std::uint32_t slot) {
  const QXLMemSlot range = ram().mem_slot;
  if (slot < kFirstSlot || slot >= kSlots || range.mem_start >= range.mem_end) return false;
  for (const LowMemory* const memory : {&ram_, &vram_}) {
    const std::uint64_t offset = range.mem_start - reinterpret_cast<std::uintptr_t>(memory->data());
    if (offset >= memory->size_bytes() || range.mem_end - range.mem_start > memory->size_bytes() - offset) continue;
    slots_[slot] = {memory->data() + offset, range.mem_end - range.mem_start};
    return true;
  }
  return false;
}

void QxlMemory::RemoveSlot(std::uint32_t slot) {
  if (slot < kSlots) slots_[slot] = {};
}

std::byte* QxlMemory::Find(QXLPHYSICAL address, std::uint64_t bytes) const {
  const std::uint64_t index = address >> (64 - kSlotBits), offset = address & kOffsetMask;
  if (index >= kSlots || offset >= slots_[index].bytes || bytes > slots_[index].bytes - offset) return nullptr;
  return slots_[index].begin + offset;
}

}  // namespace tandem::bus
