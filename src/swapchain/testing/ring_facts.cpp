#include "swapchain/testing/ring_facts.h"

namespace tandem::swapchain {

const char* ToString(RingStep step) {
  switch (step) {
    case RingStep::kAcquire: return "acquire";
    case RingStep::kPresentOldest: return "present";
    case RingStep::kPresentNewest: return "present-newest";
    case RingStep::kRelease: return "release";
    case RingStep::kDraw: return "draw";
    case RingStep::kCopySlice: return "copy-slice";
    case RingStep::kThread: return "thread";
    case RingStep::kThreadLate: return "thread-late";
    case RingStep::kDisplayQueue: return "display-queue";
    case RingStep::kVerticalBlank: return "blank";
    case RingStep::kRemoveRender: return "remove-render";
    case RingStep::kRemoveDisplay: return "remove-display";
    case RingStep::kNotice: return "notice";
    case RingStep::kLeave: return "leave";
    case RingStep::kGoOn: return "go-on";
  }
  return "?";
}

}  // namespace tandem::swapchain
