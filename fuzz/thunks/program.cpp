#include "fuzz/thunks/program.h"

namespace tandem::fuzz {

Program::Program(Bytes input, LUID luid) : bytes(input) {
  D3DKMT_OPENADAPTERFROMLUID open{luid, 0};
  static_cast<void>(D3DKMTOpenAdapterFromLuid(&open));
  adapter = open.hAdapter;
}

Program::~Program() {
  for (const D3DKMT_HANDLE handle : mutexes) {
    const D3DKMT_DESTROYKEYEDMUTEX destroy{handle};
    static_cast<void>(D3DKMTDestroyKeyedMutex(&destroy));
  }
  for (const D3DKMT_HANDLE handle : fences) {  // those of no device
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{handle};
    static_cast<void>(D3DKMTDestroySynchronizationObject(&destroy));
  }
  for (const D3DKMT_HANDLE handle : devices) {
    const D3DKMT_DESTROYDEVICE destroy{handle};
    static_cast<void>(D3DKMTDestroyDevice(&destroy));
  }
  const D3DKMT_CLOSEADAPTER close{adapter};
  static_cast<void>(D3DKMTCloseAdapter(&close));
}

D3DKMT_HANDLE Program::Handle(const std::vector<D3DKMT_HANDLE>& known) {
  const auto choice = bytes.Take<std::uint8_t>();
  if (known.empty() || choice >= 0xF0) return bytes.Take<D3DKMT_HANDLE>();
  return known[choice % known.size()];
}

void Program::Keep(std::vector<D3DKMT_HANDLE>& known, D3DKMT_HANDLE handle) {
  if (handle != 0 && known.size() < kMostHandles) known.push_back(handle);
}

RECT Program::Rect() {
  const auto take = [this] { return static_cast<LONG>(bytes.Take<std::int16_t>()); };
  return {take(), take(), take(), take()};
}

}  // namespace tandem::fuzz
