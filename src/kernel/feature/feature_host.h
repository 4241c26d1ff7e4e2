// The host behind a guest's adapter, as negotiation sees it.
#pragma once

#include "kernel/feature/feature.h"

namespace tandem::kernel {

class FeatureHost {
 public:
  virtual ~FeatureHost() = default;
  // The versions within `versions` at which the host has the feature enabled; empty when it has not, or when it does not answer.
  // Any thread at PASSIVE_LEVEL; blocks until an answer or a time limit.
  [[nodiscard]] virtual VersionRange Ask(DXGK_FEATURE_ID id, VersionRange versions) = 0;
};

}  // namespace tandem::kernel
