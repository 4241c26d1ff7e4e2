#include "drivers/host/pool_guard.h"

#include <sys/mman.h>

#include <cstdint>

namespace tandem::drivers::host {
namespace {

constexpr std::size_t kAlignment = 16;

constinit RetiredBlock retired[kMostRetired] = {};
constinit std::size_t next = 0;  // the oldest one's place

std::size_t Up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

void Unmap(RetiredBlock* block) {
  if (block->base != nullptr) munmap(block->base, block->mapped);
  block->base = nullptr;
}

}  // namespace

bool MapGuarded(std::size_t size, std::size_t head, GuardedBlock* block) {
  const bool begins = size >= PAGE_SIZE;
  const std::size_t room = begins ? Up(head, PAGE_SIZE) + Up(size, PAGE_SIZE) : Up(head + Up(size, kAlignment), PAGE_SIZE);
  block->mapped = room + PAGE_SIZE;
  block->base = mmap(nullptr, block->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block->base == MAP_FAILED) return false;
  auto* const guard = static_cast<unsigned char*>(block->base) + room;
  mprotect(guard, PAGE_SIZE, PROT_NONE);
  block->bytes = guard - Up(size, begins ? PAGE_SIZE : kAlignment);
  block->slack = static_cast<std::size_t>(guard - block->bytes) - size;
  return true;
}

void Retire(const RetiredBlock& block) {
  mprotect(block.base, block.mapped, PROT_NONE);
  madvise(block.base, block.mapped, MADV_DONTNEED);
  Unmap(&retired[next]);
  retired[next] = block;
  next = (next + 1) % kMostRetired;
}

const RetiredBlock* FindRetired(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const RetiredBlock& block : retired) {
    const auto base = reinterpret_cast<std::uintptr_t>(block.base);
    if (base != 0 && at >= base && at - base < block.mapped) return &block;
  }
  return nullptr;
}

void EndRetired() {
  for (RetiredBlock& block : retired) Unmap(&block);
}

}  // namespace tandem::drivers::host
