// The kernel-mode half's answer to DXGKQAITYPE_UMDRIVERPRIVATE.
#pragma once

#include <cstdint>

namespace tandem::processor {

inline constexpr std::uint32_t kAdapterMagic = 0x44415354;  // "TSAD"
inline constexpr std::uint32_t kAdapterVersion = 2;

struct AdapterData {
  std::uint32_t magic = kAdapterMagic;
  std::uint32_t version = kAdapterVersion;
  std::uint32_t cross_adapter_tier = 0;  // 0..3
  std::uint32_t vidpn_sources = 0;
  std::uint32_t scans_out_nv12 = 0;  // 1: its display controller reads NV12
};

}  // namespace tandem::processor
