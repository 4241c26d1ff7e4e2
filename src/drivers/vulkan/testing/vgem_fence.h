// A fence that ends when a test says so, of the kernel's vgem device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/unique_fd.h"

namespace tandem::vulkan::testing {

class VgemFence {
 public:
  // Null, with the reason, on a machine without vgem.
  static std::unique_ptr<VgemFence> Create(std::string& why_not);
  // Unsignalled until Signal(), at most 10 s.
  [[nodiscard]] const UniqueFd& sync_file() const { return sync_file_; }
  void Signal();

 private:
  UniqueFd card_;
  UniqueFd dma_buf_;
  UniqueFd sync_file_;
  std::uint32_t fence_ = 0;
};

}  // namespace tandem::vulkan::testing
