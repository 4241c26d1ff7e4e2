// Which connectors of a card become heads, and with which CRTC and planes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "drivers/kms/card/resources.h"
#include "drivers/kms/kmd/head_picture.h"

namespace tandem::kms {

// The connector that is named, or all that are connected and meant for desktops, at most kMaxVidPnSources. kNotFound says what
// is there: no such connector, nothing connected, no free CRTC.
[[nodiscard]] Result<std::vector<HeadParts>> ChooseHeads(const Resources& resources, const std::string& connector);

}  // namespace tandem::kms
