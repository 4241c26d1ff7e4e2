// The exports of libtandem_shim.so, a shim of its own.
#include "shim/composite.h"

extern "C" __attribute__((visibility("default"))) HRESULT OpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args) {
  return tandem::shim::OpenShim(args, nullptr);
}

extern "C" __attribute__((visibility("default"))) HRESULT TandemSetShimHost(CONST TANDEM_SHIM_HOST* host) {
  return tandem::shim::SetShimHost(host);
}
