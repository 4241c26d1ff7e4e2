#include "kernel/thunk/handle_table.h"

#include "base/check.h"

namespace tandem::kernel {
namespace {

constexpr std::uint64_t Open(D3DKMT_HANDLE handle) { return static_cast<std::uint64_t>(handle) << 32; }

}  // namespace

HandleTable::~HandleTable() {
  for (auto& chunk : chunks_) delete chunk.load(std::memory_order_acquire);
}

D3DKMT_HANDLE HandleTable::Reserve(HandleType type) {
  const MutexLock lock(mutex_);
  std::uint32_t index = 0;
  // New slots as long as there are some: a stale handle then names nothing for as long as possible.
  if (slots_made_ < kMaxHandles && (free_.size() < kSlotsPerChunk / 2 || free_.empty())) {
    if (slots_made_ % kSlotsPerChunk == 0) chunks_[slots_made_ / kSlotsPerChunk].store(new Chunk, std::memory_order_release);
    index = slots_made_++;
  } else if (!free_.empty()) {
    index = free_.front();
    free_.pop_front();
  } else {
    return 0;
  }
  Slot& slot = (*chunks_[index / kSlotsPerChunk].load(std::memory_order_relaxed))[index % kSlotsPerChunk];
  slot.generation = (slot.generation + 1) & ((1u << kGenerationBits) - 1);
  return (static_cast<std::uint32_t>(type) << (kIndexBits + kGenerationBits)) | (slot.generation << kIndexBits) | index;
}

HandleTable::Slot* HandleTable::SlotOf(D3DKMT_HANDLE handle) const {
  const std::uint32_t index = handle & ((1u << kIndexBits) - 1);
  if (index >= kMaxHandles) return nullptr;
  Chunk* const chunk = chunks_[index / kSlotsPerChunk].load(std::memory_order_acquire);
  return chunk != nullptr ? &(*chunk)[index % kSlotsPerChunk] : nullptr;
}

void HandleTable::Publish(D3DKMT_HANDLE handle, std::shared_ptr<void> object) {
  Slot* const slot = SlotOf(handle);
  TANDEM_CHECK(slot != nullptr && object != nullptr);
  slot->object = std::move(object);
  slot->state.store(Open(handle), std::memory_order_release);
}

void HandleTable::Abandon(D3DKMT_HANDLE handle) { Recycle(handle); }

void* HandleTable::Acquire(D3DKMT_HANDLE handle, HandleType type) {
  if (handle >> (kIndexBits + kGenerationBits) != static_cast<std::uint32_t>(type)) return nullptr;
  Slot* const slot = SlotOf(handle);
  if (slot == nullptr) return nullptr;
  std::uint64_t state = slot->state.load(std::memory_order_relaxed);
  do {
    if (state >> 32 != handle) return nullptr;
  } while (!slot->state.compare_exchange_weak(state, state + 1, std::memory_order_acquire, std::memory_order_relaxed));
  return slot->object.get();
}

void HandleTable::Release(D3DKMT_HANDLE handle) {
  Slot* const slot = SlotOf(handle);
  // 1: the last reference to a handle that was closed.
  if (slot->state.fetch_sub(1, std::memory_order_acq_rel) == 1) slot->state.notify_all();
}

std::shared_ptr<void> HandleTable::Share(D3DKMT_HANDLE handle) { return SlotOf(handle)->object; }

std::shared_ptr<void> HandleTable::Close(D3DKMT_HANDLE handle, HandleType type) {
  void* const object = Acquire(handle, type);
  if (object == nullptr) return nullptr;
  Slot* const slot = SlotOf(handle);
  std::uint64_t state = slot->state.load(std::memory_order_relaxed);
  do {
    if (state >> 32 != handle) {
      Release(handle);
      return nullptr;
    }
  } while (!slot->state.compare_exchange_weak(state, state & 0xFFFF'FFFFu, std::memory_order_acq_rel, std::memory_order_relaxed));
  Release(handle);
  for (state = slot->state.load(std::memory_order_acquire); state != 0; state = slot->state.load(std::memory_order_acquire)) {
    slot->state.wait(state, std::memory_order_acquire);
  }
  std::shared_ptr<void> owned = std::move(slot->object);
  Recycle(handle);
  return owned;
}

void HandleTable::Recycle(D3DKMT_HANDLE handle) {
  const MutexLock lock(mutex_);
  free_.push_back(handle & ((1u << kIndexBits) - 1));
}

}  // namespace tandem::kernel
