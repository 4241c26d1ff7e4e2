// A QXL device and a driver that does anything: ports, slots, and commands of any content in memory of any content.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "bus/qxl/qxl_gpu.h"
#include "fuzz/input_bytes.h"
#include "fuzz/silent_output.h"

namespace {

using namespace tandem::bus;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t kWidth = 64, kHeight = 48;
constexpr std::size_t kArena = 1 << 16;  // bytes of the RAM that commands lie in, behind the primary surface

class Driver final : public DeviceHost {
 public:
  Driver(QxlGpu& gpu, std::span<const std::uint8_t> input) : gpu_(gpu), input_(input) {
    gpu_.Attach(*this);
    const auto& bars = gpu_.description().memory;
    begin_ = bars[0].data;
    std::memcpy(&rom_, bars[2].data, sizeof(rom_));
  }

  void Wake() override { awake_ = true; }
  void Raise(std::uint16_t /*vector*/) override {}

  void Run() {
    Start();
    while (!input_.empty()) {
      Step(input_.Take<std::uint8_t>());
      if (std::exchange(awake_, false)) gpu_.Work();
      static_cast<void>(gpu_.LineAsserted());
    }
    static_cast<void>(gpu_.Show(output_, {0, 0, kWidth, kHeight}));
  }

 private:
  QXLRam& ram() { return *reinterpret_cast<QXLRam*>(begin_ + rom_.ram_header_offset); }
  void Out(std::uint32_t port, std::uint32_t value) { gpu_.WritePort(port, 1, value); }
  // A place of the arena in slot 1, or none.
  QXLPHYSICAL TakeAddress() {
    const auto offset = input_.Take<std::uint16_t>();
    if (offset % 64 == 63) return input_.Take<std::uint64_t>();
    return std::uint64_t{1} << 56 | (rom_.surface0_area_size + offset);
  }
  void Start() {
    Out(QXL_IO_RESET, 0);
    const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(begin_);
    ram().mem_slot = {begin, begin + rom_.surface0_area_size + kArena};
    Out(QXL_IO_MEMSLOT_ADD, 1);
    ram().create_surface = {kWidth, kHeight, kWidth * 4, 32, 0, 0, 0, 0, std::uint64_t{1} << 56};
    Out(QXL_IO_CREATE_PRIMARY, 0);
  }
  void Step(std::uint8_t what) {
    switch (what % 8) {
      case 0: return Out(input_.Take<std::uint8_t>() % 32, input_.Take<std::uint8_t>());
      case 1: return Start();
      case 2: return Write(begin_ + rom_.surface0_area_size, kArena);
      case 3: return Write(reinterpret_cast<std::byte*>(&ram()), sizeof(QXLRam));
      case 4: return Push(ram().cmd_ring);
      case 5: return Push(ram().cursor_ring);
      case 6: return PutDrawable();
      default: return static_cast<void>(gpu_.Show(output_, {1, 1, kWidth, kHeight}));
    }
  }
  void Write(std::byte* to, std::size_t bytes) {
    const std::size_t offset = input_.Take<std::uint16_t>() % bytes;
    const std::size_t count = std::min<std::size_t>(input_.Take<std::uint8_t>(), bytes - offset);
    for (std::size_t i = 0; i < count; ++i) to[offset + i] = std::byte{input_.Take<std::uint8_t>()};
  }
  template <class Ring>
  void Push(Ring& ring) {
    auto& command = ring.items[ring.prod % (sizeof(ring.items) / sizeof(ring.items[0]))].el;
    command.type = input_.Take<std::uint8_t>() % 8;
    command.data = TakeAddress();
    ring.prod = ring.prod + 1;
    Wake();
  }
  // One that may be drawn: its box lies on the surface, and its bitmap in the arena.
  void PutDrawable() {
    QXLDrawable drawable{};
    drawable.type = input_.Take<std::uint8_t>() % 5;
    drawable.bbox = {0, 0, 1 + input_.Take<std::uint8_t>() % std::int32_t{kHeight},
                     1 + input_.Take<std::uint8_t>() % std::int32_t{kWidth}};
    drawable.clip = {input_.Take<std::uint8_t>() % 2u, TakeAddress()};
    if (drawable.type == QXL_DRAW_COPY) {
      drawable.u.copy.rop_descriptor = 8;
      drawable.u.copy.src_bitmap = TakeAddress();
      drawable.u.copy.src_area = drawable.bbox;
    }
    const std::size_t at = input_.Take<std::uint16_t>() % (kArena - sizeof(drawable));
    std::memcpy(begin_ + rom_.surface0_area_size + at, &drawable, sizeof(drawable));
  }

  QxlGpu& gpu_;
  tandem::fuzz::Bytes input_;
  tandem::fuzz::SilentOutput output_;
  std::byte* begin_ = nullptr;  // the RAM
  QXLRom rom_{};
  bool awake_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Its memory is mapped once.
  static const std::unique_ptr<QxlGpu> gpu = *QxlGpu::Create(kWidth, kHeight);
  Driver(*gpu, {data, size}).Run();
  return 0;
}
