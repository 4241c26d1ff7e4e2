// Frames: rectangles that move inside the frame buffer, and rectangles that are copied into it.
#include "DEVICE.h"

#include "Present.tmh"

VOID Device::Blacken() {
  PAGED_CODE();
  ExAcquireFastMutex(&m_Lock);
  if (m_FrameBuffer != NULL) RtlZeroMemory(m_FrameBuffer, (SIZE_T)m_Display.Pitch * m_Display.Height);
  ExReleaseFastMutex(&m_Lock);
}

static RECT Clipped(_In_ CONST RECT* Rect, _In_ UINT Width, _In_ UINT Height) {
  RECT Part;
  Part.left = max(Rect->left, 0);
  Part.top = max(Rect->top, 0);
  Part.right = min(Rect->right, (LONG)Width);
  Part.bottom = min(Rect->bottom, (LONG)Height);
  return Part;
}

// Rows go from the bottom up when the rectangle moves down.
VOID Device::MoveRect(_In_ CONST D3DKMT_MOVE_RECT* Move) {
  CONST LONG BytesPerPixel = 4;
  CONST RECT Part = Clipped(&Move->DestRect, m_Display.Width, m_Display.Height);
  CONST LONG Dx = Move->SourcePoint.x - Move->DestRect.left;
  CONST LONG Dy = Move->SourcePoint.y - Move->DestRect.top;
  CONST LONG Rows = Part.bottom - Part.top;
  CONST LONG Bytes = (Part.right - Part.left) * BytesPerPixel;
  if (Rows <= 0 || Bytes <= 0) return;
  if (Part.left + Dx < 0 || Part.right + Dx > (LONG)m_Display.Width) return;
  if (Part.top + Dy < 0 || Part.bottom + Dy > (LONG)m_Display.Height) return;
  for (LONG i = 0; i < Rows; i++) {
    CONST LONG Row = Dy < 0 ? Part.bottom - 1 - i : Part.top + i;
    BYTE* To = m_FrameBuffer + (SIZE_T)Row * m_Display.Pitch + Part.left * BytesPerPixel;
    CONST BYTE* From = m_FrameBuffer + (SIZE_T)(Row + Dy) * m_Display.Pitch + (Part.left + Dx) * BytesPerPixel;
    RtlMoveMemory(To, From, Bytes);
  }
}

// The source may be a program's memory, so that a fault is an answer.
NTSTATUS Device::CopyRect(_In_ CONST DXGKARG_PRESENT_DISPLAYONLY* Present, _In_ CONST RECT* Rect) {
  CONST RECT Part = Clipped(Rect, m_Display.Width, m_Display.Height);
  if (Part.right <= Part.left || Part.bottom <= Part.top) return STATUS_SUCCESS;
  CONST SIZE_T Bytes = (SIZE_T)(Part.right - Part.left) * Present->BytesPerPixel;
  NTSTATUS Status = STATUS_SUCCESS;
  __try {
    for (LONG Row = Part.top; Row < Part.bottom; Row++) {
      CONST BYTE* From =
          static_cast<CONST BYTE*>(Present->pSource) + (LONGLONG)Row * Present->Pitch + Part.left * Present->BytesPerPixel;
      RtlCopyMemory(m_FrameBuffer + (SIZE_T)Row * m_Display.Pitch + Part.left * Present->BytesPerPixel, From, Bytes);
    }
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    Status = GetExceptionCode();
  }
  return Status;
}

NTSTATUS Device::Present(_In_ CONST DXGKARG_PRESENT_DISPLAYONLY* Present) {
  if (Present->VidPnSourceId != SOURCE_ID) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  if (Present->BytesPerPixel != 4 || Present->Flags.Rotate) return STATUS_NOT_SUPPORTED;
  if (!m_Visible) return STATUS_SUCCESS;
  NTSTATUS Status = STATUS_SUCCESS;
  ExAcquireFastMutex(&m_Lock);
  if (m_FrameBuffer == NULL) {
    Status = STATUS_DEVICE_NOT_READY;
  } else {
    for (UINT i = 0; i < Present->NumMoves; i++) MoveRect(&Present->pMoves[i]);
    for (UINT i = 0; i < Present->NumDirtyRects && NT_SUCCESS(Status); i++) Status = CopyRect(Present, &Present->pDirtyRect[i]);
  }
  ExReleaseFastMutex(&m_Lock);
  return Status;
}

NTSTATUS Device::SystemDisplayEnable(_In_ D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId, _Out_ UINT* Width, _Out_ UINT* Height,
                                     _Out_ D3DDDIFORMAT* Format) {
  if (TargetId != TARGET_ID && TargetId != D3DDDI_ID_UNINITIALIZED) return STATUS_UNSUCCESSFUL;
  if (m_FrameBuffer == NULL) return STATUS_UNSUCCESSFUL;
  *Width = m_Display.Width;
  *Height = m_Display.Height;
  *Format = m_Display.ColorFormat;
  return STATUS_SUCCESS;
}

// Any IRQL, while the system stops: no lock.
VOID Device::SystemDisplayWrite(_In_ VOID* Source, _In_ UINT Width, _In_ UINT Height, _In_ UINT Stride, _In_ UINT X,
                                _In_ UINT Y) {
  CONST UINT BytesPerPixel = 4;
  if (m_FrameBuffer == NULL || X >= m_Display.Width || Y >= m_Display.Height) return;
  Width = min(Width, m_Display.Width - X);
  Height = min(Height, m_Display.Height - Y);
  for (UINT Row = 0; Row < Height; Row++) {
    RtlCopyMemory(m_FrameBuffer + (SIZE_T)(Y + Row) * m_Display.Pitch + X * BytesPerPixel,
                  static_cast<CONST BYTE*>(Source) + (SIZE_T)Row * Stride, (SIZE_T)Width * BytesPerPixel);
  }
}
