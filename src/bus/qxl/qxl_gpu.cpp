#include "bus/qxl/qxl_gpu.h"

#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "bus/pointer_picture.h"
#include "bus/qxl/packed_word.h"
#include "bus/qxl/qxl_ring.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kPortBytes = 32;
static_assert(QXL_IO_RANGE_SIZE <= kPortBytes);

DeviceDescription Description(const QxlMemory& memory) {
  DeviceDescription device;
  device.identity = {0x1B36, 0x0100, 0x1AF4, 0x1100, 5, 0x03, 0x00};
  device.memory = memory.Bars();
  device.port_bar = QXL_IO_RANGE_INDEX;
  device.port_bytes = kPortBytes;
  device.has_line = true;
  return device;
}

// Ports whose end an interrupt tells.
bool IsAsync(std::uint32_t port) {
  return (port >= QXL_IO_UPDATE_AREA_ASYNC && port <= QXL_IO_FLUSH_SURFACES_ASYNC) || port == QXL_IO_MONITORS_CONFIG_ASYNC;
}

}  // namespace

QxlGpu::QxlGpu(QxlMemory memory) : memory_(std::move(memory)), surface_(memory_) { description_ = Description(memory_); }

Result<std::unique_ptr<QxlGpu>> QxlGpu::Create(std::uint32_t width, std::uint32_t height) {
  auto memory = QxlMemory::Create(width, height);
  if (!memory.ok()) return std::move(memory).error();
  return std::unique_ptr<QxlGpu>(new QxlGpu(*std::move(memory)));
}

Result<void> QxlGpu::Show(outputs::Output& output, const color::BlitRect& part) {
  const MutexLock lock(mutex_);
  if (!broken_.empty()) return Fail(ErrorKind::kSurfaceLost, "The QXL device needs a reset: {}", broken_);
  if (!surface_.Has(part))
    return Fail(ErrorKind::kSurfaceLost, "The driver has no primary surface of that size on the QXL device.");
  outputs::Surface shown = surface_.PartOf(part);
  if (pointer_.Covers(part)) {
    CopyForPointer(shown, picture_);
    pointer_.DrawOver(part, picture_.data(), shown.pitch);
    pointer_bytes_ += picture_.size();
  }
  return output.Show(shown);
}

std::uint64_t QxlGpu::draws() const {
  const MutexLock lock(mutex_);
  return draws_;
}

bool QxlGpu::AwaitDraw(std::uint64_t draws, std::int64_t limit_ns) {
  Clock& clock = MonotonicClock();
  const std::int64_t deadline_ns = clock.NowNs() + limit_ns;
  MutexLock lock(mutex_);
  while (draws_ == draws) {
    if (!clock.WaitUntil(lock.native(), drawn_, deadline_ns)) return draws_ != draws;
  }
  return true;
}

std::uint64_t QxlGpu::copied_bytes() const {
  const MutexLock lock(mutex_);
  return surface_.drawn_bytes() + pointer_bytes_;
}

// A write to a port is done when it returns; only its interrupt comes later.
void QxlGpu::WritePort(std::uint32_t offset, std::uint32_t /*size*/, std::uint32_t value) {
  {
    const MutexLock lock(mutex_);
    Obey(offset, value);
    if (IsAsync(offset)) Interrupt(QXL_INTERRUPT_IO_CMD);
  }
  host_->Wake();
}

void QxlGpu::Obey(std::uint32_t port, std::uint32_t value) {
  switch (port) {
    case QXL_IO_RESET: return ResetLocked();
    case QXL_IO_MEMSLOT_ADD:
    case QXL_IO_MEMSLOT_ADD_ASYNC: return static_cast<void>(memory_.AddSlot(value));
    case QXL_IO_MEMSLOT_DEL: return memory_.RemoveSlot(value);
    case QXL_IO_CREATE_PRIMARY:
    case QXL_IO_CREATE_PRIMARY_ASYNC: return Note(surface_.Create());
    case QXL_IO_DESTROY_PRIMARY:
    case QXL_IO_DESTROY_PRIMARY_ASYNC: Execute(); return surface_.Destroy();
    case QXL_IO_UPDATE_AREA:
    case QXL_IO_UPDATE_AREA_ASYNC: return Execute();
    default: return;
  }
}

void QxlGpu::Work() {
  const MutexLock lock(mutex_);
  Execute();
}

void QxlGpu::Execute() {
  ExecuteRing(memory_.ram().cmd_ring, QXL_CMD_DRAW, &QxlGpu::Draw, QXL_INTERRUPT_DISPLAY);
  ExecuteRing(memory_.ram().cursor_ring, QXL_CMD_CURSOR, &QxlGpu::MovePointer, QXL_INTERRUPT_CURSOR);
  TellReleases();
}

template <class Ring>
void QxlGpu::ExecuteRing(Ring& ring, std::uint32_t type, void (QxlGpu::*execute)(QXLPHYSICAL), std::uint32_t interrupt) {
  Tell tell = Tell::kNo;
  QxlRing<Ring, QXLCommand> commands(ring);
  while (broken_.empty()) {
    const auto command = commands.Take(tell);
    if (!command) break;
    if (command->type == type) (this->*execute)(command->data);
    Release(command->data);
  }
  if (tell == Tell::kYes) Interrupt(interrupt);
}

void QxlGpu::Draw(QXLPHYSICAL address) {
  const auto drawable = memory_.Read<QXLDrawable>(address);
  Note(drawable ? surface_.Draw(*drawable) : Fail(ErrorKind::kInvalidArgument, "A drawing command lies outside of its slot."));
  ++draws_;
  drawn_.NotifyAll();
}

void QxlGpu::MovePointer(QXLPHYSICAL address) {
  const auto command = memory_.Read<QXLCursorCmd>(address);
  Note(command ? pointer_.Execute(memory_, *command)
               : Fail(ErrorKind::kInvalidArgument, "A pointer command lies outside of its slot."));
}

void QxlGpu::Note(const Result<void>& done) {
  if (done.ok()) return;
  if (done.error().kind != ErrorKind::kUnsupported) {
    broken_ = done.error().message;
    Interrupt(QXL_INTERRUPT_ERROR);
  } else if (!std::exchange(unsupported_was_said_, true)) {
    Log(LogLevel::kWarn, "A QXL device shows less than its driver draws: {}", done.error().message);
  }
}

// The driver wrote an identifier; the device writes that of the command that follows in the list.
void QxlGpu::Release(QXLPHYSICAL address) {
  std::byte* const info = memory_.Find(address, sizeof(QXLReleaseInfo));
  if (info == nullptr) return;
  std::uint64_t id = 0;
  std::memcpy(&id, info, sizeof(id));
  std::memset(info, 0, sizeof(id));
  if (last_release_ == nullptr) {
    first_release_ = id;
  } else {
    std::memcpy(last_release_, &id, sizeof(id));
  }
  last_release_ = info;
}

void QxlGpu::TellReleases() {
  Tell tell = Tell::kNo;
  QxlRing<QXLReleaseRing, std::uint64_t> releases(memory_.ram().release_ring);
  if (last_release_ == nullptr || !releases.Put(first_release_, tell)) return;
  last_release_ = nullptr;
  if (tell == Tell::kYes) Interrupt(QXL_INTERRUPT_DISPLAY);
}

void QxlGpu::Interrupt(std::uint32_t bits) {
  __atomic_fetch_or(WordAt(&memory_.ram(), offsetof(QXLRam, int_pending)), bits, __ATOMIC_SEQ_CST);
}

bool QxlGpu::LineAsserted() const {
  const MutexLock lock(mutex_);  // a reset writes the whole header
  QXLRam& ram = memory_.ram();
  return (__atomic_load_n(WordAt(&ram, offsetof(QXLRam, int_pending)), __ATOMIC_SEQ_CST) &
          __atomic_load_n(WordAt(&ram, offsetof(QXLRam, int_mask)), __ATOMIC_SEQ_CST)) != 0;
}

void QxlGpu::Reset() {
  const MutexLock lock(mutex_);
  ResetLocked();
}

void QxlGpu::ResetLocked() {
  memory_.Reset();
  surface_.Destroy();
  pointer_.Reset();
  broken_.clear();
  last_release_ = nullptr;
}

}  // namespace tandem::bus
