// Engines: preemption, fences, interrupts, and the work of several contexts and nodes.
#include <array>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "conform/rig.h"
#include "conform/rules.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr SurfaceRequest kShared{64, 48, SurfaceUse::kMapped};

kernel::AdapterCounters CountersOf(Rig& rig) {
  const auto counters = rig.kernel().Counters(rig.render());
  Require(counters.ok(), "The adapter is gone.");
  return *counters;
}

bool Preempt(Rig& rig) {
  const auto asked = rig.kernel().Preempt(rig.render(), rig.Description(rig.render()).copy_node);
  Require(asked.ok(), "The node cannot be preempted: {}", asked.ok() ? "" : asked.error().message);
  return *asked;
}

// The report may come later than the work's completion; a kernel waits two seconds for it.
void RequireAnswered(Rig& rig) {
  const std::int64_t end_ns = MonotonicClock().NowNs() + 1'500'000'000;
  for (;;) {
    const kernel::AdapterCounters counters = CountersOf(rig);
    if (counters.preemptions == counters.preemptions_answered) return;
    Require(MonotonicClock().NowNs() < end_ns, "{} of {} preemptions are answered, and the work is done.",
            counters.preemptions_answered, counters.preemptions);
    std::this_thread::yield();
  }
}

constexpr int kPreemptions = 4;
constexpr int kMostTries = 200;

void PreemptionsAreAnswered(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const SurfaceRequest large{1024, 1024, SurfaceUse::kMapped};
  const Surface source = user.Create(large), destination = user.Create(large);
  user.Paint(source, 0x61000000);
  int preempted = 0;
  for (int i = 0; i < kMostTries && preempted < kPreemptions; ++i) {
    for (int copy = 0; copy < 4; ++copy) RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent");
    if (Preempt(rig)) ++preempted;
    user.Finish();
    RequireAnswered(rig);
  }
  if (preempted == 0) throw NotApplicable("The engine was never caught at work.");
  const auto timeouts = rig.kernel().Timeouts(rig.render());
  Require(timeouts.ok() && timeouts->empty(), "A preemption ended in a timeout.");
  Require(user.Read(destination) == user.Read(source), "Work that was preempted has other bytes than its source.");
}

// Each present moves the picture down by one row, so lost or repeated work is visible. A wide picture keeps a fast engine at work
// while a slow process submits.
void PreemptedWorkIsDoneOnce(Rig& rig) {
  constexpr std::uint32_t kWidth = 4096, kHeight = 512, kBatch = 8, kRounds = 24;
  UserDevice user = rig.OpenRender();
  const Surface surface = user.Create({kWidth, kHeight, SurfaceUse::kMapped});
  user.Paint(surface, 0x31000000);
  D3DKMT_PRESENT present{};
  present.hSource = present.hDestination = surface.allocation;
  present.Flags.Blt = present.Flags.SrcRectValid = present.Flags.DstRectValid = 1;
  present.SrcRect = {0, 0, kWidth, kHeight - 1};
  present.DstRect = {0, 1, kWidth, kHeight};
  bool preempted = false;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t i = 0; i < kBatch; ++i) RequireSuccess(user.KmtPresent(present), "D3DKMTPresent of a surface to itself");
    preempted = Preempt(rig) || preempted;
  }
  user.Finish();
  if (!preempted) throw NotApplicable("The engine was never caught at work.");
  const std::vector<std::uint32_t> pixels = user.Read(surface);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    const std::uint32_t row = y > kBatch * kRounds ? y - kBatch * kRounds : 0;
    const std::uint32_t seen = pixels[std::size_t{y} * kWidth + 7], due = UserDevice::Painted(0x31000000, 7, row);
    Require(seen == due, "After {} moves row {} holds 0x{:08X}; 0x{:08X} was due.", kBatch * kRounds, y, seen, due);
  }
}

void CurrentFenceIsTheLastCompleted(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  const std::uint32_t node = rig.Description(rig.render()).copy_node;
  for (int i = 0; i < 5; ++i) {
    RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent");
    user.Finish();
    const auto fence = rig.kernel().QueryFence(rig.render(), node);
    Require(fence.ok(), "{}", fence.ok() ? "" : fence.error().message);
    Require(fence->current == fence->submitted, "DxgkDdiQueryCurrentFence answers {}; {} was reported and {} submitted.",
            fence->current, fence->completed, fence->submitted);
  }
}

void CompletionsAreReported(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  for (int i = 0; i < 60; ++i) {
    RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent");
    user.Finish();
    Require(CountersOf(rig).lost_interrupts == 0, "Work {} was complete without an interrupt that said so.", i);
  }
}

void ContextsKeepApart(Rig& rig) {
  struct One {
    explicit One(const Rig& on) : user(on.OpenRender()), source(user.Create(kShared)), destination(user.Create(kShared)) {}
    UserDevice user;
    Surface source, destination;
  };
  std::array<std::unique_ptr<One>, 12> all;
  for (auto& one : all) one = std::make_unique<One>(rig);
  for (std::uint32_t round = 0; round < 5; ++round) {
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i]->user.Paint(all[i]->source, (round * 16 + i + 1) << 24);
    for (auto& one : all) RequireSuccess(one->user.Copy(one->source, one->destination, {}), "D3DKMTPresent");
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      One& one = *all[i];
      one.user.Finish();
      Require(one.user.Read(one.destination) == one.user.Read(one.source), "Context {} of {} has other bytes than its source.", i,
              all.size());
    }
  }
}

void EachNodeCopies(Rig& rig) {
  std::uint32_t copied = 0;
  for (std::uint32_t node = 0; node < rig.Description(rig.render()).nodes; ++node) {
    UserDevice user = rig.OpenRender(node);
    const Surface source = user.Create(kShared), destination = user.Create(kShared);
    user.Paint(source, (node + 1) << 24);
    const NTSTATUS status = user.Copy(source, destination, {});
    RequireStatus(status, {STATUS_SUCCESS, STATUS_ILLEGAL_INSTRUCTION, STATUS_GRAPHICS_CANNOTCOLORCONVERT},
                  "D3DKMTPresent on another node");
    if (!NT_SUCCESS(status)) continue;
    ++copied;
    user.Finish();
    Require(user.Read(destination) == user.Read(source), "A copy on node {} has other bytes than its source.", node);
  }
  Require(copied != 0, "No node of the adapter copies.");
}

constexpr std::array<Rule, 6> kEngineRules{{
    {"Preemption.Answered", "Each preemption that is asked for is reported, and before the work behind it goes on.",
     "DXGKDDI_PREEMPTCOMMAND; DXGKARGCB_NOTIFY_INTERRUPT_DATA, DmaPreempted", Needs::kRender, &PreemptionsAreAnswered},
    {"Preemption.DoneOnce", "Work that was preempted is done when it is submitted again, and once.",
     "DXGKDDI_PREEMPTCOMMAND; DXGK_SUBMITCOMMANDFLAGS, Resubmission", Needs::kRender, &PreemptedWorkIsDoneOnce},
    {"Fence.Current", "DxgkDdiQueryCurrentFence answers the fence that the engine completed last.", "DXGKDDI_QUERYCURRENTFENCE",
     Needs::kRender, &CurrentFenceIsTheLastCompleted},
    {"Interrupt.Completed", "An interrupt reports each completed DMA buffer, or one behind it.",
     "DXGKARGCB_NOTIFY_INTERRUPT_DATA, DmaCompleted", Needs::kRender, &CompletionsAreReported},
    {"Context.Apart", "Contexts that work at the same time do not touch each other's surfaces.", "DXGKDDI_CREATECONTEXT",
     Needs::kRender, &ContextsKeepApart},
    {"Context.Nodes", "A node that takes copies draws them.", "DXGKARG_CREATECONTEXT, NodeOrdinal", Needs::kRender,
     &EachNodeCopies},
}};

}  // namespace

std::span<const Rule> EngineRules() { return kEngineRules; }

}  // namespace tandem::conform
