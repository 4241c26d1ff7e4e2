// Arbitrary events of zwp_linux_dmabuf_feedback_v1, in any order, over arbitrary tables.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/input_bytes.h"
#include "outputs/wayland/dma_buf_feedback.h"

namespace {

using tandem::fuzz::Bytes;

template <class T>
std::vector<T> TakeList(Bytes& input) {
  std::vector<T> values(input.Take<std::uint8_t>());
  for (T& value : values) value = input.Take<T>();
  return values;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::outputs;
  Bytes input({data, size});
  DmaBufFeedback feedback;
  while (!input.empty()) {
    const int choice = input.Take<std::uint8_t>() % 7;
    switch (choice) {
      case 0: {
        tandem::UniqueFd table(memfd_create("table", MFD_CLOEXEC));
        const auto bytes = TakeList<std::uint8_t>(input);
        if (write(table.get(), bytes.data(), bytes.size()) < 0) return 0;
        feedback.SetTable(std::move(table), input.Take<std::uint32_t>());
        break;
      }
      case 1:
      case 2: {
        const auto device = TakeList<std::uint8_t>(input);
        const auto bytes = std::as_bytes(std::span<const std::uint8_t>(device.data(), device.size()));
        choice == 1 ? feedback.SetMainDevice(bytes) : feedback.SetTrancheDevice(bytes);
        break;
      }
      case 3: feedback.SetTrancheFlags((input.Take<std::uint8_t>() & 1) != 0); break;
      case 4: feedback.AddTrancheFormats(TakeList<std::uint16_t>(input)); break;
      case 5: feedback.EndTranche(); break;
      default: feedback.Done();
    }
  }
  for (const DmaBufTranche& tranche : feedback.tranches()) {
    for (const DmaBufFormat& format : tranche.formats) {
      if (!feedback.Takes(format)) std::abort();
    }
  }
  return 0;
}
