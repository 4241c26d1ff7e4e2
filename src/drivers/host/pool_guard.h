// Pool memory on pages of its own: a page without memory behind each block, and no memory at all where a block was freed.
#pragma once

#include <ntddk.h>

#include <cstddef>

#include "drivers/host/call_stack.h"

namespace tandem::drivers::host {

// A block that was freed. Its pages stay without memory, until kMostRetired others were freed after it.
struct RetiredBlock {
  void* base;
  std::size_t mapped;
  const unsigned char* bytes;
  std::size_t size;
  ULONG tag;
  CallStack stack;  // of its allocation
};

inline constexpr std::size_t kMostRetired = 4096;

struct GuardedBlock {
  void* base;
  std::size_t mapped;    // bytes, with the page behind
  unsigned char* bytes;  // `head` bytes stand in front
  std::size_t slack;     // bytes between the block's end and the page behind, for its alignment
};

// Blocks of a page and more begin on a page; others end at the page behind, but for what 16 bytes' alignment costs. False: no
// memory.
bool MapGuarded(std::size_t size, std::size_t head, GuardedBlock* block);

// The caller holds the pool's mutex.
void Retire(const RetiredBlock& block);
[[nodiscard]] const RetiredBlock* FindRetired(const void* address);
void EndRetired();

}  // namespace tandem::drivers::host
