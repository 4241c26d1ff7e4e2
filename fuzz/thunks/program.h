// A program that calls D3DKMT with arbitrary values: what it holds, and the input that decides what it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/input_bytes.h"

#include <d3dkmthk.h>

namespace tandem::fuzz {

struct Program {
  static constexpr std::size_t kMostHandles = 64;

  // Opens the adapter.
  Program(Bytes input, LUID luid);
  // Destroys what would outlive the adapter's handle.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Mostly an existing handle; sometimes one that never existed.
  [[nodiscard]] D3DKMT_HANDLE Handle(const std::vector<D3DKMT_HANDLE>& known);
  static void Keep(std::vector<D3DKMT_HANDLE>& known, D3DKMT_HANDLE handle);
  [[nodiscard]] RECT Rect();

  Bytes bytes;
  D3DKMT_HANDLE adapter = 0;
  std::vector<D3DKMT_HANDLE> devices, contexts, allocations, resources, shares, fences, paging_queues, fence_shares, mutexes;
  std::vector<D3DKMT_CREATECONTEXT> buffers;  // of the living contexts
};

}  // namespace tandem::fuzz
