// MDLs, contiguous memory, I/O space and registers. Part of wdm.h. Public page: wdm.h.
#pragma once

#include "ntdef.h"
#include "tandem_bus.h"
#include "wddm_kernel.h"

typedef PFN_NUMBER* PPFN_NUMBER;
typedef enum _LOCK_OPERATION WDDM_ENUM { IoReadAccess = 0, IoWriteAccess = 1, IoModifyAccess = 2 } LOCK_OPERATION;
typedef struct _IRP* PIRP;

// SCATTER_GATHER_LIST, wdm.h: parts of a buffer that are contiguous for the device.
typedef struct _SCATTER_GATHER_ELEMENT {
  PHYSICAL_ADDRESS Address;
  ULONG Length;
  ULONG_PTR Reserved;
} SCATTER_GATHER_ELEMENT;
typedef SCATTER_GATHER_ELEMENT* PSCATTER_GATHER_ELEMENT;

typedef struct _SCATTER_GATHER_LIST {
  ULONG NumberOfElements;
  ULONG_PTR Reserved;
  SCATTER_GATHER_ELEMENT Elements[];
} SCATTER_GATHER_LIST;
typedef SCATTER_GATHER_LIST* PSCATTER_GATHER_LIST;

#define MDL_MAPPED_TO_SYSTEM_VA 0x0001
#define MDL_PAGES_LOCKED 0x0002
#define MDL_SOURCE_IS_NONPAGED_POOL 0x0004
#define MDL_PARTIAL 0x0010
#define MdlMappingNoWrite 0x80000000
#define MdlMappingNoExecute 0x40000000
#define PAGE_READONLY 0x02
#define PAGE_READWRITE 0x04
#define PAGE_NOCACHE 0x200
#define PAGE_WRITECOMBINE 0x400
#define MM_USER_PROBE_ADDRESS ((ULONG_PTR)0x7FFFFFFF0000)
#define BYTE_OFFSET(Va) ((ULONG)((LONG_PTR)(Va) & (PAGE_SIZE - 1)))
#define PAGE_ALIGN(Va) ((PVOID)((ULONG_PTR)(Va) & ~(ULONG_PTR)(PAGE_SIZE - 1)))
#define BYTES_TO_PAGES(Size) (((Size) >> PAGE_SHIFT) + (((Size) & (PAGE_SIZE - 1)) != 0))
#define ROUND_TO_PAGES(Size) (((ULONG_PTR)(Size) + PAGE_SIZE - 1) & ~(ULONG_PTR)(PAGE_SIZE - 1))
#define ADDRESS_AND_SIZE_TO_SPAN_PAGES(Va, Size) \
  ((ULONG)((((ULONG_PTR)BYTE_OFFSET(Va)) + ((SIZE_T)(Size)) + (PAGE_SIZE - 1)) >> PAGE_SHIFT))

// IRQL <= DISPATCH_LEVEL; MmProbeAndLockPages: IRQL <= APC_LEVEL for pageable memory.
EXTERN_C PMDL NTAPI IoAllocateMdl(PVOID VirtualAddress, ULONG Length, BOOLEAN SecondaryBuffer, BOOLEAN ChargeQuota, PIRP Irp);
EXTERN_C VOID NTAPI IoFreeMdl(PMDL Mdl);
// The target, of IoAllocateMdl, then describes Length bytes of the source from VirtualAddress on; 0: all that follow.
EXTERN_C VOID NTAPI IoBuildPartialMdl(PMDL SourceMdl, PMDL TargetMdl, PVOID VirtualAddress, ULONG Length);
FORCEINLINE VOID MmPrepareMdlForReuse(PMDL Mdl) { (void)Mdl; }  // A mapping takes nothing here.
EXTERN_C VOID NTAPI MmBuildMdlForNonPagedPool(PMDL MemoryDescriptorList);
EXTERN_C VOID NTAPI MmProbeAndLockPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode, LOCK_OPERATION Operation);
EXTERN_C VOID NTAPI MmUnlockPages(PMDL MemoryDescriptorList);
EXTERN_C PVOID NTAPI MmMapLockedPagesSpecifyCache(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode,
                                                  MEMORY_CACHING_TYPE CacheType, PVOID RequestedAddress, ULONG BugCheckOnFailure,
                                                  ULONG Priority);
EXTERN_C VOID NTAPI MmUnmapLockedPages(PVOID BaseAddress, PMDL MemoryDescriptorList);
// Page numbers of the MDL's range; valid until the MDL is freed.
EXTERN_C PPFN_NUMBER NTAPI MmGetMdlPfnArray(PMDL Mdl);

// A physical address is the virtual one here.
EXTERN_C PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID BaseAddress);
EXTERN_C PVOID NTAPI MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName);  // PASSIVE_LEVEL.
EXTERN_C BOOLEAN NTAPI MmIsAddressValid(PVOID VirtualAddress);
EXTERN_C PVOID NTAPI MmAllocateContiguousMemory(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS HighestAcceptableAddress);
EXTERN_C PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
                                                            PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                            PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                                            MEMORY_CACHING_TYPE CacheType);
EXTERN_C VOID NTAPI MmFreeContiguousMemory(PVOID BaseAddress);
EXTERN_C VOID NTAPI MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE CacheType);
EXTERN_C PVOID NTAPI MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE CacheType);
EXTERN_C PVOID NTAPI MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, ULONG Protect);
EXTERN_C VOID NTAPI MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes);
EXTERN_C VOID NTAPI ProbeForRead(CONST volatile VOID* Address, SIZE_T Length, ULONG Alignment);
EXTERN_C VOID NTAPI ProbeForWrite(volatile VOID* Address, SIZE_T Length, ULONG Alignment);

// Registers of devices; any IRQL. An address outside of a device's registers is memory. A plain access to a register faults.
#define TANDEM_REGISTER(name, type)                                                                    \
  EXTERN_C type NTAPI READ_REGISTER_##name(volatile type* Register);                                   \
  EXTERN_C VOID NTAPI WRITE_REGISTER_##name(volatile type* Register, type Value);                      \
  EXTERN_C VOID NTAPI READ_REGISTER_BUFFER_##name(volatile type* Register, type* Buffer, ULONG Count); \
  EXTERN_C VOID NTAPI WRITE_REGISTER_BUFFER_##name(volatile type* Register, type* Buffer, ULONG Count);
TANDEM_REGISTER(UCHAR, UCHAR)
TANDEM_REGISTER(USHORT, USHORT)
TANDEM_REGISTER(ULONG, ULONG)
TANDEM_REGISTER(ULONG64, ULONG64)
#undef TANDEM_REGISTER
// Accesses without an order among them; here they have one.
#define READ_REGISTER_NOFENCE_UCHAR(Register) READ_REGISTER_UCHAR(Register)
#define READ_REGISTER_NOFENCE_USHORT(Register) READ_REGISTER_USHORT(Register)
#define READ_REGISTER_NOFENCE_ULONG(Register) READ_REGISTER_ULONG(Register)
#define READ_REGISTER_NOFENCE_ULONG64(Register) READ_REGISTER_ULONG64(Register)
#define WRITE_REGISTER_NOFENCE_UCHAR(Register, Value) WRITE_REGISTER_UCHAR(Register, Value)
#define WRITE_REGISTER_NOFENCE_USHORT(Register, Value) WRITE_REGISTER_USHORT(Register, Value)
#define WRITE_REGISTER_NOFENCE_ULONG(Register, Value) WRITE_REGISTER_ULONG(Register, Value)
#define WRITE_REGISTER_NOFENCE_ULONG64(Register, Value) WRITE_REGISTER_ULONG64(Register, Value)

// There is no port space: reads answer all ones, and the call is reported.
EXTERN_C UCHAR NTAPI READ_PORT_UCHAR(PUCHAR Port);
EXTERN_C USHORT NTAPI READ_PORT_USHORT(PUSHORT Port);
EXTERN_C ULONG NTAPI READ_PORT_ULONG(PULONG Port);
EXTERN_C VOID NTAPI WRITE_PORT_UCHAR(PUCHAR Port, UCHAR Value);
EXTERN_C VOID NTAPI WRITE_PORT_USHORT(PUSHORT Port, USHORT Value);
EXTERN_C VOID NTAPI WRITE_PORT_ULONG(PULONG Port, ULONG Value);
EXTERN_C VOID NTAPI READ_PORT_BUFFER_UCHAR(PUCHAR Port, PUCHAR Buffer, ULONG Count);
EXTERN_C VOID NTAPI READ_PORT_BUFFER_USHORT(PUSHORT Port, PUSHORT Buffer, ULONG Count);
EXTERN_C VOID NTAPI READ_PORT_BUFFER_ULONG(PULONG Port, PULONG Buffer, ULONG Count);
EXTERN_C VOID NTAPI WRITE_PORT_BUFFER_UCHAR(PUCHAR Port, PUCHAR Buffer, ULONG Count);
EXTERN_C VOID NTAPI WRITE_PORT_BUFFER_USHORT(PUSHORT Port, PUSHORT Buffer, ULONG Count);
EXTERN_C VOID NTAPI WRITE_PORT_BUFFER_ULONG(PULONG Port, PULONG Buffer, ULONG Count);
#define KeFlushIoBuffers(Mdl, ReadOperation, DmaOperation) ((void)0)  // Caches of this processor are coherent.
