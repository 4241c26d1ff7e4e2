// A test whether a card shows memory that it did not make.
#pragma once

#include "base/dma_buf.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/kmd/head_picture.h"

namespace tandem::kms {

// A udmabuf of whole pages of a new memfd. CreateSharedPages' and CreateDmaBuf's errors.
[[nodiscard]] Result<UniqueFd> MakeUdmabuf(std::uint64_t size_bytes);

// Makes pages as cross-adapter resources have them, in the size of the head's preferred mode, and asks the card whether a plane
// takes them: dma-buf, import, framebuffer, a commit that only tests. The pages are `source`'s; null: a memfd's. The reason of a
// refusal otherwise.
[[nodiscard]] Result<void> ProbeImports(const Card& card, GemHandles& handles, const HeadParts& head, DmaBufSource* source);

}  // namespace tandem::kms
