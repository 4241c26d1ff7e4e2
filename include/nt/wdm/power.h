// Power states beyond those of the driver contract. Part of wdm.h. Public page: wdm.h.
#pragma once

#include "wddm_kernel.h"

typedef enum _SYSTEM_POWER_STATE WDDM_ENUM {
  PowerSystemUnspecified = 0,
  PowerSystemWorking = 1,
  PowerSystemSleeping1 = 2,
  PowerSystemSleeping2 = 3,
  PowerSystemSleeping3 = 4,
  PowerSystemHibernate = 5,
  PowerSystemShutdown = 6,
  PowerSystemMaximum = 7,
} SYSTEM_POWER_STATE;

typedef union _POWER_STATE {
  SYSTEM_POWER_STATE SystemState;
  DEVICE_POWER_STATE DeviceState;
} POWER_STATE;
typedef POWER_STATE* PPOWER_STATE;
typedef DEVICE_POWER_STATE* PDEVICE_POWER_STATE;
typedef struct _POHANDLE__* POHANDLE;
