// __try and __except for drivers: a memory fault, or ExRaiseStatus, in the guarded body runs the handler. Destructors of the
// body's objects do not run. Part of wdm.h. Public page: "Structured Exception Handling".
#pragma once

#include <setjmp.h>

#include "ntdef.h"

#define EXCEPTION_EXECUTE_HANDLER 1
#define EXCEPTION_CONTINUE_SEARCH 0
#define EXCEPTION_CONTINUE_EXECUTION (-1)

// A guarded body that runs now, on the stack of its function. The frames of a thread form a list.
typedef struct _TANDEM_SEH_FRAME {
  struct _TANDEM_SEH_FRAME* Outer;
  NTSTATUS Code;
  UCHAR Entered;
  KIRQL Irql;
  sigjmp_buf State;
} TANDEM_SEH_FRAME;

EXTERN_C VOID TandemNtEnterTry(TANDEM_SEH_FRAME* Frame);
EXTERN_C VOID TandemNtLeaveTry(TANDEM_SEH_FRAME* Frame);
// Leaves the frame and returns TRUE when its handler runs. A search goes on in the outer frame.
EXTERN_C BOOLEAN TandemNtFilter(TANDEM_SEH_FRAME* Frame, LONG Disposition);
EXTERN_C NTSTATUS TandemNtExceptionCode(VOID);
EXTERN_C DECLSPEC_NORETURN VOID NTAPI ExRaiseStatus(NTSTATUS Status);
EXTERN_C DECLSPEC_NORETURN VOID NTAPI ExRaiseAccessViolation(VOID);

#ifdef TANDEM_NT_DRIVER
#define GetExceptionCode() TandemNtExceptionCode()
#define _exception_code() TandemNtExceptionCode()
#ifdef __cplusplus
struct TandemSehTry : TANDEM_SEH_FRAME {
  __attribute__((always_inline)) TandemSehTry() { TandemNtEnterTry(this); }
  __attribute__((always_inline)) ~TandemSehTry() { TandemNtLeaveTry(this); }
};
#define __try if (TandemSehTry tandem_try; sigsetjmp(tandem_try.State, 0) == 0)
#else
#define __try                                                                                                         \
  for (TANDEM_SEH_FRAME tandem_try __attribute__((cleanup(TandemNtLeaveTry))) = {0}; TandemNtEnterOnce(&tandem_try);) \
    if (sigsetjmp(tandem_try.State, 0) == 0)
FORCEINLINE BOOLEAN TandemNtEnterOnce(TANDEM_SEH_FRAME* Frame) {
  if (Frame->Entered) return FALSE;
  TandemNtEnterTry(Frame);
  return TRUE;
}
#endif
// clang-format off
#define __except(filter) else if (TandemNtFilter(&tandem_try, (filter)))
// clang-format on
#endif
