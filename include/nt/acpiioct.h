// ACPI methods. Public page: acpiioct.h.
#pragma once

#include "wdm/acpi.h"
