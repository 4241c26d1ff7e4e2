#include "system/build_report.h"

#include "outputs/wayland/protocols.h"

namespace tandem::system {

BuildReport ReportBuild() {
  const outputs::WaylandProtocols protocols = outputs::BuiltWaylandProtocols();
  return {{"soft", "vulkan", "kms"}, {"x11", "wayland", "png", "y4m", "raw", "headless"}, protocols.built_in, protocols.left_out};
}

}  // namespace tandem::system
