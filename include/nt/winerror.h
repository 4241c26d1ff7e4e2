// HRESULT and Win32 error values. Public page: winerror.h.
#pragma once

#include "wddm_status.h"

#define NO_ERROR 0L
#define ERROR_SUCCESS 0L
#define ERROR_INVALID_FUNCTION 1L
#define ERROR_FILE_NOT_FOUND 2L
#define ERROR_ACCESS_DENIED 5L
#define ERROR_NOT_ENOUGH_MEMORY 8L
#define ERROR_INVALID_PARAMETER 87L
#define ERROR_INSUFFICIENT_BUFFER 122L
#define ERROR_MORE_DATA 234L
#define ERROR_DEV_NOT_EXIST 55L
#define HRESULT_FROM_NT(x) ((HRESULT)((x) | 0x10000000))
