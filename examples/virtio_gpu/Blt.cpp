// The engine's operations: copies, fills, and what the memory manager asks for.
#include "Engine.h"

#include "Blt.tmh"
#include "Shared\Surface.h"

#define PIXEL_BYTES 4
#define COLOR_BITS 0x00FFFFFFu

static ULONG SwapRedAndBlue(_In_ ULONG Pixel) { return (Pixel & 0xFF00FF00u) | (Pixel >> 16 & 0xFF) | (Pixel & 0xFF) << 16; }

static ULONG64 PixelAt(_In_ ULONG64 Surface, _In_ ULONG Pitch, _In_ LONG X, _In_ LONG Y) {
  return Surface + (ULONG64)Y * Pitch + (ULONG64)X * PIXEL_BYTES;
}

// The pixel of the source that lies under the centre of a pixel of the destination.
static LONG Under(_In_ LONG At, _In_ LONG Source, _In_ LONG Destination) {
  return (LONG)((2 * (LONGLONG)At + 1) * Source / (2 * (LONGLONG)Destination));
}

// Row by row by way of the engine's own memory, so that rows may lie over each other. Rows that move down go from the bottom up.
VOID Engine::Blt(_In_ CONST GpuCommand* Command) {
  CONST RECT *From = &Command->From, *To = &Command->To, *Part = &Command->Part;
  CONST LONG SourceWidth = From->right - From->left, SourceHeight = From->bottom - From->top;
  CONST LONG Width = To->right - To->left, Height = To->bottom - To->top;
  CONST LONG Columns = Part->right - Part->left, Rows = Part->bottom - Part->top;
  CONST BOOLEAN IsStretched = SourceWidth != Width || SourceHeight != Height;
  CONST BOOLEAN GoesUp = Command->Source == Command->Destination && To->top > From->top;
  // The columns of the source that this part takes.
  CONST LONG First = From->left + Under(Part->left - To->left, SourceWidth, Width);
  CONST LONG Last = From->left + Under(Part->right - 1 - To->left, SourceWidth, Width);
  CONST LONG Taken = Last - First + 1;
  for (LONG i = 0; i < Rows; i++) {
    CONST LONG Y = GoesUp ? Part->bottom - 1 - i : Part->top + i;
    CONST LONG SourceY = From->top + Under(Y - To->top, SourceHeight, Height);
    if (!m_Memory->Read(PixelAt(Command->Source, Command->SourcePitch, First, SourceY), m_Rows[0], Taken * PIXEL_BYTES)) return;
    CONST ULONG64 Destination = PixelAt(Command->Destination, Command->DestinationPitch, Part->left, Y);
    if (!IsStretched && Command->Flags == 0) {
      m_Memory->Write(Destination, m_Rows[0], Columns * PIXEL_BYTES);
      continue;
    }
    if ((Command->Flags & (COMMAND_SKIPS_SOURCE_KEY | COMMAND_OVER_KEY)) &&
        !m_Memory->Read(Destination, m_Rows[1], Columns * PIXEL_BYTES)) {
      return;
    }
    for (LONG x = 0; x < Columns; x++) {
      ULONG Pixel = m_Rows[0][From->left + Under(Part->left + x - To->left, SourceWidth, Width) - First];
      if (Command->Flags & COMMAND_SWAPS_RED_AND_BLUE) Pixel = SwapRedAndBlue(Pixel);
      if ((Command->Flags & COMMAND_SKIPS_SOURCE_KEY) && ((Pixel ^ Command->Color) & COLOR_BITS) == 0) continue;
      if ((Command->Flags & COMMAND_OVER_KEY) && ((m_Rows[1][x] ^ Command->Color) & COLOR_BITS) != 0) continue;
      m_Rows[1][x] = Pixel;
    }
    m_Memory->Write(Destination, m_Rows[1], Columns * PIXEL_BYTES);
  }
}

VOID Engine::Fill(_In_ CONST GpuCommand* Command) {
  CONST RECT* Part = &Command->Part;
  CONST LONG Columns = Part->right - Part->left;
  for (LONG x = 0; x < Columns; x++) m_Rows[1][x] = Command->Color;
  for (LONG Y = Part->top; Y < Part->bottom; Y++) {
    m_Memory->Write(PixelAt(Command->Destination, Command->DestinationPitch, Part->left, Y), m_Rows[1], Columns * PIXEL_BYTES);
  }
}

// One side may be system memory, which the processor reaches by its own address.
VOID Engine::Transfer(_In_ CONST GpuCommand* Command) {
  for (ULONG64 Done = 0; Done < Command->Count;) {
    CONST ULONG Piece = (ULONG)min(Command->Count - Done, (ULONG64)PAGE_SIZE);
    if (Command->SourceIsSystem) {
      RtlCopyMemory(m_Rows[0], reinterpret_cast<PUCHAR>(Command->Source) + Done, Piece);
    } else if (!m_Memory->Read(Command->Source + Done, m_Rows[0], Piece)) {
      return;
    }
    if (Command->DestinationIsSystem) {
      RtlCopyMemory(reinterpret_cast<PUCHAR>(Command->Destination) + Done, m_Rows[0], Piece);
    } else {
      m_Memory->Write(Command->Destination + Done, m_Rows[0], Piece);
    }
    Done += Piece;
  }
}

VOID Engine::FillBytes(_In_ CONST GpuCommand* Command) {
  for (ULONG i = 0; i < PAGE_SIZE / sizeof(ULONG); i++) m_Rows[1][i] = Command->Color;
  for (ULONG64 Done = 0; Done < Command->Count; Done += PAGE_SIZE) {
    m_Memory->Write(Command->Destination + Done, m_Rows[1], (ULONG)min(Command->Count - Done, (ULONG64)PAGE_SIZE));
  }
}

VOID Engine::Execute(_In_ CONST Packet* Buffer) {
  for (ULONG At = 0; At + sizeof(GpuCommand) <= Buffer->Bytes; At += sizeof(GpuCommand)) {
    GpuCommand Command;
    RtlCopyMemory(&Command, Buffer->Commands + At, sizeof(Command));
    switch (Command.What) {
      case OperationBlt: Blt(&Command); break;
      case OperationFill: Fill(&Command); break;
      case OperationMap:
        m_Memory->Map(Command.Destination, Command.Count, reinterpret_cast<PUCHAR>(Command.Source), Command.Frame);
        break;
      case OperationUnmap: m_Memory->Unmap(Command.Destination, Command.Count); break;
      case OperationTransfer: Transfer(&Command); break;
      case OperationFillBytes: FillBytes(&Command); break;
    }
  }
}
