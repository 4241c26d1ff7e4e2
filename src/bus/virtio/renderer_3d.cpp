#include "bus/virtio/renderer_3d.h"

#ifdef TANDEM_VIRGL
#include "bus/virtio/virgl_library.h"
#include "bus/virtio/virgl_renderer.h"
#endif

namespace tandem::bus {

MakeRenderer3d InstalledRenderer3d() {
#ifdef TANDEM_VIRGL
  if (VirglIsInstalled()) return &VirglRenderer::Start;
#endif
  return {};
}

}  // namespace tandem::bus
