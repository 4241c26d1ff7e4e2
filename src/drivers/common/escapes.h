// Escapes that every driver of this tree answers: the backing stores that it shares, and the meters of its allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "base/pass_meter.h"
#include "drivers/common/dma_buffer.h"

namespace tandem::drivers {

enum class BackingStoreAccess : std::uint32_t { kRead = 0, kWrite = 1 };

// D3DKMTEscape private data: the kernel-mode half reads or writes four bytes of a backing store that is shared with it.
struct BackingStoreEscape {
  static constexpr std::uint32_t kMagic = 0x45424454;  // "TDBE"

  std::uint32_t magic = kMagic;
  std::uint32_t allocation = 0;  // D3DKMT_HANDLE
  BackingStoreAccess access = BackingStoreAccess::kRead;
  std::uint32_t value = 0;   // to write, or what was read
  std::uint64_t offset = 0;  // bytes; the four bytes there lie inside the allocation
};
static_assert(sizeof(BackingStoreEscape) == 24);

// D3DKMTEscape private data: pulls the cable out of the connector of an emulated target, or puts it back.
struct CableEscape {
  static constexpr std::uint32_t kMagic = 0x43434454;  // "TDCC"

  std::uint32_t magic = kMagic;
  std::uint32_t target = 0;   // VidPnTargetId
  std::uint32_t plugged = 0;  // 0: the cable is out
};
static_assert(sizeof(CableEscape) == 12);

// `store` of `bytes`; null: it is not shared. STATUS_NOT_SUPPORTED without a store, STATUS_INVALID_PARAMETER for a place outside.
NTSTATUS TouchBackingStore(BackingStoreEscape& escape, std::byte* store, std::uint64_t bytes);

// Calls `status = answer(escape)` for private data of exactly its size and with its magic. False: the data is something else.
// The data need not be aligned.
template <class Escape, class Answer>
[[nodiscard]] bool AnswerEscape(const DXGKARG_ESCAPE& args, NTSTATUS& status, Answer&& answer) {
  static_assert(std::is_trivially_copyable_v<Escape>);
  if (args.pPrivateDriverData == nullptr || args.PrivateDriverDataSize != sizeof(Escape)) return false;
  Escape escape;
  std::memcpy(&escape, args.pPrivateDriverData, sizeof(escape));
  if (escape.magic != Escape::kMagic) return false;
  status = answer(escape);
  std::memcpy(args.pPrivateDriverData, &escape, sizeof(escape));
  return true;
}

// STATUS_INVALID_HANDLE for an allocation that does not exist. The caller of the escape owns the pointer in it.
template <class Allocation>
[[nodiscard]] NTSTATUS FindMeter(PassMeterEscape& escape, const Allocation* allocation) {
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  escape.meter = new std::shared_ptr<PassMeter>(allocation->passes);
  return STATUS_SUCCESS;
}

}  // namespace tandem::drivers
