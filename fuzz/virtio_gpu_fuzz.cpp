// A virtio GPU and a driver that does anything: registers, queues, descriptors and commands of any content. The device writes
// where its driver says, so that descriptors refer to the driver's memory or to none. A renderer that renders nothing stands for
// virglrenderer, whose start alone takes 20 ms.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "bus/testing/fake_renderer_3d.h"
#include "bus/virtio/virtio_gpu.h"
#include "fuzz/input_bytes.h"
#include "fuzz/silent_output.h"

namespace {

using namespace tandem::bus;          // NOLINT(google-build-using-namespace)
using namespace tandem::bus::virtio;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kArenaBytes = std::size_t{1} << 16;
constexpr std::uint16_t kQueueEntries = 16;
constexpr std::size_t kDataBegin = 8192;   // of what commands and answers lie in
constexpr std::size_t kQueueBytes = 4096;  // a queue's part of the arena: descriptors, available ring, used ring

class Driver final : public DeviceHost {
 public:
  explicit Driver(std::span<const std::uint8_t> input) : input_(input) { gpu_.Attach(*this); }
  ~Driver() override { gpu_.Reset(); }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void Wake() override { awake_ = true; }
  void Raise(std::uint16_t /*vector*/) override {}

  void Run() {
    Start();
    while (!input_.empty()) {
      Step(input_.Take<std::uint8_t>());
      if (std::exchange(awake_, false)) gpu_.Work();
    }
  }

 private:
  void Start() {
    gpu_.WriteRegister(kDriverFeatureSelect, 4, 0);
    gpu_.WriteRegister(kDriverFeature, 4, static_cast<std::uint32_t>(kGpuVirgl));
    gpu_.WriteRegister(kDriverFeatureSelect, 4, 1);
    gpu_.WriteRegister(kDriverFeature, 4, 1);
    gpu_.WriteRegister(kStatus, 1, kFeaturesOk);
    for (std::uint16_t queue = 0; queue < 2; ++queue) {
      const std::uint64_t base = AddressOf(queue * kQueueBytes);
      gpu_.WriteRegister(kQueueSelect, 2, queue);
      gpu_.WriteRegister(kQueueSize, 2, kQueueEntries);
      for (const auto& [part, offset] : {std::pair{kQueueDescriptors, 0u}, {kQueueAvailable, 1024u}, {kQueueUsed, 2048u}}) {
        gpu_.WriteRegister(part, 4, static_cast<std::uint32_t>(base + offset));
        gpu_.WriteRegister(part + 4, 4, static_cast<std::uint32_t>((base + offset) >> 32));
      }
      gpu_.WriteRegister(kQueueEnable, 2, 1);
    }
    gpu_.WriteRegister(kStatus, 1, kFeaturesOk | kDriverOk);
  }

  void Step(std::uint8_t what) {
    switch (what % 10) {
      case 0: {
        const std::uint32_t size = 1u << input_.Take<std::uint8_t>() % 3;
        const std::uint32_t offset = input_.Take<std::uint16_t>() % kRegisterBytes / size * size;
        const auto value = input_.Take<std::uint32_t>();
        // Places of queues are addresses, too.
        if (offset < kQueueDescriptors || offset >= kCommonBytes) gpu_.WriteRegister(offset, size, value);
        static_cast<void>(gpu_.ReadRegister(offset, size));
        return;
      }
      case 1: return Start();
      case 2: return Put(TakeOffset(), input_.Take<std::uint32_t>());
      case 3: return PutDescriptor();
      case 4: return PutCommand();
      case 5: return Offer();
      case 6: return Show();
      case 7: return PutCommand3d();
      case 8: return Signal();
      default: return gpu_.Reset();
    }
  }

  [[nodiscard]] std::uint64_t AddressOf(std::size_t offset) const {
    return reinterpret_cast<std::uintptr_t>(arena_.data()) + offset % kArenaBytes;
  }
  [[nodiscard]] std::size_t TakeOffset() { return kDataBegin + input_.Take<std::uint16_t>() % (kArenaBytes - kDataBegin); }
  // A range of the data, or of no memory.
  std::pair<std::uint64_t, std::uint32_t> TakeRange() {
    const std::size_t offset = TakeOffset();
    const auto bytes = input_.Take<std::uint16_t>();
    if ((bytes & 0xF000) == 0xF000) return {offset % 4096, bytes};
    return {AddressOf(offset), static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kArenaBytes - offset))};
  }
  template <class T>
  void Put(std::size_t offset, T value) {
    if (offset + sizeof(value) <= kArenaBytes) std::memcpy(arena_.data() + offset, &value, sizeof(value));
  }
  void PutDescriptor() {
    const auto where = input_.Take<std::uint8_t>();
    const std::size_t at = where % 2 * kQueueBytes + where / 2 % kQueueEntries * 16;
    const auto [address, bytes] = TakeRange();
    Put(at, address);
    Put(at + 8, bytes);
    Put(at + 12, input_.Take<std::uint32_t>());
  }
  // A header, and words of a command or the entries of a backing.
  void PutCommand() {
    const std::size_t at = TakeOffset() / 8 * 8;
    Put(at, 0x100u + input_.Take<std::uint8_t>() % 12 + (input_.Take<std::uint8_t>() % 8 == 0 ? 0x200u : 0u));
    const std::size_t words = input_.Take<std::uint8_t>() % 12;
    for (std::size_t i = 0; i < words; ++i) Put(at + 24 + 4 * i, std::uint32_t{input_.Take<std::uint16_t>()} % 600);
    if (input_.Take<std::uint8_t>() % 2 == 0) return;
    const std::uint32_t entries = input_.Take<std::uint8_t>() % 4;
    Put(at + 28, entries);
    for (std::uint32_t i = 0; i < entries; ++i) {
      const auto [address, bytes] = TakeRange();
      Put(at + 32 + 16 * i, address);
      Put(at + 40 + 16 * i, bytes);
    }
  }
  // A header with a context and perhaps a fence, and words of a command.
  void PutCommand3d() {
    const std::size_t at = TakeOffset() / 8 * 8;
    const auto number = input_.Take<std::uint8_t>();
    Put(at, number % 10 < 8 ? 0x200u + number % 10 : 0x100u + number % 10);
    Put(at + 4, std::uint32_t{input_.Take<std::uint8_t>()} % 2);
    Put(at + 16, std::uint32_t{input_.Take<std::uint8_t>()} % 3);
    const std::size_t words = input_.Take<std::uint8_t>() % 16;
    for (std::size_t i = 0; i < words; ++i) {
      const auto word = input_.Take<std::uint16_t>();
      Put(at + 24 + 4 * i, word < 0xFF00 ? std::uint32_t{word} % 300 : std::uint32_t{word} << 16);
    }
  }
  void Signal() {
    renderer_.refuses = input_.Take<std::uint8_t>() % 8 == 0;
    if (renderer_.host != nullptr) renderer_.host->OnFence(renderer_.last_fence);
  }
  void Offer() {
    const auto what = input_.Take<std::uint8_t>();
    const std::size_t ring = what % 2 * kQueueBytes + 1024;
    std::uint16_t index = 0;
    std::memcpy(&index, arena_.data() + ring + 2, sizeof(index));
    Put(ring + 4 + 2 * (index % kQueueEntries), static_cast<std::uint16_t>(what / 2 % (kQueueEntries + 1)));
    Put(ring + 2, static_cast<std::uint16_t>(index + 1));
    gpu_.WriteRegister(kNotify, 2, 0);
  }
  void Show() {
    const auto left = input_.Take<std::uint8_t>(), top = input_.Take<std::uint8_t>();
    static_cast<void>(
        gpu_.Show(output_, {left, top, left + 1u + input_.Take<std::uint8_t>(), top + 1u + input_.Take<std::uint8_t>()}));
  }

  tandem::fuzz::Bytes input_;
  FakeRenderer renderer_;
  VirtioGpu gpu_{GpuDisplay{64, 48, 16'666'667}, nullptr, renderer_.Maker()};
  tandem::fuzz::SilentOutput output_;
  bool awake_ = false;
  alignas(4096) std::array<std::byte, kArenaBytes> arena_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto driver = std::make_unique<Driver>(std::span(data, size));
  driver->Run();
  return 0;
}
