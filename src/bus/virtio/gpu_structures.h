// Structures of commands and answers in the buffers of a chain.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "bus/virtio/gpu_protocol.h"
#include "bus/virtio/split_queue.h"

namespace tandem::bus {

// Calls `execute` with the command; kUnspecified when the driver sent less.
template <class Command, class Execute>
virtio::GpuAnswer With(const Chain& chain, Execute execute) {
  Command command{};
  return chain.Read(0, &command, sizeof(command)) ? execute(command) : virtio::GpuAnswer::kUnspecified;
}

template <class Answer>
void Put(const Answer& value, std::vector<std::byte>& answer) {
  answer.resize(sizeof(value));
  std::memcpy(answer.data(), &value, sizeof(value));
}

}  // namespace tandem::bus
