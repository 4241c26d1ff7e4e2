// Security descriptors of device objects, which drivers create nowhere here. Public page: wdmsec.h.
#pragma once

#include "wdm.h"
