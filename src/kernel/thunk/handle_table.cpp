#include "kernel/thunk/handle_table.h"

#include "base/check.h"

namespace tandem::kernel {
namespace {

constexpr std::uint64_t Open(D3DKMT_HANDLE handle) { return static_cast<std::uint64_t>(handle) << 32; }

}  // namespace

HandleTable::~HandleTable() {
  for (Space& space : spaces_) {
    for (auto& chunk : space.chunks) delete chunk.load(std::memory_order_acquire);
  }
}

D3DKMT_HANDLE HandleTable::Reserve(HandleType type, HandleSpace of) {
  const MutexLock lock(mutex_);
  const auto number = static_cast<std::uint32_t>(of);
  Space& space = spaces_[number];
  std::uint32_t index = 0;
  // New slots as long as there are some: a stale handle then names nothing for as long as possible.
  if (space.slots_made < kMaxHandles && space.free.size() < kSlotsPerChunk / 2) {
    if (space.slots_made % kSlotsPerChunk == 0)
      space.chunks[space.slots_made / kSlotsPerChunk].store(new Chunk, std::memory_order_release);
    index = space.slots_made++;
  } else if (!space.free.empty()) {
    index = space.free.front();
    space.free.pop_front();
  } else {
    return 0;
  }
  Slot& slot = (*space.chunks[index / kSlotsPerChunk].load(std::memory_order_relaxed))[index % kSlotsPerChunk];
  slot.generation = slot.generation + 1 < kGenerations ? slot.generation + 1 : kFirstGeneration;
  slot.type = type;
  return slot.generation << kGenerationShift | index << kSpaceBits | number;
}

HandleTable::Slot* HandleTable::SlotOf(D3DKMT_HANDLE handle) {
  const std::uint32_t space = handle & kSpaceMask, index = handle >> kSpaceBits & kIndexMask;
  if (space >= kSpaces || handle >> kGenerationShift < kFirstGeneration) return nullptr;  // 0 is the state of a closed slot
  Chunk* const chunk = spaces_[space].chunks[index / kSlotsPerChunk].load(std::memory_order_acquire);
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
  Slot* const slot = SlotOf(handle);
  if (slot == nullptr) return nullptr;
  std::uint64_t state = slot->state.load(std::memory_order_relaxed);
  do {
    if (state >> 32 != handle) return nullptr;
  } while (!slot->state.compare_exchange_weak(state, state + 1, std::memory_order_acquire, std::memory_order_relaxed));
  if (slot->type == type) return slot->object.get();
  Release(handle);
  return nullptr;
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
  spaces_[handle & kSpaceMask].free.push_back(handle >> kSpaceBits & kIndexMask);
}

}  // namespace tandem::kernel
