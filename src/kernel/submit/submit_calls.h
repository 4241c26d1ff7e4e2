// The driver's calls about one DMA buffer: Patch, SubmitCommand and CancelCommand.
#pragma once

#include <cstdint>

#include "kernel/adapter/adapter.h"
#include "kernel/submit/packet.h"

namespace tandem::kernel {

enum class Submission : std::uint8_t { kFirst, kRepeated };

// Hands the packet, which has its fence, to the driver. A driver that fails is reported and stopped. PASSIVE_LEVEL.
void SubmitPacket(Adapter& adapter, const Packet& packet, std::uint32_t node_ordinal, Submission submission);
// Tells the driver that a packet of a context will not be submitted (again). PASSIVE_LEVEL.
void CancelPacket(Adapter& adapter, const Packet& packet);

}  // namespace tandem::kernel
