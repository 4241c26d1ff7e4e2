// Executes the commands of a DMA buffer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/emulated_link.h"
#include "base/pass_meter.h"
#include "color/blit.h"
#include "drivers/common/palette.h"
#include "drivers/processor/kmd/command_checks.h"
#include "drivers/processor/kmd/gpu_memory.h"
#include "drivers/processor/kmd/link_coder.h"
#include "drivers/processor/kmd/nv12_blitter.h"
#include "drivers/processor/kmd/work_tally.h"

namespace tandem::processor {

enum class Privilege : std::uint8_t { kUser, kPaging };

// A request of another thread to the buffer that runs.
enum class Stop : std::uint8_t {
  kNone,
  kPreempt,  // to go on later
  kAbort,
};

// Progress of a buffer; the engine keeps it in the DMA buffer's private data while the buffer is preempted.
struct Progress {
  std::uint64_t bytes = 0;     // of whole commands that are done
  std::uint64_t delay_ns = 0;  // of the delay that comes next, that have passed
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
    virtual drivers::PaletteColors PaletteOf(std::uint32_t vidpn_source) = 0;
  };

  // `link` (null: none) says what bytes that were written to system memory take.
  CommandExecutor(GpuMemory& memory, Owner& owner, Clock& clock, const EmulatedLink* link)
      : memory_(memory), owner_(owner), clock_(clock), link_coder_(memory, clock, link, tally_), nv12_blitter_(memory, tally_) {}

  // Starts behind `progress` and moves it. Commands before a faulty one are done, later ones are not. `stop` ends it between two
  // commands, and a delay at once.
  ExecutionResult Execute(std::span<const std::byte> commands, Privilege privilege, const std::atomic<Stop>& stop,
                          Progress& progress);

  // Bytes that were written from local to system memory since it was asked last.
  [[nodiscard]] std::uint64_t TakeCrossedBytes() { return tally_.TakeCrossedBytes(); }
  // Passes that wrote to surfaces since the last call. `pixel_bytes`: of surfaces that were copied bit by bit, not 0.
  [[nodiscard]] PassCount TakePasses(std::uint32_t pixel_bytes) { return tally_.TakePasses(pixel_bytes); }

 private:
  ExecutionResult ExecuteOne(const std::byte* command, std::uint32_t opcode, const std::atomic<Stop>& stop, Progress& progress);
  ExecutionResult Delay(const DelayCommand& delay, const std::atomic<Stop>& stop, Progress& progress);
  ExecutionResult Copy(const CopyRectCommand& copy);
  ExecutionResult Blit(const BlitCommand& blit);
  void ColorSource(const BlitCommand& blit, color::BlitRequest& request);
  ExecutionResult Fill(const FillRectCommand& fill);
  ExecutionResult Transfer(const TransferCommand& transfer);
  ExecutionResult FillBytes(const FillBytesCommand& fill);
  ExecutionResult Page(const std::byte* command, std::uint32_t opcode);

  GpuMemory& memory_;
  Owner& owner_;
  Clock& clock_;
  WorkTally tally_;
  LinkCoder link_coder_;
  Nv12Blitter nv12_blitter_;
  std::vector<std::uint32_t> colored_;  // indexes of the blit that runs, as colours
  std::vector<std::uint64_t> forgotten_;
};

}  // namespace tandem::processor
