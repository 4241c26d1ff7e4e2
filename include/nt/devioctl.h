// Codes of device controls. Public page: devioctl.h.
#pragma once

#include "wdm/io.h"
