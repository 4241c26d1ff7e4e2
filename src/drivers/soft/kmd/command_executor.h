// Executes the commands of a DMA buffer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/emulated_link.h"
#include "base/pass_meter.h"
#include "color/blit.h"
#include "drivers/soft/kmd/gpu_memory.h"
#include "drivers/soft/kmd/palette.h"

namespace tandem::soft {

enum class Privilege : std::uint8_t { kUser, kPaging };

// What somebody else wants of a buffer that runs.
enum class Stop : std::uint8_t {
  kNone,
  kPreempt,  // to go on later
  kAbort,
};

// How far a buffer is; the engine keeps it in the DMA buffer's private data while the buffer is preempted.
struct Progress {
  std::uint64_t bytes = 0;     // of whole commands that are done
  std::uint64_t delay_ns = 0;  // of the delay that comes next, that have passed
};

enum class Execution : std::uint8_t {
  kDone,
  kAborted,
  kPreempted,
  kPageFault,   // an address is not mapped for the whole length
  kBadCommand,  // unknown, misaligned, cut off, not allowed here, or contradicting itself
};

struct ExecutionResult {
  Execution outcome = Execution::kDone;
  std::uint64_t fault_address = 0;  // of a page fault
  bool fault_on_write = false;
};

// One per engine; one thread at a time. Memory, owner and clock outlive it.
class CommandExecutor {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // Memory is gone for good; whoever attached something to its id lets go. Called by the executing thread.
    virtual void OnMemoryForgotten(std::uint64_t memory_id) = 0;
    // The palette of a VidPn source, below kMaxVidPnSources, as it is now.
    virtual Palette PaletteOf(std::uint32_t vidpn_source) = 0;
  };

  // `link` (null: none) says what bytes that were written to system memory take.
  CommandExecutor(GpuMemory& memory, Owner& owner, Clock& clock, const EmulatedLink* link)
      : memory_(memory), owner_(owner), clock_(clock), link_(link) {}

  // Starts behind `progress` and moves it. Commands before a faulty one are done, later ones are not. `stop` ends it between two
  // commands, and a delay at once.
  ExecutionResult Execute(std::span<const std::byte> commands, Privilege privilege, const std::atomic<Stop>& stop,
                          Progress& progress);

  // Bytes that were written from local to system memory since it was asked last.
  [[nodiscard]] std::uint64_t TakeCrossedBytes() { return std::exchange(crossed_bytes_, 0); }
  // Passes that wrote to surfaces since the last call. `pixel_bytes`: of surfaces that were copied bit by bit, not 0.
  [[nodiscard]] PassCount TakePasses(std::uint32_t pixel_bytes);

 private:
  ExecutionResult ExecuteOne(const std::byte* command, std::uint32_t opcode, const std::atomic<Stop>& stop, Progress& progress);
  ExecutionResult Delay(const DelayCommand& delay, const std::atomic<Stop>& stop, Progress& progress);
  ExecutionResult Copy(const CopyRectCommand& copy);
  ExecutionResult Blit(const BlitCommand& blit);
  void ColorSource(const BlitCommand& blit, color::BlitRequest& request);
  ExecutionResult BlitNv12(const BlitCommand& blit, const color::BlitRequest& request);
  ExecutionResult DecodeNv12(const BlitCommand& blit, color::BlitRequest request);
  ExecutionResult EncodeNv12(const BlitCommand& blit, color::BlitRequest request);
  ExecutionResult Fill(const FillRectCommand& fill);
  ExecutionResult Link(const LinkCommand& link);
  void NoteCrossing(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes);
  void NoteBlit(const BlitCommand& blit, std::uint64_t bytes);
  ExecutionResult Transfer(const TransferCommand& transfer);
  ExecutionResult FillBytes(const FillBytesCommand& fill);
  ExecutionResult Page(const std::byte* command, std::uint32_t opcode);

  GpuMemory& memory_;
  Owner& owner_;
  Clock& clock_;
  const EmulatedLink* const link_;
  std::uint64_t crossed_bytes_ = 0;
  PassCount passes_;
  std::uint64_t copied_bytes_ = 0;      // bit by bit
  std::vector<std::byte> room_;         // of the codec, and for pixels that become NV12 or were
  std::vector<std::uint32_t> colored_;  // indexes of the blit that runs, as colours
  std::vector<std::uint64_t> forgotten_;
};

}  // namespace tandem::soft
