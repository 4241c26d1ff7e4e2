#include "outputs/testing/compositor_feedback.h"

#include <array>
#include <cstring>
#include <span>

#include <sys/mman.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "protocols/linux-dmabuf-server.h"

namespace tandem::outputs::testing {
namespace {

struct Entry {
  std::uint32_t fourcc = 0, padding = 0;
  std::uint64_t modifier = 0;
};
static_assert(sizeof(Entry) == 16);

constexpr std::uint32_t kXrgb8888 = 0x34325258;
constexpr std::uint32_t kNv12 = 0x3231564e;

template <class T>
class Array {
 public:
  explicit Array(std::span<const T> values) {
    wl_array_init(&array_);
    std::memcpy(wl_array_add(&array_, values.size_bytes()), values.data(), values.size_bytes());
  }
  ~Array() { wl_array_release(&array_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  [[nodiscard]] wl_array* get() { return &array_; }

 private:
  wl_array array_{};
};

void SendTable(wl_resource* feedback, std::uint64_t modifier, FeedbackFault fault) {
  const std::array<Entry, 2> entries{{{kNv12, 0, modifier}, {kXrgb8888, 0, modifier}}};
  std::uint32_t size = sizeof entries;
  UniqueFd table(memfd_create("feedback", MFD_CLOEXEC));
  static_cast<void>(!write(table.get(), entries.data(), fault == FeedbackFault::kCutTable ? 24 : size));
  if (fault == FeedbackFault::kEmptyTable) size = 0;
  int ends[2] = {-1, -1};
  if (fault == FeedbackFault::kNoFile && pipe(ends) == 0) {
    table = UniqueFd(ends[0]);
    close(ends[1]);
  }
  zwp_linux_dmabuf_feedback_v1_send_format_table(feedback, table.get(), size);
}

void SendTranche(wl_resource* feedback, std::uint16_t position, std::uint32_t flags, FeedbackFault fault) {
  const std::uint64_t number = kMainDevice;
  Array<std::uint8_t> device(
      std::span(reinterpret_cast<const std::uint8_t*>(&number), fault == FeedbackFault::kShortDevice ? 3 : 8));
  if (fault == FeedbackFault::kFarPositions) position = 0xFFFF;
  Array<std::uint16_t> positions(std::span(&position, 1));
  zwp_linux_dmabuf_feedback_v1_send_tranche_target_device(feedback, device.get());
  zwp_linux_dmabuf_feedback_v1_send_tranche_flags(feedback, flags);
  zwp_linux_dmabuf_feedback_v1_send_tranche_formats(feedback, positions.get());
  zwp_linux_dmabuf_feedback_v1_send_tranche_done(feedback);
}

}  // namespace

void SendFeedback(wl_resource* feedback, std::uint64_t modifier, FeedbackFault fault) {
  SendTable(feedback, modifier, fault);
  const std::uint64_t number = kMainDevice;
  Array<std::uint8_t> device(
      std::span(reinterpret_cast<const std::uint8_t*>(&number), fault == FeedbackFault::kShortDevice ? 3 : 8));
  zwp_linux_dmabuf_feedback_v1_send_main_device(feedback, device.get());
  const int repeats = fault == FeedbackFault::kEndless ? 1000 : 1;
  for (int i = 0; i < repeats; ++i) {
    SendTranche(feedback, 0, ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SCANOUT, fault);
    SendTranche(feedback, 1, 0, fault);
  }
  if (fault != FeedbackFault::kNeverDone) zwp_linux_dmabuf_feedback_v1_send_done(feedback);
}

}  // namespace tandem::outputs::testing
