// System threads, work items, objects and handles. Part of wdm.h. Public page: wdm.h.
#pragma once

#include "tandem_bus.h"
#include "wdm/ke.h"

typedef struct _CLIENT_ID {
  HANDLE UniqueProcess;
  HANDLE UniqueThread;
} CLIENT_ID;
typedef CLIENT_ID* PCLIENT_ID;
typedef struct _OBJECT_TYPE* POBJECT_TYPE;
typedef struct _OBJECT_HANDLE_INFORMATION* POBJECT_HANDLE_INFORMATION;
typedef struct _KPROCESS* PEPROCESS;
typedef PEPROCESS PKPROCESS;
typedef VOID KSTART_ROUTINE(PVOID StartContext);
typedef KSTART_ROUTINE* PKSTART_ROUTINE;

#define DELETE 0x00010000L
#define READ_CONTROL 0x00020000L
#define SYNCHRONIZE 0x00100000L
#define STANDARD_RIGHTS_ALL 0x001F0000L
#define GENERIC_READ 0x80000000u
#define GENERIC_WRITE 0x40000000u
#define GENERIC_EXECUTE 0x20000000u
#define GENERIC_ALL 0x10000000u
#define THREAD_ALL_ACCESS 0x001FFFFFL
#define EVENT_ALL_ACCESS 0x001F0003L

EXTERN_C POBJECT_TYPE* PsThreadType;
EXTERN_C POBJECT_TYPE* ExEventObjectType;
EXTERN_C POBJECT_TYPE* IoFileObjectType;

// PASSIVE_LEVEL. A thread ends when its routine returns or with PsTerminateSystemThread, which does not return.
EXTERN_C NTSTATUS NTAPI PsCreateSystemThread(PHANDLE ThreadHandle, ULONG DesiredAccess, POBJECT_ATTRIBUTES ObjectAttributes,
                                             HANDLE ProcessHandle, PCLIENT_ID ClientId, PKSTART_ROUTINE StartRoutine,
                                             PVOID StartContext);
EXTERN_C NTSTATUS NTAPI PsTerminateSystemThread(NTSTATUS ExitStatus);
EXTERN_C PKTHREAD NTAPI KeGetCurrentThread(VOID);
#define PsGetCurrentThread() KeGetCurrentThread()
EXTERN_C HANDLE NTAPI PsGetCurrentThreadId(VOID);
EXTERN_C HANDLE NTAPI PsGetCurrentProcessId(VOID);
EXTERN_C PEPROCESS NTAPI PsGetCurrentProcess(VOID);
#define IoGetCurrentProcess() PsGetCurrentProcess()
EXTERN_C KPRIORITY NTAPI KeSetPriorityThread(PKTHREAD Thread, KPRIORITY Priority);
#define KeEnterCriticalRegion() ((void)0)
#define KeLeaveCriticalRegion() ((void)0)

// PASSIVE_LEVEL; dereferences: IRQL <= DISPATCH_LEVEL.
EXTERN_C NTSTATUS NTAPI ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK DesiredAccess, POBJECT_TYPE ObjectType,
                                                  KPROCESSOR_MODE AccessMode, PVOID* Object,
                                                  POBJECT_HANDLE_INFORMATION HandleInformation);
#define ObReferenceObjectByHandleWithTag(Handle, DesiredAccess, ObjectType, AccessMode, Tag, Object, HandleInformation) \
  ObReferenceObjectByHandle(Handle, DesiredAccess, ObjectType, AccessMode, Object, HandleInformation)
EXTERN_C LONG_PTR NTAPI ObfReferenceObject(PVOID Object);
EXTERN_C LONG_PTR NTAPI ObfDereferenceObject(PVOID Object);
#define ObReferenceObject(Object) ObfReferenceObject(Object)
#define ObDereferenceObject(Object) ObfDereferenceObject(Object)
#define ObReferenceObjectWithTag(Object, Tag) ObfReferenceObject(Object)
#define ObDereferenceObjectWithTag(Object, Tag) ObfDereferenceObject(Object)
EXTERN_C NTSTATUS NTAPI ZwClose(HANDLE Handle);
EXTERN_C NTSTATUS NTAPI ZwWaitForSingleObject(HANDLE Handle, BOOLEAN Alertable, PLARGE_INTEGER Timeout);
EXTERN_C PKEVENT NTAPI IoCreateNotificationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle);
EXTERN_C PKEVENT NTAPI IoCreateSynchronizationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle);

// Work items run at PASSIVE_LEVEL on a thread of the driver host. IRQL <= DISPATCH_LEVEL.
typedef struct _IO_WORKITEM* PIO_WORKITEM;
typedef VOID IO_WORKITEM_ROUTINE(PDEVICE_OBJECT DeviceObject, PVOID Context);
typedef IO_WORKITEM_ROUTINE* PIO_WORKITEM_ROUTINE;
typedef enum _WORK_QUEUE_TYPE WDDM_ENUM {
  CriticalWorkQueue = 0,
  DelayedWorkQueue = 1,
  HyperCriticalWorkQueue = 2,
} WORK_QUEUE_TYPE;
EXTERN_C PIO_WORKITEM NTAPI IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject);
EXTERN_C VOID NTAPI IoFreeWorkItem(PIO_WORKITEM IoWorkItem);
EXTERN_C VOID NTAPI IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine, WORK_QUEUE_TYPE QueueType,
                                    PVOID Context);
