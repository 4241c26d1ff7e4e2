#include "kernel/thunk/system.h"

#include <algorithm>

namespace tandem::kernel {
namespace {

std::atomic<System*> installed{nullptr};
// Thunks between asking for the system and being inside it.
std::atomic<std::uint32_t> entering_calls{0};
// Threads that wait until such calls are gone. Each counts itself before it looks, so whoever leaves sees it or is seen.
std::atomic<std::uint32_t> awaiting_calls{0};
std::atomic<void (*)() noexcept> installed_prologue{nullptr};

void Leave(std::atomic<std::uint32_t>& calls) {
  if (calls.fetch_sub(1) == 1 && awaiting_calls.load() != 0) calls.notify_all();
}

void AwaitNone(std::atomic<std::uint32_t>& calls) {
  awaiting_calls.fetch_add(1);
  for (std::uint32_t left = calls.load(); left != 0; left = calls.load()) calls.wait(left);
  awaiting_calls.fetch_sub(1);
}

bool Same(LUID a, LUID b) { return a.LowPart == b.LowPart && a.HighPart == b.HighPart; }

}  // namespace

void System::AddUnit(const std::shared_ptr<AdapterInstance>& unit) {
  const MutexLock lock(mutex_);
  units_.push_back(unit);
}

std::shared_ptr<AdapterInstance> System::TakeUnit(LUID luid) {
  const MutexLock lock(mutex_);
  const auto found =
      std::find_if(units_.begin(), units_.end(), [&](const auto& unit) { return Same(unit->description().luid, luid); });
  if (found == units_.end()) return nullptr;
  auto unit = *found;
  units_.erase(found);
  return unit;
}

std::shared_ptr<AdapterInstance> System::FindUnit(LUID luid) {
  const MutexLock lock(mutex_);
  const auto found =
      std::find_if(units_.begin(), units_.end(), [&](const auto& unit) { return Same(unit->description().luid, luid); });
  return found != units_.end() ? *found : nullptr;
}

std::vector<std::shared_ptr<AdapterInstance>> System::Units() {
  const MutexLock lock(mutex_);
  return units_;
}

bool System::Install(System& system) {
  System* expected = nullptr;
  return installed.compare_exchange_strong(expected, &system);
}

void System::Uninstall(System& system) {
  System* expected = &system;
  if (!installed.compare_exchange_strong(expected, nullptr)) return;
  AwaitNone(entering_calls);
}

void System::DrainCalls() { AwaitNone(calls_); }

void System::SetPrologue(void (*prologue)() noexcept) { installed_prologue.store(prologue, std::memory_order_release); }

void System::AbandonInChild() {
  installed_prologue.store(nullptr);
  installed.store(nullptr);
  entering_calls.store(0);  // calls of the parent's other threads
  awaiting_calls.store(0);
}

SystemGuard::SystemGuard() {
  if (auto* const prologue = installed_prologue.load(std::memory_order_acquire); prologue != nullptr) prologue();
  entering_calls.fetch_add(1);
  system_ = installed.load();
  if (system_ != nullptr) system_->calls_.fetch_add(1);
  Leave(entering_calls);
}

SystemGuard::~SystemGuard() {
  if (system_ != nullptr) Leave(system_->calls_);
}

}  // namespace tandem::kernel
