// The part of Miniport that runs paging buffers, on the worker of their node.
#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "color/copy.h"
#include "drivers/vulkan/gpu/one_shot.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

// A transfer is short; a device that takes longer is stuck.
constexpr std::uint64_t kTransferTimeoutNs = 10'000'000'000;
// Of one copy through a buffer of the device's own, bytes.
constexpr std::uint64_t kPieceBytes = 4ULL << 20;

}  // namespace

Result<void> Miniport::MakeLocalMemory() {
  const std::lock_guard<std::mutex> lock(local_mutex_);
  if (local_ != nullptr) return {};
  Result<std::unique_ptr<LocalMemory>> made = LocalMemory::Create(*gpu_, kMemoryBase, description_.local_memory_bytes);
  if (!made.ok()) return std::move(made).error();
  local_ = std::move(*made);
  local_view_.store(local_.get(), std::memory_order_release);
  return {};
}

void Miniport::SubmitPaging(std::uint32_t node, UINT fence, const std::byte* commands, UINT bytes) {
  Packet packet;
  packet.fence = fence;
  packet.paging = commands;
  packet.paging_bytes = bytes;
  packet.deferred = true;
  packet.late = engines_[node]->ReserveLate();
  // What was begun before this. The node's own worker comes to it in turn.
  for (UINT at = 0; at + sizeof(PagingCommand) <= bytes; at += sizeof(PagingCommand)) {
    PagingCommand command;
    std::memcpy(&command, commands + at, sizeof(command));
    for (std::uint32_t lane = 0; lane < kLaneCount && command.allocation != nullptr; ++lane) {
      if (lane == WorkerLane(node)) continue;
      packet.waits[1 + lane] = {TimelineOf(lane), std::max(packet.waits[1 + lane].value, command.allocation->LastUse(lane))};
    }
  }
  engines_[node]->Queue(packet);
}

void Miniport::RunPaging(Engine& engine, const Packet& packet) {
  if (!engine.Await(packet.waits) && !gpu_->lost()) return;
  for (UINT at = 0; at + sizeof(PagingCommand) <= packet.paging_bytes; at += sizeof(PagingCommand)) {
    PagingCommand command;
    std::memcpy(&command, packet.paging + at, sizeof(command));
    switch (command.opcode) {
      case PagingOpcode::kMap: {
        DropRecordings(*command.allocation);
        const Result<void> mapped =
            command.allocation->Map(command.pages, command.offset, command.bytes, may_import(command.memfd != 0));
        if (!mapped.ok()) Log(LogLevel::kError, "A surface in system memory cannot be used: {}", mapped.error().message);
        break;
      }
      case PagingOpcode::kUnmap:
        DropRecordings(*command.allocation);
        command.allocation->Unmap();
        break;
      default: MoveBytes(engine, command); break;
    }
  }
}

void Miniport::MoveBytes(Engine& engine, const PagingCommand& command) {
  const LocalMemory* local = local_view_.load(std::memory_order_acquire);
  const bool known = local != nullptr && local->Contains(command.address, command.bytes) &&
                     (command.opcode != PagingOpcode::kMove || local->Contains(command.destination, command.bytes));
  if (!known) {
    Log(LogLevel::kError, "{}: {} bytes at 0x{:x} are not in local memory.", gpu_->name(), command.bytes, command.address);
    return;
  }
  const Rows at = local->At(command.address);
  if (at.pixels == nullptr) {
    MoveBytesByGpu(engine.node(), command, at);
    return;
  }
  switch (command.opcode) {
    case PagingOpcode::kToSystem: color::CopyBytes(command.pages, at.pixels, command.bytes); break;
    case PagingOpcode::kToLocal: color::CopyBytes(at.pixels, command.pages, command.bytes); break;
    case PagingOpcode::kMove: std::memmove(local->At(command.destination).pixels, at.pixels, command.bytes); break;
    default:
      for (std::uint64_t i = 0; i + sizeof(command.pattern) <= command.bytes; i += sizeof(command.pattern)) {
        std::memcpy(at.pixels + i, &command.pattern, sizeof(command.pattern));
      }
      break;
  }
}

// Memory that the processor does not see, through a buffer that it does, piece by piece.
void Miniport::MoveBytesByGpu(std::uint32_t node, const PagingCommand& command, const Rows& at) {
  Result<std::unique_ptr<OneShot>> shot = OneShot::Create(*gpu_, node);
  Result<std::unique_ptr<HostBuffer>> piece = HostBuffer::CreateBounce(*gpu_, nullptr, std::min(kPieceBytes, command.bytes));
  if (!shot.ok() || !piece.ok()) {
    gpu_->Lose("A transfer's buffer", VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return;
  }
  const Dispatch& vk = gpu_->vk();
  const VkBuffer buffer = (*piece)->handle();
  const auto run = [&](const std::function<void(VkCommandBuffer)>& record) {
    const VkResult result = (*shot)->Run(record, kTransferTimeoutNs);
    if (result != VK_SUCCESS) gpu_->Lose("A transfer", result);
    return result == VK_SUCCESS;
  };
  if (command.opcode == PagingOpcode::kFill) {
    run([&](VkCommandBuffer commands) {
      vk.CmdFillBuffer(commands, at.buffer, at.offset, command.bytes & ~3ULL, command.pattern);
    });
    return;
  }
  for (std::uint64_t done = 0; done < command.bytes; done += kPieceBytes) {
    const std::uint64_t bytes = std::min(kPieceBytes, command.bytes - done);
    const VkBufferCopy out{at.offset + done, 0, bytes};
    const std::uint64_t to = command.opcode == PagingOpcode::kMove ? command.destination - kMemoryBase : at.offset;
    const VkBufferCopy in{0, to + done, bytes};
    if (command.opcode != PagingOpcode::kToLocal) {
      if (!run([&](VkCommandBuffer commands) { vk.CmdCopyBuffer(commands, at.buffer, buffer, 1, &out); })) return;
    } else {
      std::memcpy((*piece)->bounce(), command.pages + done, bytes);
    }
    if (command.opcode == PagingOpcode::kToSystem) {
      std::memcpy(command.pages + done, (*piece)->bounce(), bytes);
    } else if (!run([&](VkCommandBuffer commands) { vk.CmdCopyBuffer(commands, buffer, at.buffer, 1, &in); })) {
      return;
    }
  }
}

}  // namespace tandem::vulkan
