#include "drivers/vulkan/kmd/paging_runner.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "color/copy.h"
#include "drivers/vulkan/gpu/one_shot.h"
#include "drivers/vulkan/kmd/ddi.h"

namespace tandem::vulkan {
namespace {

// A transfer is short; a device that takes longer is stuck.
constexpr std::uint64_t kTransferTimeoutNs = 10'000'000'000;
// Bytes of one copy through a buffer of the device's own.
constexpr std::uint64_t kPieceBytes = 4ULL << 20;

// Images and primaries have no rows that a command could name.
bool IsRows(AllocationKind kind) { return kind != AllocationKind::kImage && kind != AllocationKind::kPrimary; }

}  // namespace

Result<void> PagingRunner::MakeLocalMemory(std::uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (local_ != nullptr) return {};
  Result<std::unique_ptr<LocalMemory>> made = LocalMemory::Create(gpu_, kMemoryBase, bytes);
  if (!made.ok()) return std::move(made).error();
  local_ = std::move(*made);
  view_.store(local_.get(), std::memory_order_release);
  return {};
}

Rows PagingRunner::RowsOf(const Allocation* allocation, std::uint64_t address) const {
  if (allocation == nullptr || !IsRows(allocation->data().kind)) return {};
  const LocalMemory* local = view_.load(std::memory_order_acquire);
  if (local != nullptr && local->Contains(address, allocation->data().size)) return local->At(address);
  return allocation->rows();
}

void PagingRunner::Run(Engine& engine, const Packet& packet) {
  if (!engine.Await(packet.waits) && !gpu_.lost()) return;
  for (UINT at = 0; at + sizeof(PagingCommand) <= packet.paging_bytes; at += sizeof(PagingCommand)) {
    PagingCommand command;
    std::memcpy(&command, packet.paging + at, sizeof(command));
    switch (command.opcode) {
      case PagingOpcode::kMap: {
        owner_.DropRecordings(*command.allocation);
        const SystemPages pages{command.pages, command.fd, command.fd_offset, command.is_dma_buf != 0};
        const Result<void> mapped = command.allocation->Map(pages, command.offset, command.bytes, owner_.WaysOf(pages));
        if (!mapped.ok()) Log(LogLevel::kError, "A surface in system memory cannot be used: {}", mapped.error().message);
        break;
      }
      case PagingOpcode::kUnmap:
        owner_.DropRecordings(*command.allocation);
        command.allocation->Unmap();
        break;
      default: Move(engine, command); break;
    }
  }
}

void PagingRunner::Move(Engine& engine, const PagingCommand& command) {
  const LocalMemory* local = view_.load(std::memory_order_acquire);
  const bool known = local != nullptr && local->Contains(command.address, command.bytes) &&
                     (command.opcode != PagingOpcode::kMove || local->Contains(command.destination, command.bytes));
  if (!known) {
    Log(LogLevel::kError, "{}: {} bytes at 0x{:x} are not in local memory.", gpu_.name(), command.bytes, command.address);
    return;
  }
  const Rows at = local->At(command.address);
  if (at.pixels == nullptr) {
    MoveByGpu(engine.node(), command, at);
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
void PagingRunner::MoveByGpu(std::uint32_t node, const PagingCommand& command, const Rows& at) {
  Result<std::unique_ptr<OneShot>> shot = OneShot::Create(gpu_, node);
  Result<std::unique_ptr<HostBuffer>> piece = HostBuffer::CreateBounce(gpu_, nullptr, std::min(kPieceBytes, command.bytes));
  if (!shot.ok() || !piece.ok()) {
    gpu_.MarkLost("A transfer's buffer", VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return;
  }
  const Dispatch& vk = gpu_.vk();
  const VkBuffer buffer = (*piece)->handle();
  const auto run = [&](const std::function<void(VkCommandBuffer)>& record) {
    const VkResult result = (*shot)->Run(record, kTransferTimeoutNs);
    if (result != VK_SUCCESS) gpu_.MarkLost("A transfer", result);
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
