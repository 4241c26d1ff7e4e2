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
};

// Blocks by their addresses, and all in the order of their allocation.
constexpr std::size_t kBuckets = 1024;
constexpr std::size_t kMostFilled = 1 << 20;  // Pages beyond stay untouched.

constinit Mutex mutex;
constinit Block* buckets[kBuckets] = {};
LIST_ENTRY blocks = {&blocks, &blocks};

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

void ReleaseBlock(Block* block) {
  const std::size_t mapped = block->mapped;
  block->state = kFreed;
  if (mapped != 0) {
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
  std::size_t mapped = 0;
  if (highest >> 47 == 0) {
    base = mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    mapped = total;
    if (reinterpret_cast<std::uint64_t>(base) + total > highest) {
      munmap(base, total);
      return nullptr;
    }
  } else {
    base = std::malloc(total);
    if (base == nullptr) return nullptr;
  }
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(base) + sizeof(Block);
  auto* const bytes = reinterpret_cast<unsigned char*>((first + alignment - 1) & ~(alignment - 1));
  Block* const block = BlockOf(bytes);
  *block = Block{{}, nullptr, CaptureStack(), base, size, tag, kLive, kind, mapped};
  if (zeroed) {
    std::memset(bytes, 0, size);
  } else {
    Fill(bytes, kFreshByte, size);
  }
  std::memset(bytes + size, kGuardByte, kGuardBytes);
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
  for (std::size_t i = 0; i < kGuardBytes; ++i) {
    if (BytesOf(block)[block->size + i] == kGuardByte) continue;
    char stack[512];
    WriteStack(block->stack, stack, sizeof(stack));
    Report(Rule::kPoolOverrun, "Tag '%s': the driver wrote past the end of %zu bytes; allocated at %s.",
           TextOf(block->tag).letters, block->size, stack);
    break;
  }
  ForgetObjectsWithin(BytesOf(block), block->size);
  Fill(BytesOf(block), kFreedByte, block->size);
  ReleaseBlock(block);
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
}

}  // namespace tandem::drivers::host
