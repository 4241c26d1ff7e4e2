// The legacy video BIOS of a display adapter with the mode registers of Bochs: the functions of VESA BIOS Extensions that set a
// mode. A machine without such registers has no video BIOS. See wdm/x86bios.h.
#include <ntddk.h>

#include <cstring>

#include "drivers/host/kernel.h"
#include "drivers/host/lock.h"

using namespace tandem::drivers::host;

namespace {

// Real-mode memory that a driver shares with the BIOS.
constexpr ULONG kBufferBytes = 0x1000, kBufferSegment = 0x2000, kBufferAddress = kBufferSegment * 16;
constexpr ULONG kVideo = 0x10;
constexpr USHORT kDone = 0x004F, kFailed = 0x014F, kUnknown = 0x0100, kTextMode = 3;
constexpr ULONG kModeBits = 0x1FF, kLinear = 0x4000, kKeepsMemory = 0x8000;  // of BX
constexpr ULONG kPixelBytes = 4;

// Indices of the mode registers, and bits of kEnable.
enum Register : ULONG { kId = 0, kWidth = 1, kHeight = 2, kBits = 3, kEnable = 4, kMemory64K = 10, kBaseHigh = 11 };
constexpr ULONG kIndexPort = 0x1CE, kDataPort = 0x1D0, kEnabled = 1, kTellsMost = 2, kLinearMemory = 0x40, kNoClear = 0x80;

struct Registers {
  ULONG Eax, Ecx, Edx, Ebx, Ebp, Esi, Edi;
  USHORT SegDs, SegEs;
};

struct Mode {
  USHORT number, width, height;
};

// Modes of 32 bits, with the numbers of the BIOS of Bochs.
constexpr Mode kModes[] = {
    {0x142, 640, 480},   {0x143, 800, 600},   {0x144, 1024, 768},  {0x145, 1280, 1024}, {0x147, 1600, 1200},
    {0x14C, 1152, 864},  {0x177, 1280, 768},  {0x17A, 1280, 800},  {0x17D, 1280, 960},  {0x180, 1440, 900},
    {0x183, 1400, 1050}, {0x186, 1680, 1050}, {0x189, 1920, 1200}, {0x18C, 2560, 1600}, {0x18F, 1280, 720},
    {0x192, 1920, 1080}, {0x195, 1600, 900},  {0x198, 2560, 1440}, {0x19B, 3840, 2160},
};

#pragma pack(push, 1)
struct AdapterInformation {
  char signature[4];
  USHORT version;
  ULONG oem_name;
  ULONG capabilities;
  ULONG modes;  // segment and offset of their numbers
  USHORT memory_64k;
  unsigned char oem[14];
  USHORT numbers[111];  // in the reserved part: a driver has other uses for what lies behind
};
static_assert(sizeof(AdapterInformation) == 256);

struct ModeInformation {
  USHORT attributes;
  unsigned char windows[14];
  USHORT pitch;
  USHORT width, height;
  unsigned char letter_width, letter_height, planes, bits, banks, memory_model, bank_size, pages, reserved;
  unsigned char channels[8];  // bits and position of red, green, blue and what is left
  unsigned char direct_color;
  ULONG base;
  unsigned char more[6];
  USHORT linear_pitch;
  unsigned char bank_pages, linear_pages;
  unsigned char linear_channels[8];
  ULONG pixel_clock;
};
#pragma pack(pop)

constinit Mutex mutex;
unsigned char buffer[kBufferBytes];
bool buffer_is_taken = false;
USHORT current_mode = kTextMode;

// Ports of a display adapter, without a report where there is none.
const TANDEM_DRIVER_KERNEL* Ports() {
  const TANDEM_DRIVER_KERNEL* const kernel = AttachedKernel();
  constexpr SIZE_T kSize = offsetof(TANDEM_DRIVER_KERNEL, WritePort) + sizeof(kernel->WritePort);
  return kernel != nullptr && kernel->Size >= kSize && kernel->ReadPort != nullptr ? kernel : nullptr;
}

void Set(Register index, ULONG value) {
  const TANDEM_DRIVER_KERNEL* const ports = Ports();
  if (ports == nullptr || ports->WritePort(kIndexPort, 2, index) == FALSE) return;
  ports->WritePort(kDataPort, 2, value);
}

ULONG Get(Register index) {
  const TANDEM_DRIVER_KERNEL* const ports = Ports();
  ULONG value = 0;
  if (ports == nullptr || ports->WritePort(kIndexPort, 2, index) == FALSE) return 0;
  return ports->ReadPort(kDataPort, 2, &value) != FALSE ? value : 0;
}

bool HasBios() { return (Get(kId) & 0xFFF0) == 0xB0C0; }

bool Fits(const Mode& mode) {
  const ULONG enable = Get(kEnable);
  Set(kEnable, enable | kTellsMost);
  const ULONG most_width = Get(kWidth), most_height = Get(kHeight);
  Set(kEnable, enable);
  const ULONG64 bytes = ULONG64{mode.width} * mode.height * kPixelBytes;
  return Get(kBaseHigh) != 0 && mode.width <= most_width && mode.height <= most_height && bytes <= ULONG64{Get(kMemory64K)} << 16;
}

const Mode* ModeOf(ULONG number) {
  for (const Mode& mode : kModes) {
    if (mode.number == (number & kModeBits)) return Fits(mode) ? &mode : nullptr;
  }
  return nullptr;
}

// Null: the range leaves the buffer.
unsigned char* At(ULONG segment, ULONG offset, ULONG bytes) {
  const ULONG address = segment * 16 + (offset & 0xFFFF);
  if (address < kBufferAddress || bytes > kBufferBytes || address - kBufferAddress > kBufferBytes - bytes) return nullptr;
  return buffer + (address - kBufferAddress);
}

USHORT DescribeAdapter(const Registers& registers) {
  unsigned char* const place = At(registers.SegEs, registers.Edi, sizeof(AdapterInformation));
  if (place == nullptr) return kFailed;
  AdapterInformation information{};
  std::memcpy(information.signature, "VESA", sizeof(information.signature));
  information.version = 0x0300;
  information.modes = ULONG{registers.SegEs} << 16 | ((registers.Edi + offsetof(AdapterInformation, numbers)) & 0xFFFF);
  information.memory_64k = static_cast<USHORT>(Get(kMemory64K));
  USHORT* next = information.numbers;
  for (const Mode& mode : kModes) {
    if (Fits(mode)) *next++ = mode.number;
  }
  *next = 0xFFFF;
  std::memcpy(place, &information, sizeof(information));
  return kDone;
}

USHORT DescribeMode(const Registers& registers) {
  const Mode* const mode = ModeOf(registers.Ecx);
  unsigned char* const place = At(registers.SegEs, registers.Edi, sizeof(ModeInformation));
  if (mode == nullptr || place == nullptr) return kFailed;
  constexpr unsigned char kChannels[8] = {8, 16, 8, 8, 8, 0, 8, 24};
  ModeInformation information{};
  information.attributes = 0x009B;  // supported, described, colour, graphics, linear
  information.pitch = information.linear_pitch = static_cast<USHORT>(mode->width * kPixelBytes);
  information.width = mode->width;
  information.height = mode->height;
  information.letter_width = 8;
  information.letter_height = 16;
  information.planes = information.banks = 1;
  information.bits = 32;
  information.memory_model = 6;  // direct colour
  std::memcpy(information.channels, kChannels, sizeof(kChannels));
  std::memcpy(information.linear_channels, kChannels, sizeof(kChannels));
  information.base = Get(kBaseHigh) << 16;
  std::memcpy(place, &information, sizeof(information));
  return kDone;
}

USHORT SetMode(const Registers& registers) {
  const Mode* const mode = ModeOf(registers.Ebx);
  if (mode == nullptr) return kFailed;
  Set(kEnable, 0);
  Set(kWidth, mode->width);
  Set(kHeight, mode->height);
  Set(kBits, 32);
  Set(kEnable, kEnabled | kLinearMemory | ((registers.Ebx & kKeepsMemory) != 0 ? kNoClear : 0));
  current_mode = static_cast<USHORT>(registers.Ebx & (kModeBits | kLinear));
  return kDone;
}

USHORT Call(Registers& registers) {
  switch (registers.Eax & 0xFFFF) {
    case 0x4F00: return DescribeAdapter(registers);
    case 0x4F01: return DescribeMode(registers);
    case 0x4F02: return SetMode(registers);
    case 0x4F03: registers.Ebx = current_mode; return kDone;
    default: return kUnknown;
  }
}

}  // namespace

// The driver declares this one, with a structure of its own.
EXTERN_C BOOLEAN NTAPI x86BiosCall(ULONG Interrupt, PVOID Registers) {
  CheckIrql("x86BiosCall", PASSIVE_LEVEL);
  const Locked locked(mutex);
  if (Interrupt != kVideo || Registers == nullptr || !HasBios()) return FALSE;
  auto& registers = *static_cast<struct Registers*>(Registers);
  registers.Eax = (registers.Eax & 0xFFFF0000) | Call(registers);
  return TRUE;
}

// There is one buffer.
NTSTATUS NTAPI x86BiosAllocateBuffer(ULONG* Size, USHORT* Segment, USHORT* Offset) {
  CheckIrql("x86BiosAllocateBuffer", PASSIVE_LEVEL);
  const Locked locked(mutex);
  if (!HasBios()) return STATUS_NOT_SUPPORTED;
  if (buffer_is_taken || *Size > kBufferBytes) return STATUS_NO_MEMORY;
  buffer_is_taken = true;
  *Size = kBufferBytes;
  *Segment = kBufferSegment;
  *Offset = 0;
  return STATUS_SUCCESS;
}

NTSTATUS NTAPI x86BiosFreeBuffer(USHORT Segment, USHORT Offset) {
  CheckIrql("x86BiosFreeBuffer", PASSIVE_LEVEL);
  const Locked locked(mutex);
  if (!buffer_is_taken || Segment != kBufferSegment || Offset != 0) return STATUS_INVALID_PARAMETER;
  buffer_is_taken = false;
  return STATUS_SUCCESS;
}

NTSTATUS NTAPI x86BiosReadMemory(USHORT Segment, USHORT Offset, PVOID Buffer, ULONG Size) {
  CheckIrql("x86BiosReadMemory", PASSIVE_LEVEL);
  const Locked locked(mutex);
  const unsigned char* const place = At(Segment, Offset, Size);
  if (place == nullptr) return STATUS_INVALID_PARAMETER;
  std::memcpy(Buffer, place, Size);
  return STATUS_SUCCESS;
}

NTSTATUS NTAPI x86BiosWriteMemory(USHORT Segment, USHORT Offset, PVOID Buffer, ULONG Size) {
  CheckIrql("x86BiosWriteMemory", PASSIVE_LEVEL);
  const Locked locked(mutex);
  unsigned char* const place = At(Segment, Offset, Size);
  if (place == nullptr) return STATUS_INVALID_PARAMETER;
  std::memcpy(place, Buffer, Size);
  return STATUS_SUCCESS;
}
