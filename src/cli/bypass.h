// Programs that `tandem run` started and that showed nothing through Tandem.
#pragma once

#include <string>

#include "status/run_note.h"

namespace tandem::cli {

// A sentence that says why `program` showed no frame through Tandem and what to do; empty where it asked Tandem for a swap chain.
[[nodiscard]] std::string BypassSentence(const status::RunNote& note, const std::string& program);

}  // namespace tandem::cli
