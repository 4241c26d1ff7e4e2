// A test whether a card shows memory that it did not make.
#pragma once

#include "base/result.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/kmd/head_picture.h"

namespace tandem::kms {

// Makes pages as cross-adapter resources have them, in the size of the head's preferred mode, and asks the card whether a plane
// takes them: dma-buf, import, framebuffer, a commit that only tests. The reason of a refusal otherwise.
[[nodiscard]] Result<void> ProbeImports(const Card& card, GemHandles& handles, const HeadParts& head);

}  // namespace tandem::kms
