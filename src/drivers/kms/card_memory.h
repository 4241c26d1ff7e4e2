// Memory of a card for the resources that cross to it, and what the card says of other memory. Nothing here needs the master.
#pragma once

#include <memory>
#include <string>

#include "base/dma_buf.h"
#include "base/result.h"

namespace tandem::kms {

class CardMemory : public DmaBufSource {
 public:
  // `card` as ParseCardName takes it. The node stays open, and never as the card's master. kUnsupported for a card without KMS,
  // kNotFound, kIo for a node that the user may not open: a seat may all the same.
  [[nodiscard]] static Result<std::shared_ptr<CardMemory>> Open(const std::string& card);

  // Succeeds if framebuffers of a memfd's pages, as a udmabuf, can be made. kUnsupported with the reason.
  [[nodiscard]] virtual Result<void> TakesForeign() = 0;
  // Succeeds if Make()'s memory can be shown whatever the pitch of its pictures. kUnsupported with the reason.
  [[nodiscard]] virtual Result<void> TakesOwn() = 0;
};

}  // namespace tandem::kms
