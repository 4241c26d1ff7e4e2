#include "bus/pci_slot.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kMessageBar = 2;

// Each slot of the process has ports of its own.
std::uint32_t TakePorts() {
  constexpr std::uint32_t kFirst = 0xC000, kEach = 0x100, kSlots = 0x40;
  static std::atomic<std::uint32_t> taken{0};
  return kFirst + taken++ % kSlots * kEach;
}

Result<RegisterWindow> Window(std::size_t bytes) {
  if (bytes == 0) return RegisterWindow();
  return RegisterWindow::Create(bytes);
}

bool IsAligned(std::uintptr_t address, ULONG size) {
  return (size == 1 || size == 2 || size == 4 || size == 8) && address % size == 0;
}

}  // namespace

Result<std::unique_ptr<PciSlot>> PciSlot::Create(DeviceModel& model, PciInterrupts interrupts) {
  auto registers = Window(model.description().register_bytes);
  if (!registers.ok()) return std::move(registers).error();
  auto messages = Window(model.description().messages == 0 ? 0 : kMessageTableBytes);
  if (!messages.ok()) return std::move(messages).error();
  std::unique_ptr<PciSlot> slot(new PciSlot(model, interrupts, *std::move(registers), *std::move(messages)));
  model.Attach(*slot);
  auto thread = Thread::Start("tandem-pci", [raw = slot.get()] { raw->RunThread(); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting a device's thread");
  slot->thread_ = *std::move(thread);
  return slot;
}

PciSlot::PciSlot(DeviceModel& model, PciInterrupts interrupts, RegisterWindow registers, RegisterWindow messages)
    : model_(model),
      registers_(std::move(registers)),
      messages_(std::move(messages)),
      first_port_(TakePorts()),
      resources_(Bars()),
      config_(model.description(), Bars(), {kMessageBar, kPendingOffset, interrupts == PciInterrupts::kMessages}),
      table_(model.description().messages) {
  if (interrupts == PciInterrupts::kMessages) {
    resources_.AddMessages(model.description().messages);
  } else {
    resources_.AddLine();
  }
}

PciSlot::~PciSlot() {
  {
    const MutexLock lock(wake_mutex_);
    stop_ = true;
  }
  wake_.NotifyAll();
  thread_.Join();
}

std::vector<AssignedBar> PciSlot::Bars() const {
  const DeviceDescription& device = model_.description();
  std::vector<AssignedBar> bars;
  if (device.register_bytes != 0) bars.push_back({device.register_bar, registers_.address(), device.register_bytes});
  if (device.messages != 0) bars.push_back({kMessageBar, messages_.address(), kMessageTableBytes});
  for (const MemoryBar& memory : device.memory)
    bars.push_back({memory.bar, reinterpret_cast<std::uintptr_t>(memory.data), memory.bytes, false, true});
  if (device.port_bytes != 0) bars.push_back({device.port_bar, first_port_, device.port_bytes, true});
  return bars;
}

PCM_RESOURCE_LIST PciSlot::TranslatedResources() { return resources_.get(); }

// The firmware of this machine shows nothing on a device: its picture has no pixels.
NTSTATUS PciSlot::AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& information) {
  information = {};
  return STATUS_SUCCESS;
}

NTSTATUS PciSlot::MapMemory(PHYSICAL_ADDRESS address, ULONG length, PVOID& mapped) {
  const auto at = static_cast<std::uintptr_t>(address.QuadPart);
  if (length == 0 || length > RoomAt(at)) return STATUS_INVALID_PARAMETER;
  mapped = reinterpret_cast<PVOID>(at);
  return STATUS_SUCCESS;
}

NTSTATUS PciSlot::UnmapMemory(PVOID mapped) {
  return RoomAt(reinterpret_cast<std::uintptr_t>(mapped)) != 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

std::size_t PciSlot::RoomAt(std::uintptr_t address) const {
  for (const RegisterWindow* const window : {&registers_, &messages_}) {
    if (window->Has(address)) return window->address() + window->bytes() - address;
  }
  for (const MemoryBar& memory : model_.description().memory) {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(memory.data);
    if (offset < memory.bytes) return memory.bytes - offset;
  }
  return 0;
}

NTSTATUS PciSlot::ReadConfiguration(ULONG offset, void* buffer, ULONG length, ULONG& done) {
  const MutexLock lock(config_mutex_);
  done = static_cast<ULONG>(config_.Read(offset, {static_cast<std::byte*>(buffer), length}));
  return STATUS_SUCCESS;
}

NTSTATUS PciSlot::WriteConfiguration(ULONG offset, const void* buffer, ULONG length, ULONG& done) {
  {
    const MutexLock lock(config_mutex_);
    done = static_cast<ULONG>(config_.Write(offset, {static_cast<const std::byte*>(buffer), length}));
  }
  Wake();  // messages may not be masked any more
  return STATUS_SUCCESS;
}

bool PciSlot::HasRegister(std::uintptr_t address) const { return registers_.Has(address) || messages_.Has(address); }

bool PciSlot::ReadRegister(std::uintptr_t address, ULONG size, UINT64& value) {
  if (!HasRegister(address)) return false;
  value = ~UINT64{0};  // of an access that the bus aborts
  if (!IsAligned(address, size)) return true;
  if (size < 8) {
    value = ReadPart(address, size);
  } else {
    const std::uint64_t low = ReadPart(address, 4);
    value = low | std::uint64_t{ReadPart(address + 4, 4)} << 32;
  }
  return true;
}

bool PciSlot::WriteRegister(std::uintptr_t address, ULONG size, UINT64 value) {
  if (!HasRegister(address)) return false;
  if (!IsAligned(address, size)) return true;
  WritePart(address, size < 8 ? size : 4, static_cast<std::uint32_t>(value));
  if (size == 8) WritePart(address + 4, 4, static_cast<std::uint32_t>(value >> 32));
  return true;
}

bool PciSlot::ReadPort(std::uint32_t port, ULONG size, ULONG& value) {
  if (!HasPort(port)) return false;
  value = IsAligned(port, size) && size <= 4 ? model_.ReadPort(port - first_port_, size) : ~ULONG{0};
  return true;
}

bool PciSlot::WritePort(std::uint32_t port, ULONG size, ULONG value) {
  if (!HasPort(port)) return false;
  if (IsAligned(port, size) && size <= 4) model_.WritePort(port - first_port_, size, value);
  return true;
}

std::uint32_t PciSlot::ReadPart(std::uintptr_t address, std::uint32_t size) {
  if (registers_.Has(address)) return model_.ReadRegister(static_cast<std::uint32_t>(address - registers_.address()), size);
  const MutexLock lock(config_mutex_);
  return table_.Read(static_cast<std::uint32_t>(address - messages_.address()), size);
}

void PciSlot::WritePart(std::uintptr_t address, std::uint32_t size, std::uint32_t value) {
  if (registers_.Has(address)) {
    model_.WriteRegister(static_cast<std::uint32_t>(address - registers_.address()), size, value);
    return;
  }
  {
    const MutexLock lock(config_mutex_);
    table_.Write(static_cast<std::uint32_t>(address - messages_.address()), size, value);
  }
  Wake();  // messages may not be masked any more
}

void PciSlot::Connect(const TANDEM_BUS_INTERFACE& line) {
  const MutexLock lock(wake_mutex_);
  line_ = line;
}

void PciSlot::Disconnect() {
  {
    MutexLock lock(wake_mutex_);
    line_.reset();
    line_is_stuck_ = false;
    while (raising_) wake_.Wait(lock.native());
  }
  const MutexLock lock(work_mutex_);
  model_.Reset();
}

void PciSlot::Wake() {
  {
    const MutexLock lock(wake_mutex_);
    ++wanted_;
  }
  wake_.NotifyAll();
}

void PciSlot::Raise(std::uint16_t vector) {
  const MutexLock lock(config_mutex_);
  if (config_.messages_enabled()) table_.Raise(vector);
}

bool PciSlot::AwaitIdle(std::int64_t limit_ns) {
  Clock& clock = MonotonicClock();
  const std::int64_t deadline = clock.NowNs() + limit_ns;
  MutexLock lock(wake_mutex_);
  while (done_ != wanted_) {
    if (!clock.WaitUntil(lock.native(), wake_, deadline)) return done_ == wanted_;
  }
  return true;
}

void PciSlot::RunThread() {
  MutexLock lock(wake_mutex_);
  for (;;) {
    while (done_ == wanted_ && !stop_) wake_.Wait(lock.native());
    if (stop_) return;
    const std::uint64_t wanted = wanted_;
    lock.Unlock();
    {
      const MutexLock work(work_mutex_);
      model_.Work();
    }
    RaisePending();
    lock.Lock();
    done_ = wanted;
    wake_.NotifyAll();
  }
}

void PciSlot::RaisePending() {
  while (const auto message = TakeMessage()) RaiseMessage(*message);
  for (std::uint32_t raises = 0; LineIsRaised(); ++raises) {
    if (raises == kMostLineRaises) {
      Log(LogLevel::kWarn, "The driver leaves the interrupt line of its device asserted; it is not raised any more.");
      const MutexLock lock(wake_mutex_);
      line_is_stuck_ = true;
      return;
    }
    if (!RaiseMessage(0)) return;
  }
}

bool PciSlot::LineIsRaised() {
  {
    const MutexLock lock(config_mutex_);
    if (config_.messages_enabled() || config_.line_disabled()) return false;
  }
  {
    const MutexLock lock(wake_mutex_);
    if (line_is_stuck_ || stop_) return false;
  }
  return model_.LineAsserted();
}

bool PciSlot::RaiseMessage(std::uint32_t message) {
  std::optional<TANDEM_BUS_INTERFACE> line;
  {
    const MutexLock lock(wake_mutex_);
    line = line_;
    raising_ = line.has_value();
  }
  if (!line) return false;
  line->RaiseInterrupt(line->Context, message);
  {
    const MutexLock lock(wake_mutex_);
    raising_ = false;
  }
  wake_.NotifyAll();
  return true;
}

std::optional<std::uint32_t> PciSlot::TakeMessage() {
  const MutexLock lock(config_mutex_);
  if (!config_.messages_enabled() || config_.messages_masked()) return std::nullopt;
  return table_.Take();
}

}  // namespace tandem::bus
