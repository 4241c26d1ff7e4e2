// Base types of Windows. Public page: windef.h.
#pragma once

#include "ntdef.h"

typedef HANDLE HINSTANCE;
typedef HANDLE HMODULE;
typedef HANDLE HBITMAP;
typedef HANDLE HKEY;
typedef RECT RECTL;
typedef RECTL* PRECTL;
typedef POINT POINTL;
typedef SIZE SIZEL;
typedef unsigned char* PUCHAR8;
typedef DWORD COLORREF;

#define MAKEWORD(low, high) ((WORD)(((BYTE)(low)) | ((WORD)((BYTE)(high))) << 8))
#define MAKELONG(low, high) ((LONG)(((WORD)(low)) | ((DWORD)((WORD)(high))) << 16))
#define LOWORD(value) ((WORD)((DWORD_PTR)(value)&0xffff))
#define HIWORD(value) ((WORD)((DWORD_PTR)(value) >> 16))
#define LOBYTE(value) ((BYTE)((DWORD_PTR)(value)&0xff))
#define HIBYTE(value) ((BYTE)((DWORD_PTR)(value) >> 8))
