// Lengths of memory and port resources, and their three encodings for 4 GiB and more. Part of wdm.h. Public page:
// "RtlCmDecodeMemIoResource". Any IRQL.
#pragma once

#include "ntdef.h"
#include "wddm_resources.h"

#define CM_RESOURCE_MEMORY_LARGE 0x0E00
#define CM_RESOURCE_MEMORY_LARGE_40 0x0200
#define CM_RESOURCE_MEMORY_LARGE_48 0x0400
#define CM_RESOURCE_MEMORY_LARGE_64 0x0800
#define CM_RESOURCE_MEMORY_LARGE_40_MAXLEN 0x000000FFFFFFFF00ull
#define CM_RESOURCE_MEMORY_LARGE_48_MAXLEN 0x0000FFFFFFFF0000ull
#define CM_RESOURCE_MEMORY_LARGE_64_MAXLEN 0xFFFFFFFF00000000ull

// The length in bytes; 0: the descriptor is of another type. Start may be NULL.
EXTERN_C ULONGLONG NTAPI RtlCmDecodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor, PULONGLONG Start);
// STATUS_UNSUCCESSFUL: the type has no encoding for the length.
EXTERN_C NTSTATUS NTAPI RtlCmEncodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor, UCHAR Type, ULONGLONG Length,
                                                 ULONGLONG Start);
