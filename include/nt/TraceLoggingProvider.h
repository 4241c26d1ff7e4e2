// Events that describe themselves: nobody listens here, so their fields are not evaluated, as with a provider that is not
// enabled. Public page: traceloggingprovider.h.
#pragma once

#include "evntrace.h"

typedef struct _tlgProvider_t {
  LPCGUID Id;
} _tlgProvider_t;
typedef _tlgProvider_t CONST* TraceLoggingHProvider;

#define TRACELOGGING_DECLARE_PROVIDER(Provider) EXTERN_C TraceLoggingHProvider CONST Provider
#define TRACELOGGING_DEFINE_PROVIDER(Provider, Name, Id, ...) \
  static CONST _tlgProvider_t Provider##_storage = {0};       \
  EXTERN_C TraceLoggingHProvider CONST Provider;              \
  TraceLoggingHProvider CONST Provider = &Provider##_storage
#define TraceLoggingRegister(Provider) ((void)(Provider), STATUS_SUCCESS)
#define TraceLoggingRegisterEx(Provider, ...) ((void)(Provider), STATUS_SUCCESS)
#define TraceLoggingUnregister(Provider) ((void)(Provider))
#define TraceLoggingProviderEnabled(Provider, Level, Keyword) ((void)(Provider), FALSE)
#define TraceLoggingWrite(Provider, ...) ((void)(Provider))
#define TraceLoggingWriteActivity(Provider, ...) ((void)(Provider))
#define TraceLoggingWriteTagged(Activity, ...) ((void)0)
