#include "kernel/thunk/system.h"

#include <algorithm>

namespace tandem::kernel {
namespace {

std::atomic<System*> installed{nullptr};
// Thunks between asking for the system and being inside it.
std::atomic<std::uint32_t> entering_calls{0};
std::atomic<void (*)() noexcept> installed_prologue{nullptr};

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
  for (std::uint32_t entering = entering_calls.load(); entering != 0; entering = entering_calls.load()) {
    entering_calls.wait(entering);
  }
}

void System::DrainCalls() {
  for (std::uint32_t inside = calls_.load(); inside != 0; inside = calls_.load()) calls_.wait(inside);
}

void System::SetPrologue(void (*prologue)() noexcept) { installed_prologue.store(prologue, std::memory_order_release); }

void System::AbandonInChild() {
  installed_prologue.store(nullptr);
  installed.store(nullptr);
  entering_calls.store(0);  // calls of the parent's other threads
}

SystemGuard::SystemGuard() {
  if (auto* const prologue = installed_prologue.load(std::memory_order_acquire); prologue != nullptr) prologue();
  entering_calls.fetch_add(1);
  system_ = installed.load();
  if (system_ != nullptr) system_->calls_.fetch_add(1);
  if (entering_calls.fetch_sub(1) == 1) entering_calls.notify_all();
}

SystemGuard::~SystemGuard() {
  if (system_ != nullptr && system_->calls_.fetch_sub(1) == 1) system_->calls_.notify_all();
}

}  // namespace tandem::kernel
