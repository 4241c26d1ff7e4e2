// Answers of the driver about planes that it can show. They are kept until the display changes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/thread.h"
#include "kernel/adapter/adapter.h"

namespace tandem::kernel {

inline constexpr UINT kMaxOverlayPlanes = 16;     // ReturnInfo.FailingPlane has four bits
inline constexpr UINT kMaxPostCompositions = 16;  // one a source

// A question as the driver gets it. Constructed to zero bytes, so that equal questions are equal in memory.
struct OverlayQuestion {
  OverlayQuestion();

  UINT plane_count = 0;
  UINT post_composition_count = 0;
  std::array<DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2, kMaxOverlayPlanes> planes;
  std::array<DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE, kMaxPostCompositions> post_compositions;

  // The question is about one plane that is marked StaticCheck.
  [[nodiscard]] bool IsStatic() const;
};

struct OverlayAnswer {
  bool supported = false;
  DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO info{};
};

// One per adapter. Threads: any; Ask at PASSIVE_LEVEL. Allocates nothing.
class OverlayChecks {
 public:
  explicit OverlayChecks(Adapter& adapter) : adapter_(adapter) {}

  // DxgkDdiCheckMultiPlaneOverlaySupport3, unless the same was asked since the display changed last. Asked anew each time: what
  // is marked StaticCheck, what was answered with TryAgain, and long lists. STATUS_NOT_SUPPORTED without the DDI;
  // STATUS_DEVICE_REMOVED when the driver broke a rule.
  [[nodiscard]] NTSTATUS Ask(OverlayQuestion& question, OverlayAnswer& answer);

  // A mode, a visibility, a surface of another shape, or an allocation that went: what was answered before holds no more. Any
  // IRQL, under any lock.
  void DisplayChanged() { configuration_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  static constexpr std::size_t kKeptPlanes = 4;
  static constexpr std::size_t kKeptAnswers = 32;
  using Key = std::array<std::byte, sizeof(UINT) * 2 + sizeof(DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2) * kKeptPlanes +
                                        sizeof(DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE)>;
  struct Kept {
    std::uint64_t configuration = 0;  // 0: nothing is kept here
    std::size_t key_bytes = 0;
    Key key;
    OverlayAnswer answer;
  };

  // Bytes of the key; 0 when the answer is not to be kept.
  [[nodiscard]] static std::size_t KeyOf(const OverlayQuestion& question, Key& key);
  [[nodiscard]] bool Find(std::uint64_t configuration, const Key& key, std::size_t key_bytes, OverlayAnswer& answer);
  void Keep(std::uint64_t configuration, const Key& key, std::size_t key_bytes, const OverlayAnswer& answer);
  [[nodiscard]] NTSTATUS AskDriver(OverlayQuestion& question, OverlayAnswer& answer);

  Adapter& adapter_;
  std::atomic<std::uint64_t> configuration_{1};
  Mutex mutex_;
  std::array<Kept, kKeptAnswers> kept_ TANDEM_GUARDED_BY(mutex_);
  std::size_t next_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem::kernel
