// DxgkDdiPresent, DxgkDdiRender and DxgkDdiPatch: commands, and references to what they name.
#include "Adapter.h"

#include "Present.tmh"

// Where a DMA buffer and its patch locations are written to. The kernel gets the cursors back.
struct DmaWriter {
  PUCHAR Begin, Next, End;
  D3DDDI_PATCHLOCATIONLIST* Patches;
  UINT PatchesLeft;

  BOOLEAN HasRoom() const { return (SIZE_T)(End - Next) >= sizeof(GpuCommand) && PatchesLeft >= 2; }
  // The address of an allocation stands in the next command.
  VOID Refer(_In_ UINT Index, _In_ ULONG Member) {
    CONST UINT Command = (UINT)(Next - Begin);
    RtlZeroMemory(Patches, sizeof(*Patches));
    Patches->AllocationIndex = Index;
    Patches->SlotId = Index;
    Patches->PatchOffset = Command + Member;
    Patches->SplitOffset = Command;
    Patches++;
    PatchesLeft--;
  }
  VOID Write(_In_ CONST GpuCommand* Command) {
    RtlCopyMemory(Next, Command, sizeof(*Command));
    Next += sizeof(*Command);
  }
};

// Present and Render have the same cursors.
template <class Args>
static DmaWriter BeginWriting(_In_ CONST Args* Arguments) {
  DmaWriter Writer;
  Writer.Begin = Writer.Next = static_cast<PUCHAR>(Arguments->pDmaBuffer);
  Writer.End = Writer.Begin + Arguments->DmaSize;
  Writer.Patches = Arguments->pPatchLocationListOut;
  Writer.PatchesLeft = Arguments->PatchLocationListOutSize;
  return Writer;
}

template <class Args>
static VOID EndWriting(_In_ CONST DmaWriter* Writer, _Inout_ Args* Arguments) {
  BufferData* Data = static_cast<BufferData*>(Arguments->pDmaBufferPrivateData);
  Data->Begin = Writer->Begin;
  Data->IsPaging = FALSE;
  Arguments->pDmaBuffer = Writer->Next;
  Arguments->pDmaBufferPrivateData = Data + 1;
  Arguments->pPatchLocationListOut = Writer->Patches;
}

// The last address that is known stands in the buffer, for DxgkDdiPatch may be left out.
static ULONG64 KnownAddress(_In_ CONST DXGK_ALLOCATIONLIST* Entry) {
  return Entry->SegmentId == 0 ? 0 : Entry->PhysicalAddress.QuadPart;
}

static CONST SURFACE_DATA* SurfaceOf(_In_ CONST DXGK_ALLOCATIONLIST* Entry) {
  CONST Allocation* Named = static_cast<CONST Allocation*>(Entry->hDeviceSpecificAllocation);
  return Named == NULL ? NULL : &Named->Surface;
}

static BOOLEAN IsInside(_In_ CONST RECT* Rect, _In_ CONST RECT* Bounds) {
  return Rect->left >= Bounds->left && Rect->top >= Bounds->top && Rect->right <= Bounds->right &&
         Rect->bottom <= Bounds->bottom && Rect->left < Rect->right && Rect->top < Rect->bottom;
}

static RECT WholeOf(_In_ CONST SURFACE_DATA* Surface) {
  CONST RECT Whole = {0, 0, (LONG)Surface->Width, (LONG)Surface->Height};
  return Whole;
}

// A8R8G8B8 in the destination's order.
static ULONG ColorFor(_In_ ULONG Color, _In_ ULONG Format) {
  if (!SwapsRedAndBlue(Format, D3DDDIFMT_A8R8G8B8)) return Color;
  return (Color & 0xFF00FF00u) | (Color >> 16 & 0xFF) | (Color & 0xFF) << 16;
}

// What a copy does, but for its rectangles and addresses. No path is turned, so that Rotate changes nothing.
static NTSTATUS DescribeCopy(_In_ CONST DXGKARG_PRESENT* Present, _In_ CONST SURFACE_DATA* From, _In_ CONST SURFACE_DATA* To,
                             _Inout_ GpuCommand* Command) {
  if (From == NULL) return STATUS_INVALID_HANDLE;
  if (IsHeap(From)) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  if (Present->Flags.LinearToSrgb) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  CONST RECT Whole = WholeOf(From);
  if (!IsInside(&Present->SrcRect, &Whole)) return STATUS_PRIVILEGED_INSTRUCTION;
  Command->What = OperationBlt;
  Command->SourcePitch = From->Pitch;
  Command->From = Present->SrcRect;
  if (SwapsRedAndBlue(From->Format, To->Format)) Command->Flags |= COMMAND_SWAPS_RED_AND_BLUE;
  if (Present->Flags.SrcColorKey) Command->Flags |= COMMAND_SKIPS_SOURCE_KEY;
  if (Present->Flags.DstColorKey) Command->Flags |= COMMAND_OVER_KEY;
  return STATUS_SUCCESS;
}

// A flip by MMIO puts nothing into a buffer; DxgkDdiSetVidPnSourceAddress does the work.
static NTSTATUS CheckFlip(_In_ CONST DXGKARG_PRESENT* Present) {
  CONST SURFACE_DATA* From = SurfaceOf(&Present->pAllocationList[DXGK_PRESENT_SOURCE_INDEX]);
  if (From == NULL) return STATUS_INVALID_HANDLE;
  CONST BOOLEAN IsKnown = !Present->Flags.FlipWithNoWait && !Present->Flags.FlipStereo && !Present->Flags.FlipStereoTemporaryMono;
  return IsKnown && !IsHeap(From) ? STATUS_SUCCESS : STATUS_ILLEGAL_INSTRUCTION;
}

// One command for each rectangle; MultipassOffset counts them.
NTSTATUS BuildPresent(_Inout_ DXGKARG_PRESENT* Present) {
  PAGED_CODE();
  if (Present->Flags.Flip) return CheckFlip(Present);
  if (!Present->Flags.Blt && !Present->Flags.ColorFill) return STATUS_ILLEGAL_INSTRUCTION;
  CONST DXGK_ALLOCATIONLIST* Source = &Present->pAllocationList[DXGK_PRESENT_SOURCE_INDEX];
  CONST DXGK_ALLOCATIONLIST* Destination = &Present->pAllocationList[DXGK_PRESENT_DESTINATION_INDEX];
  CONST SURFACE_DATA* To = SurfaceOf(Destination);
  if (To == NULL) return STATUS_INVALID_HANDLE;
  if (IsHeap(To)) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  GpuCommand Command = {};
  Command.What = OperationFill;
  Command.Destination = KnownAddress(Destination);
  Command.DestinationPitch = To->Pitch;
  Command.Color = ColorFor(Present->Color, To->Format);
  Command.To = Present->DstRect;
  if (Present->Flags.Blt) {
    NTSTATUS Status = DescribeCopy(Present, SurfaceOf(Source), To, &Command);
    if (!NT_SUCCESS(Status)) return Status;
    Command.Source = KnownAddress(Source);
  }
  CONST RECT Whole = WholeOf(To);
  DmaWriter Writer = BeginWriting(Present);
  NTSTATUS Status = STATUS_SUCCESS;
  for (UINT i = Present->MultipassOffset; i < Present->SubRectCnt; i++) {
    Command.Part = Present->pDstSubRects[i];
    if (!IsInside(&Command.Part, &Whole) || !IsInside(&Command.Part, &Present->DstRect)) return STATUS_PRIVILEGED_INSTRUCTION;
    if (!Writer.HasRoom()) {
      Present->MultipassOffset = i;
      Status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      break;
    }
    if (Present->Flags.Blt) Writer.Refer(DXGK_PRESENT_SOURCE_INDEX, FIELD_OFFSET(GpuCommand, Source));
#ifndef FORGET_REFERENCE
    Writer.Refer(DXGK_PRESENT_DESTINATION_INDEX, FIELD_OFFSET(GpuCommand, Destination));
#endif
    Writer.Write(&Command);
  }
  EndWriting(&Writer, Present);
  return Status;
}

// The commands lie in a program's memory: a fault is an answer, and what was copied is what is checked.
static NTSTATUS ReadUserCopy(_In_ CONST DXGKARG_RENDER* Render, _Out_ USER_COPY* Copy) {
  NTSTATUS Status = STATUS_INVALID_PARAMETER;
  __try {
    if (Render->CommandLength != sizeof(*Copy)) __leave;
    RtlCopyMemory(Copy, Render->pCommand, sizeof(*Copy));
    Status = STATUS_SUCCESS;
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    Status = STATUS_INVALID_USER_BUFFER;
  }
  if (!NT_SUCCESS(Status)) return Status;
  CONST BOOLEAN IsKnown = Copy->Magic == USER_COPY_MAGIC && Copy->Source < Render->AllocationListSize &&
                          Copy->Destination < Render->AllocationListSize;
  return IsKnown ? STATUS_SUCCESS : STATUS_ILLEGAL_INSTRUCTION;
}

NTSTATUS BuildRender(_Inout_ DXGKARG_RENDER* Render) {
  PAGED_CODE();
  USER_COPY Copy;
  NTSTATUS Status = ReadUserCopy(Render, &Copy);
  if (!NT_SUCCESS(Status)) return Status;
  CONST DXGK_ALLOCATIONLIST *Source = &Render->pAllocationList[Copy.Source],
                            *Destination = &Render->pAllocationList[Copy.Destination];
  CONST SURFACE_DATA *From = SurfaceOf(Source), *To = SurfaceOf(Destination);
  if (From == NULL || To == NULL) return STATUS_INVALID_HANDLE;
  if (IsHeap(From) || IsHeap(To) || !Destination->WriteOperation || Copy.Source == Copy.Destination) {
    return STATUS_INVALID_PARAMETER;
  }
  CONST RECT FromWhole = WholeOf(From), ToWhole = WholeOf(To);
  if (!IsInside(&Copy.Rect, &ToWhole)) return STATUS_INVALID_PARAMETER;
  if (Copy.SourceLeft < 0 || Copy.SourceTop < 0 || Copy.SourceLeft > FromWhole.right || Copy.SourceTop > FromWhole.bottom) {
    return STATUS_INVALID_PARAMETER;
  }
  GpuCommand Command = {};
  Command.What = OperationBlt;
  Command.Source = KnownAddress(Source);
  Command.Destination = KnownAddress(Destination);
  Command.SourcePitch = From->Pitch;
  Command.DestinationPitch = To->Pitch;
  Command.From.left = Copy.SourceLeft;
  Command.From.top = Copy.SourceTop;
  Command.From.right = Copy.SourceLeft + (Copy.Rect.right - Copy.Rect.left);
  Command.From.bottom = Copy.SourceTop + (Copy.Rect.bottom - Copy.Rect.top);
  Command.To = Command.Part = Copy.Rect;
  if (!IsInside(&Command.From, &FromWhole)) return STATUS_INVALID_PARAMETER;
  if (SwapsRedAndBlue(From->Format, To->Format)) Command.Flags = COMMAND_SWAPS_RED_AND_BLUE;
  DmaWriter Writer = BeginWriting(Render);
  if (!Writer.HasRoom()) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  Writer.Refer(Copy.Source, FIELD_OFFSET(GpuCommand, Source));
  Writer.Refer(Copy.Destination, FIELD_OFFSET(GpuCommand, Destination));
  Writer.Write(&Command);
  EndWriting(&Writer, Render);
  return STATUS_SUCCESS;
}

// Offsets count from the buffer's begin. The buffer may be another one than that of DxgkDdiPresent, with the same bytes.
VOID PatchAddresses(_In_ CONST DXGKARG_PATCH* Patch) {
  PAGED_CODE();
  static_cast<BufferData*>(Patch->pDmaBufferPrivateData)->Begin = static_cast<PUCHAR>(Patch->pDmaBuffer);
  for (UINT i = 0; i < Patch->PatchLocationListSubmissionLength; i++) {
    CONST D3DDDI_PATCHLOCATIONLIST* Location = &Patch->pPatchLocationList[Patch->PatchLocationListSubmissionStart + i];
    CONST ULONG64 Address = KnownAddress(&Patch->pAllocationList[Location->AllocationIndex]) + Location->AllocationOffset;
    RtlCopyMemory(static_cast<PUCHAR>(Patch->pDmaBuffer) + Location->PatchOffset, &Address, sizeof(Address));
  }
}
