// NTSTATUS values. Public page: "NTSTATUS Values" [MS-ERREF].
#pragma once

#include "wdm/status.h"
