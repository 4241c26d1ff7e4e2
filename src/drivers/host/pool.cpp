// Pool and contiguous memory, each block with its tag and the call stack of its allocation.
#include "drivers/host/pool.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "drivers/host/call_stack.h"
#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"
#include "drivers/host/pool_guard.h"

namespace tandem::drivers::host {
namespace {

constexpr std::uint32_t kLive = 0x6c6f6f70, kFreed = 0x64656572;
constexpr unsigned char kFreshByte = 0xA5, kFreedByte = 0xDD, kGuardByte = 0xFD;
constexpr std::size_t kGuardBytes = 16;

// In front of the caller's bytes.
struct alignas(16) Block {
  LIST_ENTRY link;
  Block* next;  // In its bucket.
  CallStack stack;
  void* base;  // of malloc
  std::size_t size;
  ULONG tag;
  std::uint32_t state;
  PoolKind kind;
  std::size_t mapped;  // Bytes of mmap; 0: malloc.
  std::size_t tail;    // Bytes of kGuardByte behind the caller's.
  bool guarded;        // A page without memory follows.
};

// Blocks by their addresses, and all in the order of their allocation.
constexpr std::size_t kBuckets = 1024;
constexpr std::size_t kMostFilled = 1 << 20;  // Pages beyond stay untouched.

constinit Mutex mutex;
constinit Block* buckets[kBuckets] = {};
LIST_ENTRY blocks = {&blocks, &blocks};
constinit bool guard_pages = false;

unsigned char* BytesOf(Block* block) { return reinterpret_cast<unsigned char*>(block + 1); }
Block* BlockOf(void* bytes) { return static_cast<Block*>(bytes) - 1; }

const char* FreeFunction(PoolKind kind) { return kind == PoolKind::kContiguous ? "MmFreeContiguousMemory" : "ExFreePool"; }

Block** BucketOf(const void* bytes) { return &buckets[(reinterpret_cast<std::uintptr_t>(bytes) >> 4) % kBuckets]; }

// The caller holds the mutex.
void Insert(Block* block) {
  Block** const bucket = BucketOf(BytesOf(block));
  block->next = *bucket;
  *bucket = block;
  InsertTailList(&blocks, &block->link);
}

// Found by its address: memory that is no block is not read. The caller holds the mutex.
Block* Take(void* bytes) {
  for (Block** link = BucketOf(bytes); *link != nullptr; link = &(*link)->next) {
    Block* const block = *link;
    if (BytesOf(block) != bytes) continue;
    *link = block->next;
    RemoveEntryList(&block->link);
    return block;
  }
  return nullptr;
}

void Fill(void* bytes, int value, std::size_t size) { std::memset(bytes, value, size < kMostFilled ? size : kMostFilled); }

// The caller holds the mutex.
void ReleaseBlock(Block* block) {
  const std::size_t mapped = block->mapped;
  block->state = kFreed;
  if (block->guarded) {
    Retire({block->base, mapped, BytesOf(block), block->size, block->tag, block->stack});
  } else if (mapped != 0) {
    munmap(block->base, mapped);
  } else {
    std::free(block->base);
  }
}

}  // namespace

TagText TextOf(ULONG tag) {
  TagText text{};
  for (int i = 0; i < 4; ++i) {
    const auto letter = static_cast<unsigned char>(tag >> (8 * i));
    text.letters[i] = letter >= 0x20 && letter < 0x7f ? static_cast<char>(letter) : '.';
  }
  return text;
}

void* Allocate(PoolKind kind, std::size_t size, ULONG tag, bool zeroed, std::uint64_t highest) {
  // Blocks of a page and more begin on a page, as on Windows.
  const std::size_t alignment = size >= PAGE_SIZE || kind == PoolKind::kContiguous ? PAGE_SIZE : 16;
  if (size > SIZE_MAX / 2) return nullptr;
  const std::size_t total = size + kGuardBytes + sizeof(Block) + alignment;
  void* base = nullptr;
  std::size_t mapped = 0, tail = kGuardBytes;
  unsigned char* bytes = nullptr;
  const bool guarded = guard_pages && kind == PoolKind::kPool && highest == kAnyAddress;
  if (guarded) {
    GuardedBlock block;
    if (!MapGuarded(size, sizeof(Block), &block)) return nullptr;
    base = block.base;
    mapped = block.mapped;
    tail = block.slack;
    bytes = block.bytes;
  } else if (highest >> 47 == 0) {
    base = mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    mapped = total;
    if (reinterpret_cast<std::uint64_t>(base) + total > highest) {
      munmap(base, total);
      return nullptr;
    }
  } else {
    base = zeroed ? std::calloc(1, total) : std::malloc(total);
    if (base == nullptr) return nullptr;
  }
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(base) + sizeof(Block);
  if (bytes == nullptr) bytes = reinterpret_cast<unsigned char*>((first + alignment - 1) & ~(alignment - 1));
  Block* const block = BlockOf(bytes);
  *block = Block{{}, nullptr, CaptureStack(), base, size, tag, kLive, kind, mapped, tail, guarded};
  // New maps are zeroed, too; a large block's pages are touched by their user alone.
  if (!zeroed) Fill(bytes, kFreshByte, size);
  std::memset(bytes + size, kGuardByte, tail);
  const Locked locked(mutex);
  Insert(block);
  return bytes;
}

void Free(PoolKind kind, void* bytes, ULONG tag) {
  Block* block = nullptr;
  {
    const Locked locked(mutex);
    block = Take(bytes);
  }
  if (block == nullptr || block->kind != kind) {
    Report(Rule::kPoolFree, "%s: there is no such allocation; it was freed before, or another function allocated it.",
           FreeFunction(kind));
    if (block == nullptr) return;
  }
  if (tag != 0 && block->tag != tag) {
    Report(Rule::kPoolFree, "%s: the tag is '%s'; the allocation's is '%s'.", FreeFunction(kind), TextOf(tag).letters,
           TextOf(block->tag).letters);
  }
  for (std::size_t i = 0; i < block->tail; ++i) {
    if (BytesOf(block)[block->size + i] == kGuardByte) continue;
    char stack[512];
    WriteStack(block->stack, stack, sizeof(stack));
    Report(Rule::kPoolOverrun, "Tag '%s': the driver wrote past the end of %zu bytes; allocated at %s.",
           TextOf(block->tag).letters, block->size, stack);
    break;
  }
  ForgetObjectsWithin(BytesOf(block), block->size);
  Fill(BytesOf(block), kFreedByte, block->size);
  const Locked locked(mutex);
  ReleaseBlock(block);
}

void BeginPool(const TANDEM_DRIVER_KERNEL& kernel) {
  constexpr std::size_t kSize = offsetof(TANDEM_DRIVER_KERNEL, GuardPages) + sizeof(kernel.GuardPages);
  guard_pages = kernel.Size >= kSize && kernel.GuardPages != FALSE;
}

void ReportPoolFault(const void* address) {
  if (!guard_pages || address == nullptr) return;
  char stack[512];
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  RetiredBlock found{};
  std::size_t behind = 0;  // bytes past the end of a block that lives
  {
    const Locked locked(mutex);
    if (const RetiredBlock* const retired = FindRetired(address); retired != nullptr) found = *retired;
    for (LIST_ENTRY* entry = blocks.Flink; found.base == nullptr && entry != &blocks; entry = entry->Flink) {
      Block* const block = CONTAINING_RECORD(entry, Block, link);
      const auto guard = reinterpret_cast<std::uintptr_t>(block->base) + block->mapped - PAGE_SIZE;
      if (!block->guarded || at < guard || at - guard >= PAGE_SIZE) continue;
      found = RetiredBlock{block->base, block->mapped, BytesOf(block), block->size, block->tag, block->stack};
      behind = at - reinterpret_cast<std::uintptr_t>(BytesOf(block)) - block->size + 1;
    }
  }
  if (found.base == nullptr) return;
  WriteStack(found.stack, stack, sizeof(stack));
  const Rule rule = behind != 0 ? Rule::kPoolOverrun : Rule::kPoolFreed;
  char text[1024];
  if (behind != 0) {
    std::snprintf(text, sizeof(text), "Tag '%s': the driver accesses byte %zu past the end of %zu bytes; allocated at %s.",
                  TextOf(found.tag).letters, behind, found.size, stack);
  } else {
    std::snprintf(text, sizeof(text), "Tag '%s': the driver accesses %zu bytes that it freed; allocated at %s.",
                  TextOf(found.tag).letters, found.size, stack);
  }
  Report(rule, "%s", text);
  // The process may end here, and nobody asks for its reports any more.
  std::fprintf(stderr, "%s: %s\n", kRules[static_cast<int>(rule)].name, text);
}

void EndPool() {
  const Locked locked(mutex);
  // One report for each tag: count, bytes and the oldest allocation.
  while (!IsListEmpty(&blocks)) {
    const Block first = *CONTAINING_RECORD(blocks.Flink, Block, link);
    std::size_t count = 0, bytes = 0;
    for (LIST_ENTRY* entry = blocks.Flink; entry != &blocks;) {
      Block* const block = CONTAINING_RECORD(entry, Block, link);
      entry = entry->Flink;
      if (block->tag != first.tag || block->kind != first.kind) continue;
      ++count;
      bytes += block->size;
      ReleaseBlock(Take(BytesOf(block)));
    }
    char stack[512];
    WriteStack(first.stack, stack, sizeof(stack));
    if (first.kind == PoolKind::kContiguous) {
      Report(Rule::kContiguousLeak, "%zu allocation%s, %zu bytes in all; the first at %s.", count, count == 1 ? "" : "s", bytes,
             stack);
    } else {
      Report(Rule::kPoolLeak, "Tag '%s': %zu allocation%s, %zu bytes in all; the first at %s.", TextOf(first.tag).letters, count,
             count == 1 ? "" : "s", bytes, stack);
    }
  }
  EndRetired();
}

}  // namespace tandem::drivers::host
