// A second reader of the log, independent of TANDEM_LOG.
#pragma once

#include <string_view>

namespace tandem {

// Receives each line of kWarn or worse, whatever TANDEM_LOG says, on the logging thread. The listener must not log.
using LogListener = void (*)(std::string_view line) noexcept;
// Null removes the listener.
void SetLogListener(LogListener listener) noexcept;

}  // namespace tandem
