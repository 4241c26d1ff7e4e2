// Files, of which the process has none for the driver. See wdm/file.h.
#include <ntddk.h>

#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

NTSTATUS NotFound(const char* function, PHANDLE handle, PIO_STATUS_BLOCK status) {
  CheckIrql(function, PASSIVE_LEVEL);
  *handle = nullptr;
  status->Information = 0;
  return status->Status = STATUS_OBJECT_NAME_NOT_FOUND;
}

// The handle cannot be that of a file.
NTSTATUS NoFile(const char* function) {
  CheckIrql(function, PASSIVE_LEVEL);
  Report(Rule::kHandle, "%s: the handle is no open handle of a file.", function);
  return STATUS_INVALID_HANDLE;
}

}  // namespace

NTSTATUS NTAPI ZwCreateFile(PHANDLE FileHandle, ACCESS_MASK /*DesiredAccess*/, POBJECT_ATTRIBUTES /*ObjectAttributes*/,
                            PIO_STATUS_BLOCK IoStatusBlock, PLARGE_INTEGER /*AllocationSize*/, ULONG /*FileAttributes*/,
                            ULONG /*ShareAccess*/, ULONG /*CreateDisposition*/, ULONG /*CreateOptions*/, PVOID /*EaBuffer*/,
                            ULONG /*EaLength*/) {
  return NotFound("ZwCreateFile", FileHandle, IoStatusBlock);
}

NTSTATUS NTAPI ZwOpenFile(PHANDLE FileHandle, ACCESS_MASK /*DesiredAccess*/, POBJECT_ATTRIBUTES /*ObjectAttributes*/,
                          PIO_STATUS_BLOCK IoStatusBlock, ULONG /*ShareAccess*/, ULONG /*OpenOptions*/) {
  return NotFound("ZwOpenFile", FileHandle, IoStatusBlock);
}

NTSTATUS NTAPI ZwReadFile(HANDLE /*FileHandle*/, HANDLE /*Event*/, PIO_APC_ROUTINE /*ApcRoutine*/, PVOID /*ApcContext*/,
                          PIO_STATUS_BLOCK /*IoStatusBlock*/, PVOID /*Buffer*/, ULONG /*Length*/, PLARGE_INTEGER /*ByteOffset*/,
                          PULONG /*Key*/) {
  return NoFile("ZwReadFile");
}

NTSTATUS NTAPI ZwWriteFile(HANDLE /*FileHandle*/, HANDLE /*Event*/, PIO_APC_ROUTINE /*ApcRoutine*/, PVOID /*ApcContext*/,
                           PIO_STATUS_BLOCK /*IoStatusBlock*/, PVOID /*Buffer*/, ULONG /*Length*/, PLARGE_INTEGER /*ByteOffset*/,
                           PULONG /*Key*/) {
  return NoFile("ZwWriteFile");
}

NTSTATUS NTAPI ZwQueryInformationFile(HANDLE /*FileHandle*/, PIO_STATUS_BLOCK /*IoStatusBlock*/, PVOID /*FileInformation*/,
                                      ULONG /*Length*/, FILE_INFORMATION_CLASS /*FileInformationClass*/) {
  return NoFile("ZwQueryInformationFile");
}

NTSTATUS NTAPI ZwSetInformationFile(HANDLE /*FileHandle*/, PIO_STATUS_BLOCK /*IoStatusBlock*/, PVOID /*FileInformation*/,
                                    ULONG /*Length*/, FILE_INFORMATION_CLASS /*FileInformationClass*/) {
  return NoFile("ZwSetInformationFile");
}

NTSTATUS NTAPI ZwFlushBuffersFile(HANDLE /*FileHandle*/, PIO_STATUS_BLOCK /*IoStatusBlock*/) {
  return NoFile("ZwFlushBuffersFile");
}
