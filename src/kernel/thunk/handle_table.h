// D3DKMT handles: 32 bits that name an object of one type until it is closed, and nothing afterwards.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "base/thread.h"

#include <d3dukmdt.h>

namespace tandem::kernel {

// Handles of a space that are open at once.
inline constexpr std::uint32_t kMaxHandles = 1u << 17;

enum class HandleType : std::uint8_t {
  kAdapter,
  kDevice,
  kContext,
  kResource,
  kAllocation,
  kSyncObject,
  kPagingQueue,
  kKeyedMutex,
  kShare,
  kSyncShare,
  kKeyedMutexShare
};

// Handles of one space are counted together: those that a device or an adapter hands out, those that no program sees, and those
// that name a shared object for everybody.
enum class HandleSpace : std::uint8_t { kLocal, kHidden, kGlobal };

// A handle is generation | index | space, laid out as on Windows: the upper two bits are never both 0, the lower six are 2 in a
// global handle and 0 in others, and new handles are 0x40 apart. A slot that is used again has another generation (384 of them,
// and the slot that is free for the longest time is taken first). Threads: any. Looking up takes no lock and allocates nothing.
class HandleTable {
 public:
  HandleTable() = default;
  ~HandleTable();
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  // A handle whose object is put in by Publish: until then it names nothing. 0 when kMaxHandles of the space are open.
  [[nodiscard]] D3DKMT_HANDLE Reserve(HandleType type, HandleSpace space = HandleSpace::kLocal);
  void Publish(D3DKMT_HANDLE handle, std::shared_ptr<void> object);
  // Gives a reserved handle back that was not published.
  void Abandon(D3DKMT_HANDLE handle);

  // Adds a reference that keeps the object; null for a handle that is not open or of another type. Release() as often.
  [[nodiscard]] void* Acquire(D3DKMT_HANDLE handle, HandleType type);
  void Release(D3DKMT_HANDLE handle);
  // A copy of the pointer, good beyond the handle; the caller holds a reference.
  [[nodiscard]] std::shared_ptr<void> Share(D3DKMT_HANDLE handle);

  // From now on the handle names nothing. Waits until every reference is released, then gives the object to the caller. Null when
  // it was not open (or is being closed by another thread). The caller holds no reference.
  [[nodiscard]] std::shared_ptr<void> Close(D3DKMT_HANDLE handle, HandleType type);

 private:
  static constexpr std::uint32_t kSpaceBits = 6, kIndexBits = 17, kGenerationShift = kSpaceBits + kIndexBits;
  static constexpr std::uint32_t kSpaceMask = (1u << kSpaceBits) - 1, kIndexMask = kMaxHandles - 1;
  static constexpr std::uint32_t kFirstGeneration = 1u << 7, kGenerations = 1u << 9;  // from the first to below the number
  static constexpr std::uint32_t kSlotsPerChunk = 1024;
  static constexpr std::uint32_t kSpaces = 3;

  struct Slot {
    // Upper half: the handle while it is open, else 0. Lower half: references.
    std::atomic<std::uint64_t> state{0};
    std::uint32_t generation = kGenerations - 1;  // guarded by mutex_
    HandleType type{};                            // written while the handle is not open
    std::shared_ptr<void> object;
  };
  using Chunk = std::array<Slot, kSlotsPerChunk>;
  struct Space {
    std::array<std::atomic<Chunk*>, kMaxHandles / kSlotsPerChunk> chunks{};
    std::uint32_t slots_made = 0;    // guarded by mutex_
    std::deque<std::uint32_t> free;  // guarded by mutex_
  };

  // Null for a handle that never was.
  [[nodiscard]] Slot* SlotOf(D3DKMT_HANDLE handle) {
    const std::uint32_t space = handle & kSpaceMask, index = handle >> kSpaceBits & kIndexMask;
    if (space >= kSpaces || handle >> kGenerationShift < kFirstGeneration) return nullptr;  // 0 is the state of a closed slot
    Chunk* const chunk = spaces_[space].chunks[index / kSlotsPerChunk].load(std::memory_order_acquire);
    return chunk != nullptr ? &(*chunk)[index % kSlotsPerChunk] : nullptr;
  }
  void Recycle(D3DKMT_HANDLE handle);

  std::array<Space, kSpaces> spaces_;
  Mutex mutex_;
};

// A reference to the object behind a handle, for the duration of a call.
template <class T>
class HandleRef {
 public:
  HandleRef(HandleTable& table, D3DKMT_HANDLE handle)
      : table_(table), handle_(handle), object_(static_cast<T*>(table.Acquire(handle, T::kHandleType))) {}
  ~HandleRef() { Reset(); }
  HandleRef(const HandleRef&) = delete;
  HandleRef& operator=(const HandleRef&) = delete;

  [[nodiscard]] explicit operator bool() const { return object_ != nullptr; }
  [[nodiscard]] T* operator->() const { return object_; }
  [[nodiscard]] T& operator*() const { return *object_; }
  [[nodiscard]] T* get() const { return object_; }
  [[nodiscard]] std::shared_ptr<T> Share() const { return std::static_pointer_cast<T>(table_.Share(handle_)); }
  void Reset() {
    if (std::exchange(object_, nullptr) != nullptr) table_.Release(handle_);
  }

 private:
  HandleTable& table_;
  D3DKMT_HANDLE handle_;
  T* object_;
};

}  // namespace tandem::kernel
